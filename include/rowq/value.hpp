// What a column holds, and what identifies a row.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace rowq {

/// An instant in UTC, to the microsecond: the finest that every database keeps.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// Uninterpreted bytes, as in a `bytea` or `blob` column.
using Bytes = std::vector<std::byte>;

/// The SQL NULL.
using Null = std::monostate;

/// One column's content. Text, JSON, UUID and numeric columns are text.
using Value = std::variant<Null, bool, std::int64_t, double, std::string, Bytes, Timestamp>;

/// The key of a row: integer columns give an integer, text and UUID columns give text.
using Id = std::variant<std::int64_t, std::string>;

/// The id as people write it: decimal digits, or the text itself.
[[nodiscard]] std::string to_string(const Id& id);

} // namespace rowq
