// Where rowq reads the time.
#pragma once

#include <rowq/value.hpp>

#include <chrono>

namespace rowq {

/// The wall clock that decides what is due and when leases end. Give a broker your own to test time without waiting. Called from several
/// threads at once; must not throw.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Timestamp now() const {
        return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    }
};

} // namespace rowq
