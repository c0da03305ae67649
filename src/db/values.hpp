// Readings of a column's content that do not depend on which driver fetched it.
#pragma once

#include <rowq/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace rowq::detail::db {

// "2026-11-30 15:04:05.123456", always 26 characters, UTC: sorts as text in the order of time.
[[nodiscard]] std::string format_timestamp(Timestamp instant);

// The same and its shorter forms: 'T' for the blank, no or fewer fraction digits, a trailing Z or offset (+00, +02:00). Nothing else.
[[nodiscard]] std::optional<Timestamp> parse_timestamp(std::string_view text);

// Each: empty if the content is NULL or cannot be read as asked without loss.
[[nodiscard]] std::optional<Timestamp> as_timestamp(const Value& value);
[[nodiscard]] std::optional<std::int64_t> as_integer(const Value& value);
[[nodiscard]] std::optional<bool> as_bool(const Value& value); // booleans, and the integers 0 and 1
[[nodiscard]] std::optional<double> as_double(const Value& value);
[[nodiscard]] std::optional<std::string> as_text(
    const Value& value); // text and bytes as they are; numbers in decimal

// As RFC 3629 defines it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text);

} // namespace rowq::detail::db
