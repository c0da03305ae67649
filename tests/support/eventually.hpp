// Waiting for a condition instead of for a time.
#pragma once

#include "support/scale.hpp"

#include <chrono>
#include <thread>

namespace rowq::test {

// Asks again and again until the condition holds; false once the bound has passed.
template <class Condition>
[[nodiscard]] bool eventually(std::chrono::milliseconds bound, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + bound;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

template <class Condition>
[[nodiscard]] bool eventually(Condition condition) {
    return eventually(soon, std::move(condition));
}

} // namespace rowq::test
