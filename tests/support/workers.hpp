// The fixture of fault tests: worker processes on one database, and the history they write.
#pragma once

#include "support/child.hpp"
#include "support/history.hpp"
#include "support/matrix.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rowq::test {

using WorkerArguments = std::vector<std::pair<std::string, std::string>>;

// A worker process (see tests/processes/worker.cpp), killed at the end at the latest.
class Worker {
public:
    explicit Worker(const std::vector<std::string>& words) : child_("worker", words) {
        pid_ = child_.pid();
    }
    [[nodiscard]] int pid() const noexcept { return pid_; }
    [[nodiscard]] bool opened() { return child_.line() == "opened"; }
    void signal(int number) const { child_.signal(number); }
    // True if it ends by itself, well, while somebody waits for it.
    [[nodiscard]] bool ends_well();
    // Dead when this returns; the instant before it was.
    std::int64_t kill();

private:
    Child child_;
    int pid_ = -1;
};

class FaultTest : public QueueTest {
protected:
    // Runs when this returns.
    [[nodiscard]] std::unique_ptr<Worker> start(const WorkerArguments& arguments);

    // As start(), without waiting until it runs.
    [[nodiscard]] std::unique_ptr<Worker> launch(const WorkerArguments& arguments);

    void kill(Worker& worker) { deaths_.emplace_back(worker.pid(), worker.kill()); }
    // It ended by itself, as a crash.
    void died(const Worker& worker, std::int64_t at) { deaths_.emplace_back(worker.pid(), at); }

    [[nodiscard]] History history() const;
    [[nodiscard]] bool eventually_running(const Worker& worker, std::size_t rows) const {
        return eventually([&] { return history().running(worker.pid()) == rows; });
    }
    [[nodiscard]] bool eventually_empty(const std::string& condition = "1 = 1") {
        return eventually(3 * soon, [&] { return count(condition) == 0; });
    }

    // A file that tells handlers with until= to end.
    [[nodiscard]] std::string gate_file() const { return folder_ / "gate"; }
    void open_gate() const;

    [[nodiscard]] std::string history_file() const { return folder_ / "history"; }

private:
    TemporaryFolder folder_;
    std::vector<std::pair<int, std::int64_t>> deaths_;
};

} // namespace rowq::test
