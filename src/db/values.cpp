// Readings of a column's content: exact, or not at all.
#include "db/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace rowq::detail::db {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;

// What four digits of a year can say. Instants outside are written as the nearest one inside: the order stays, and so does the width.
constexpr Timestamp earliest = sys_days{std::chrono::year{0} / 1 / 1};
constexpr Timestamp latest = sys_days{std::chrono::year{10'000} / 1 / 1} - microseconds{1};

void put_digits(char* to, std::size_t width, std::int64_t number) {
    while (width > 0) {
        to[--width] = static_cast<char>('0' + number % 10);
        number /= 10;
    }
}

// Reads a text from left to right; every step says whether it found what it was asked for.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool done() const noexcept { return rest_.empty(); }

    [[nodiscard]] bool take(char wanted) noexcept {
        if (rest_.empty() || rest_.front() != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }

    [[nodiscard]] bool digits(std::size_t count, int& number) noexcept {
        if (rest_.size() < count) return false;
        number = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (rest_[i] < '0' || rest_[i] > '9') return false;
            number = number * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(count);
        return true;
    }

    // One to six digits behind the point, as microseconds.
    [[nodiscard]] bool fraction(int& micros) noexcept {
        micros = 0;
        std::size_t count = 0;
        for (int digit = 0; count < 6 && digits(1, digit); ++count) micros = micros * 10 + digit;
        for (std::size_t i = count; i < 6; ++i) micros *= 10;
        return count > 0;
    }

private:
    std::string_view rest_;
};

bool read_date(Reader& reader, sys_days& date) {
    int year = 0;
    int month = 0;
    int day = 0;
    if (!reader.digits(4, year) || !reader.take('-') || !reader.digits(2, month) ||
        !reader.take('-') || !reader.digits(2, day))
        return false;
    const std::chrono::year_month_day ymd{
        std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
        std::chrono::day{static_cast<unsigned>(day)}};
    if (!ymd.ok()) return false;
    date = ymd;
    return true;
}

bool read_time(Reader& reader, microseconds& time) {
    int hour = 0;
    int minute = 0;
    int second = 0;
    int micros = 0;
    if (!reader.digits(2, hour) || !reader.take(':') || !reader.digits(2, minute) ||
        !reader.take(':') || !reader.digits(2, second))
        return false;
    if (hour > 23 || minute > 59 || second > 59) return false;
    if (reader.take('.') && !reader.fraction(micros)) return false;
    time = hours{hour} + minutes{minute} + seconds{second} + microseconds{micros};
    return true;
}

bool read_offset(Reader& reader, minutes& offset) {
    offset = minutes{0};
    if (reader.done() || reader.take('Z')) return reader.done();
    const bool east = reader.take('+');
    if (!east && !reader.take('-')) return false;
    int hour = 0;
    int minute = 0;
    if (!reader.digits(2, hour)) return false;
    if (reader.take(':') && !reader.digits(2, minute)) return false;
    if (hour > 23 || minute > 59) return false;
    offset = hours{hour} + minutes{minute};
    if (!east) offset = -offset;
    return reader.done();
}

// A decimal number without sign as its digits, none of them a leading or trailing zero, and the power of ten of the first one. Two
// texts mean the same number exactly if these are equal.
struct Decimal {
    std::string digits;
    std::int64_t exponent = 0;
    bool operator==(const Decimal&) const = default;
};

Decimal decimal(std::string_view text) {
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    Decimal result;
    const std::size_t e = text.find_first_of("eE");
    std::int64_t exponent = 0;
    if (e != std::string_view::npos) {
        std::string_view power = text.substr(e + 1);
        if (!power.empty() && power.front() == '+') power.remove_prefix(1);
        std::from_chars(power.data(), power.data() + power.size(), exponent);
        text = text.substr(0, e);
    }
    const std::size_t point = std::min(text.find('.'), text.size());
    result.exponent = exponent + static_cast<std::int64_t>(point) - 1;
    bool leading = true;
    for (const char c : text) {
        if (c == '.') continue;
        if (leading && c == '0') {
            --result.exponent;
            continue;
        }
        leading = false;
        result.digits.push_back(c);
    }
    while (!result.digits.empty() && result.digits.back() == '0') result.digits.pop_back();
    if (result.digits.empty()) result.exponent = 0;
    return result;
}

std::string shortest(double number) {
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), end};
}

