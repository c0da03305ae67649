// How much and how long: less work and more patience under a sanitizer.
#pragma once

#include <chrono>

namespace rowq::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr int slowdown = 10;
#else
inline constexpr int slowdown = 1;
#endif

// A large number of rows, smaller where each takes longer.
[[nodiscard]] constexpr int scaled(int rows) noexcept { return rows / slowdown; }

// How long a test waits for what should happen soon: far more than it takes, so that only a hang reaches it.
inline constexpr std::chrono::seconds soon{slowdown == 1 ? 30 : 90};

} // namespace rowq::test
