// A door that handlers wait at until the test opens it.
#pragma once

#include "support/scale.hpp"

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace rowq::test {

// Opens once, for all. Opened at the end at the latest, so that a test that fails still ends.
class Gate {
public:
    Gate() = default;
    ~Gate() { open(); }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }

    // Handlers call this. False if nobody opened.
    bool wait() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 3 * soon, [&] { return open_; });
    }

    // As wait(), but a stop ends it too; true if it was the stop.
    bool wait_for_stop(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, stop, 3 * soon, [&] { return open_; });
        return stop.stop_requested();
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool open_ = false;
};

} // namespace rowq::test