template <class Number>
std::optional<Number> whole(std::string_view text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

// A double keeps 15 digits of any number and 17 of some: a text with more than its double can give back is refused.
std::optional<double> exact_double(std::string_view text) {
    const std::optional<double> number = whole<double>(text);
    if (!number || !std::isfinite(*number)) return number;
    if (decimal(text) != decimal(shortest(*number))) return std::nullopt;
    return number;
}

// 2^63 as a double is exact; the largest int64 is not.
std::optional<std::int64_t> exact_integer(double number) {
    constexpr double limit = 9'223'372'036'854'775'808.0;
    if (!(number >= -limit && number < limit) || std::trunc(number) != number) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

} // namespace

std::string format_timestamp(Timestamp instant) {
    instant = std::clamp(instant, earliest, latest);
    const sys_days date = std::chrono::floor<days>(instant);
    const std::chrono::year_month_day ymd{date};
    const std::chrono::hh_mm_ss<microseconds> time{instant - date};
    std::string text = "0000-00-00 00:00:00.000000";
    put_digits(&text[0], 4, int{ymd.year()});
    put_digits(&text[5], 2, unsigned{ymd.month()});
    put_digits(&text[8], 2, unsigned{ymd.day()});
    put_digits(&text[11], 2, time.hours().count());
    put_digits(&text[14], 2, time.minutes().count());
    put_digits(&text[17], 2, time.seconds().count());
    put_digits(&text[20], 6, time.subseconds().count());
    return text;
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    Reader reader{text};
    sys_days date;
    microseconds time{};
    minutes offset{};
    if (!read_date(reader, date)) return std::nullopt;
    if (!reader.take(' ') && !reader.take('T')) return std::nullopt;
    if (!read_time(reader, time) || !read_offset(reader, offset)) return std::nullopt;
    return Timestamp{date} + time - offset;
}

std::optional<Timestamp> as_timestamp(const Value& value) {
    if (const auto* instant = std::get_if<Timestamp>(&value)) return *instant;
    if (const auto* text = std::get_if<std::string>(&value)) return parse_timestamp(*text);
    return std::nullopt;
}

std::optional<std::int64_t> as_integer(const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    if (const auto* number = std::get_if<double>(&value)) return exact_integer(*number);
    if (const auto* text = std::get_if<std::string>(&value)) return whole<std::int64_t>(*text);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
    return std::nullopt;
}

std::optional<bool> as_bool(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || (*number != 0 && *number != 1)) return std::nullopt;
    return *number == 1;
}

std::optional<double> as_double(const Value& value) {
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* text = std::get_if<std::string>(&value)) return exact_double(*text);
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) return std::nullopt;
    const auto nearest = static_cast<double>(*number);
    if (exact_integer(nearest) != *number) return std::nullopt;
    return nearest;
}

std::optional<std::string> as_text(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* number = std::get_if<double>(&value)) return shortest(*number);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* instant = std::get_if<Timestamp>(&value)) return format_timestamp(*instant);
    const auto* bytes = std::get_if<Bytes>(&value);
    if (bytes == nullptr) return std::nullopt;
    std::string text(bytes->size(), '\0');
    if (!bytes->empty()) std::memcpy(text.data(), bytes->data(), bytes->size());
    return text;
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t at) {
            return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
        };
        const unsigned lead = byte(i);
        const std::size_t length = lead < 0x80   ? 1
                                   : lead < 0xc2 ? 0
                                   : lead < 0xe0 ? 2
                                   : lead < 0xf0 ? 3
                                   : lead < 0xf5 ? 4
                                                 : 0;
        if (length == 0) return false;
        for (std::size_t k = 1; k < length; ++k)
            if ((byte(i + k) & 0xc0U) != 0x80U) return false;
        const unsigned second = byte(i + 1);
        const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
        const bool beyond = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
        if (overlong || beyond) return false;
        i += length;
    }
    return true;
}

} // namespace rowq::detail::db
