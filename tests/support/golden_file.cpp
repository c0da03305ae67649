// Reading, comparing and rewriting golden files.
#include "support/golden_file.hpp"

#include "support/described_tables.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace rowq::test {

namespace {

constexpr std::size_t width = 100;

// Lines as `text` has them, too long ones broken at blanks.
std::string folded(std::string_view text) {
    std::string result;
    std::size_t column = 0;
    while (!text.empty()) {
        const auto end = text.find_first_of(" \n");
        const std::string_view word = text.substr(0, end);
        if (column > 0 && column + 1 + word.size() > width) {
            result += "\n    ";
            column = 4;
        } else if (column > 0) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
        if (end == std::string_view::npos) break;
        if (text[end] == '\n') {
            result += '\n';
            column = 0;
        }
        text.remove_prefix(end + 1);
        if (column == 0) { // the indentation of a text's own lines stays
            const auto first = std::min(text.find_first_not_of(' '), text.size());
            result.append(text.substr(0, first));
            text.remove_prefix(first);
        }
    }
    return result;
}

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

// The first line that differs, for a message that can be read.
std::string difference(const std::string& expected, const std::string& found) {
    std::istringstream a(expected), b(found);
    std::string left, right;
    for (int number = 1;; ++number) {
        const bool more_left = static_cast<bool>(std::getline(a, left));
        const bool more_right = static_cast<bool>(std::getline(b, right));
        if (!more_left) left = "(the end)";
        if (!more_right) right = "(the end)";
        if (left != right || (!more_left && !more_right))
            return "line " + std::to_string(number) + "\n  expected: " + left +
                   "\n  found:    " + right;
    }
}

} // namespace

void expect_golden(const std::string& name, const std::string& text) {
    const auto path =
        std::filesystem::path(ROWQ_SOURCE_DIR) / "tests" / "golden" / "expected" / name;
    const char* update = std::getenv("ROWQ_UPDATE_GOLDEN");
    if (update != nullptr && std::string_view(update) == "1") {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return;
    }
    const std::string expected = read(path);
    EXPECT_TRUE(expected == text)
        << path.filename() << " differs at " << difference(expected, text)
        << "\nIf the change is meant, set ROWQ_UPDATE_GOLDEN=1, run again and look at the diff.";
}

std::string golden_text(
    std::string_view event, const detail::sql::Statement& statement,
    std::string_view placeholder_mark) {
    std::string comment = "-- " + std::string(event);
    for (std::size_t i = 0; i < statement.parameters.size(); ++i)
        comment.append(i == 0 ? ": " : ", ")
            .append(placeholder_mark)
            .append(std::to_string(i + 1))
            .append(" ")
            .append(to_string(statement.parameters[i]));
    for (std::size_t i = 0; i < statement.outputs.size(); ++i)
        comment.append(i == 0 ? " -> " : ", ").append(to_string(statement.outputs[i]));
    return comment + "\n" + folded(statement.text) + ";\n\n";
}

} // namespace rowq::test
