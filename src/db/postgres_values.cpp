// Contents of columns as PostgreSQL sends them.
#include "db/postgres_values.hpp"

#include "db/postgres_types.hpp"
#include "db/values.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

namespace rowq::detail::db {

namespace {

[[noreturn]] void unreadable(Oid type) {
    throw Error(
        ErrorCode::schema,
        fmt::format(
            "the server sent a content that the type with the number {} cannot have", type));
}

// Reads big-endian numbers from the front.
class Reader {
public:
    Reader(Oid type, std::string_view content) : type_(type), rest_(content) {}

    template <class Unsigned>
    Unsigned take() {
        if (rest_.size() < sizeof(Unsigned)) unreadable(type_);
        std::uint64_t number = 0;
        for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
            number = number << 8U | static_cast<unsigned char>(rest_[i]);
        rest_.remove_prefix(sizeof(Unsigned));
        return static_cast<Unsigned>(number);
    }

    // The whole content as one number.
    template <class Unsigned>
    Unsigned only() {
        const auto number = take<Unsigned>();
        if (!rest_.empty()) unreadable(type_);
        return number;
    }

private:
    Oid type_;
    std::string_view rest_;
};

// `microseconds` since 2000; the server's infinities are the ends of its range.
Timestamp from_server_epoch(std::int64_t microseconds) {
    constexpr auto last = std::numeric_limits<std::int64_t>::max();
    constexpr auto first = std::numeric_limits<std::int64_t>::min();
    if (microseconds > last - pg::epoch_us) return Timestamp::max();
    if (microseconds == first) return Timestamp::min();
    return Timestamp(std::chrono::microseconds(microseconds + pg::epoch_us));
}

Timestamp from_server_days(std::int32_t days) {
    constexpr auto limit =
        std::numeric_limits<std::int64_t>::max() / pg::day_us - pg::epoch_days - 1;
    if (days > limit) return Timestamp::max();
    if (days < -limit) return Timestamp::min();
    return from_server_epoch(days * pg::day_us);
}

std::string uuid_text(std::string_view content) {
    if (content.size() != 16) unreadable(pg::uuid);
    std::string text;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(content[i]));
    }
    return text;
}

// Base 10,000 digits; `weight` is the power of the first.
std::string numeric_text(std::string_view content) {
    Reader reader(pg::numeric, content);
    const auto count = reader.take<std::uint16_t>();
    const int weight = static_cast<std::int16_t>(reader.take<std::uint16_t>());
    const auto sign = reader.take<std::uint16_t>();
    const auto scale = reader.take<std::uint16_t>();
    if (sign == 0xC000) return "NaN";
    if (sign == 0xD000) return "Infinity";
    if (sign == 0xF000) return "-Infinity";
    std::vector<int> digits;
    digits.reserve(count);
    for (int i = 0; i < count; ++i) digits.push_back(reader.take<std::uint16_t>());
    const auto digit = [&](int power) {
        const auto index = static_cast<std::size_t>(weight - power);
        return power <= weight && index < digits.size() ? digits[index] : 0;
    };
    std::string text = sign == 0x4000 ? "-" : "";
    text += std::to_string(digit(std::max(weight, 0)));
    for (int power = weight - 1; power >= 0; --power) text += fmt::format("{:04}", digit(power));
    if (scale == 0) return text;
    std::string fraction;
    for (int power = -1; fraction.size() < scale; --power)
        fraction += fmt::format("{:04}", digit(power));
    return text + '.' + fraction.substr(0, scale);
}

Bytes bytes_of(std::string_view content) {
    const auto* first = reinterpret_cast<const std::byte*>(content.data());
    return {first, first + content.size()};
}

template <class Number>
Number number_of(Oid type, std::string_view content) {
    Number number{};
    const auto* end = content.data() + content.size();
    const auto [stop, error] = std::from_chars(content.data(), end, number);
    if (error != std::errc{} || stop != end) unreadable(type);
    return number;
}

// ISO, in UTC. Years with more than four digits, years before our era and infinities are beyond parse_timestamp().
Timestamp time_of(std::string_view content) {
    if (const auto time = parse_timestamp(content)) return *time;
    if (content.size() == 10) // a date alone
        if (const auto time = parse_timestamp(std::string(content) + " 00:00:00")) return *time;
    const bool early = content.starts_with('-') || content.ends_with("BC");
    return early ? Timestamp::min() : Timestamp::max();
}

Bytes bytes_of_text(std::string_view content) {
    std::size_t size = 0;
    const std::string text(content); // ends with a zero, as libpq wants it
    const std::unique_ptr<unsigned char, decltype(&PQfreemem)> bytes(
        PQunescapeBytea(reinterpret_cast<const unsigned char*>(text.c_str()), &size), &PQfreemem);
    if (!bytes) unreadable(pg::bytea);
    return bytes_of({reinterpret_cast<const char*>(bytes.get()), size});
}

} // namespace

bool reads_binary(Oid type) noexcept {
    switch (type) {
    case pg::boolean:
    case pg::bytea:
    case pg::one_char:
    case pg::name:
    case pg::int8:
    case pg::int2:
    case pg::int4:
    case pg::text:
    case pg::oid:
    case pg::json:
    case pg::float4:
    case pg::float8:
    case pg::unknown:
    case pg::bpchar:
    case pg::varchar:
    case pg::date:
    case pg::timestamp:
    case pg::timestamptz:
    case pg::numeric:
    case pg::uuid:
    case pg::jsonb: return true;
    default: return false;
    }
}

Value read_binary(Oid type, std::string_view content) {
    Reader reader(type, content);
    switch (type) {
    case pg::boolean: return reader.only<std::uint8_t>() != 0;
    case pg::int2: return std::int64_t{static_cast<std::int16_t>(reader.only<std::uint16_t>())};
    case pg::int4: return std::int64_t{static_cast<std::int32_t>(reader.only<std::uint32_t>())};
    case pg::int8: return static_cast<std::int64_t>(reader.only<std::uint64_t>());
    case pg::oid: return std::int64_t{reader.only<std::uint32_t>()};
    case pg::float4: return double{std::bit_cast<float>(reader.only<std::uint32_t>())};
    case pg::float8: return std::bit_cast<double>(reader.only<std::uint64_t>());
    case pg::bytea: return bytes_of(content);
    case pg::timestamp:
    case pg::timestamptz:
        return from_server_epoch(static_cast<std::int64_t>(reader.only<std::uint64_t>()));
    case pg::date: return from_server_days(static_cast<std::int32_t>(reader.only<std::uint32_t>()));
    case pg::numeric: return numeric_text(content);
    case pg::uuid: return uuid_text(content);
    case pg::jsonb:
        if (reader.take<std::uint8_t>() != 1) unreadable(type); // the version of the binary form
        return std::string(content.substr(1));
    default: return std::string(content);
    }
}

Value read_text(Oid type, std::string_view content) {
    switch (type) {
    case pg::boolean: return content == "t";
    case pg::int2:
    case pg::int4:
    case pg::int8:
    case pg::oid: return number_of<std::int64_t>(type, content);
    case pg::float4: return double{number_of<float>(type, content)};
    case pg::float8: return number_of<double>(type, content);
    case pg::bytea: return bytes_of_text(content);
    case pg::timestamp:
    case pg::timestamptz:
    case pg::date: return time_of(content);
    default: return std::string(content);
    }
}

} // namespace rowq::detail::db
