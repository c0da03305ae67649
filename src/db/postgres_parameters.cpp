// Parameters as PostgreSQL takes them.
#include "db/postgres_types.hpp"
#include "db/postgres_values.hpp"
#include "db/values.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace rowq::detail::db {

namespace {

// Types whose binary form is the text or the bytes themselves. Sent so, lengths are kept: the text form ends at a zero byte.
bool takes_raw(Oid type) noexcept {
    switch (type) {
    case pg::bytea:
    case pg::text:
    case pg::varchar:
    case pg::bpchar:
    case pg::name:
    case pg::json:
    case pg::unknown: return true;
    default: return false;
    }
}

// The server's count from 2000 in network order, its infinities for the ends of our range.
std::string binary_time(Timestamp time) {
    constexpr auto first = std::numeric_limits<std::int64_t>::min();
    std::int64_t count = time.time_since_epoch().count();
    if (time != Timestamp::max())
        count = count < first + pg::epoch_us ? first : count - pg::epoch_us;
    const auto bits = static_cast<std::uint64_t>(count);
    std::string content;
    for (unsigned shift = 64; shift > 0; shift -= 8)
        content += static_cast<char>(bits >> (shift - 8) & 0xFFU);
    return content;
}

std::string_view view_of(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] void zero_byte() {
    Error::Details details;
    details.sqlstate = "22021";
    throw Error(
        ErrorCode::database, "a text with a zero byte was given for a column that cannot hold it",
        std::move(details));
}

} // namespace

PgParameters::PgParameters(const std::vector<Value>& values, const std::vector<Oid>& types) {
    if (values.size() != types.size())
        throw Error(
            ErrorCode::database,
            fmt::format(
                "the statement takes {} parameters, {} were given", types.size(), values.size()));
    texts_.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) add(values[i], types[i]);
}

void PgParameters::add(const Value& value, Oid type) {
    const auto text_or_raw = [&](std::string_view content) {
        if (takes_raw(type)) return add_raw(content);
        if (content.find('\0') != std::string_view::npos) zero_byte();
        add_text(std::string(content));
    };
    if (std::holds_alternative<Null>(value)) {
        add_null();
    } else if (const auto* truth = std::get_if<bool>(&value)) {
        add_text(*truth ? "true" : "false");
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
        add_text(std::to_string(*number));
    } else if (const auto* real = std::get_if<double>(&value)) {
        add_text(fmt::format("{}", *real)); // the shortest that reads back the same
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        text_or_raw(*text);
    } else if (const auto* bytes = std::get_if<Bytes>(&value)) {
        text_or_raw(view_of(*bytes));
    } else if (const auto* time = std::get_if<Timestamp>(&value)) {
        if (type != pg::timestamptz && type != pg::timestamp)
            return add_text(format_timestamp(*time) + "+00");
        texts_.push_back(binary_time(*time));
        add_raw(texts_.back());
    }
}

void PgParameters::add_null() {
    pointers_.push_back(nullptr);
    lengths_.push_back(0);
    formats_.push_back(0);
}

void PgParameters::add_text(std::string text) {
    texts_.push_back(std::move(text));
    pointers_.push_back(texts_.back().c_str());
    lengths_.push_back(0); // ignored for text
    formats_.push_back(0);
}

void PgParameters::add_raw(std::string_view content) {
    if (content.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw Error(ErrorCode::database, "a parameter is longer than PostgreSQL can take (2 GiB)");
    // Never null, which would be NULL.
    pointers_.push_back(content.data() == nullptr ? "" : content.data());
    lengths_.push_back(static_cast<int>(content.size()));
    formats_.push_back(1);
}

} // namespace rowq::detail::db
