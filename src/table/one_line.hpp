// Text from outside, made fit for a log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rowq::detail {

// Control characters become spaces: names may hold them, and servers write paragraphs.
[[nodiscard]] std::string on_one_line(std::string text);

// The beginning, of at most `longest` bytes, cut between characters and not within one; "..." says that there was more.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest);

} // namespace rowq::detail
