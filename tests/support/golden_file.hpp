// Texts kept in the repository, compared with what the code writes now.
#pragma once

#include "sql/statement.hpp"

#include <string>
#include <string_view>

namespace rowq::test {

// Fails where tests/golden/expected/NAME does not hold exactly `text`; with ROWQ_UPDATE_GOLDEN=1 writes it there instead.
void expect_golden(const std::string& name, const std::string& text);

// The event, what goes in and what comes out as a comment, then the text, broken at blanks: a line break with its indentation
// stands for one blank.
[[nodiscard]] std::string golden_text(
    std::string_view event, const detail::sql::Statement& statement,
    std::string_view placeholder_mark);

} // namespace rowq::test
