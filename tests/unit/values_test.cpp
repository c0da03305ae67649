// Readings of values: exact, or none.
#include "db/call.hpp"
#include "db/values.hpp"

#include <gtest/gtest.h>

#if ROWQ_WITH_RAPIDCHECK
#include <rapidcheck.h>
#endif

#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using namespace detail::db;

constexpr Timestamp at(
    int year, unsigned month, unsigned day, std::chrono::microseconds time = 0us) {
    const std::chrono::year_month_day date{
        std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
    return Timestamp{std::chrono::sys_days{date}} + time;
}

Value text(const char* content) { return std::string{content}; }

constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr auto highest = std::numeric_limits<std::int64_t>::max();

TEST(Query, has_a_number_of_its_own_that_copies_share) {
    const Query one{"a"};
    const Query two{"a"};
    const Query copy = one; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_NE(one.number(), 0U);
    EXPECT_NE(one.number(), two.number());
    EXPECT_EQ(one.number(), copy.number());
    EXPECT_EQ(Query{}.number(), 0U);
    EXPECT_TRUE(Query{}.empty());
}

TEST(Timestamps, are_written_with_26_characters) {
    EXPECT_EQ(format_timestamp(Timestamp{}), "1970-01-01 00:00:00.000000");
    EXPECT_EQ(
        format_timestamp(at(2026, 11, 30, 15h + 4min + 5s + 123'456us)),
        "2026-11-30 15:04:05.123456");
    EXPECT_EQ(format_timestamp(Timestamp{-1us}), "1969-12-31 23:59:59.999999");
    EXPECT_EQ(format_timestamp(at(2024, 2, 29)), "2024-02-29 00:00:00.000000");
    EXPECT_EQ(format_timestamp(at(0, 1, 1)), "0000-01-01 00:00:00.000000");
}

TEST(Timestamps, outside_four_digits_of_a_year_are_written_as_the_nearest_inside) {
    EXPECT_EQ(format_timestamp(at(10'000, 1, 1)), "9999-12-31 23:59:59.999999");
    EXPECT_EQ(format_timestamp(Timestamp::max()), "9999-12-31 23:59:59.999999");
    EXPECT_EQ(format_timestamp(at(0, 1, 1) - 1us), "0000-01-01 00:00:00.000000");
    EXPECT_EQ(format_timestamp(Timestamp::min()), "0000-01-01 00:00:00.000000");
}

TEST(Timestamps, are_read_in_their_shorter_forms) {
    const Timestamp day = at(2026, 11, 30);
    EXPECT_EQ(parse_timestamp("2026-11-30 15:04:05"), day + 15h + 4min + 5s);
    EXPECT_EQ(parse_timestamp("2026-11-30T15:04:05"), day + 15h + 4min + 5s);
    EXPECT_EQ(parse_timestamp("2026-11-30 15:04:05.1"), day + 15h + 4min + 5s + 100ms);
    EXPECT_EQ(parse_timestamp("2026-11-30 15:04:05.000001"), day + 15h + 4min + 5s + 1us);
    EXPECT_EQ(parse_timestamp("2026-11-30 15:04:05Z"), day + 15h + 4min + 5s);
    EXPECT_EQ(parse_timestamp("2026-11-30 15:04:05.5+00"), day + 15h + 4min + 5s + 500ms);
    EXPECT_EQ(parse_timestamp("2026-11-30T15:04:05+02:00"), day + 13h + 4min + 5s);
    EXPECT_EQ(parse_timestamp("2026-11-30 15:04:05-05:30"), day + 20h + 34min + 5s);
    EXPECT_EQ(parse_timestamp("2026-11-30 23:59:59-01"), at(2026, 12, 1, 59min + 59s));
    EXPECT_EQ(parse_timestamp("0000-01-01 00:00:00"), at(0, 1, 1));
}

TEST(Timestamps, nothing_else_is_read) {
    for (const char* wrong :
         {"",
          "2026-11-30",
          "2026-11-30 15:04",
          "2026-11-30 15:04:05.",
          "2026-11-30 15:04:05.1234567",
          "2026-11-30 15:04:05,1",
          "2026-11-30t15:04:05",
          "2026-11-30  15:04:05",
          " 2026-11-30 15:04:05",
          "2026-11-30 15:04:05 ",
          "2026-11-30 15:04:05 Z",
          "2026-11-30 15:04:05z",
          "2026-11-30 15:04:05ZZ",
          "2026-11-30 15:04:05+2",
          "2026-11-30 15:04:05+0200",
          "2026-11-30 15:04:05+02:",
          "2026-11-30 15:04:05+02:0",
          "2026-11-30 15:04:05+02:00:00",
          "2026-11-30 15:04:05+24",
          "2026-11-30 15:04:05+02:60",
          "2026-11-30 24:00:00",
          "2026-11-30 15:60:05",
          "2026-11-30 15:04:60",
          "2026-13-01 00:00:00",
          "2026-00-01 00:00:00",
          "2026-11-31 00:00:00",
          "2026-11-00 00:00:00",
          "2025-02-29 00:00:00",
          "1900-02-29 00:00:00",
          "26-11-30 15:04:05",
          "12026-11-30 15:04:05",
          "-026-11-30 15:04:05",
          "+026-11-30 15:04:05",
          "2026-1-30 15:04:05",
          "infinity",
          "1796051045"})
        EXPECT_EQ(parse_timestamp(wrong), std::nullopt) << wrong;
    EXPECT_EQ(parse_timestamp(std::string("2026-11-30 15:04:05\0", 20)), std::nullopt);
}

TEST(Values, as_timestamp) {
    EXPECT_EQ(as_timestamp(Timestamp{5us}), Timestamp{5us});
    EXPECT_EQ(as_timestamp(text("1970-01-01 00:00:01")), Timestamp{1s});
    EXPECT_EQ(as_timestamp(Null{}), std::nullopt);
    EXPECT_EQ(as_timestamp(std::int64_t{5}), std::nullopt);
    EXPECT_EQ(as_timestamp(text("now")), std::nullopt);
}

TEST(Values, as_integer) {
    EXPECT_EQ(as_integer(std::int64_t{-5}), -5);
    EXPECT_EQ(as_integer(true), 1);
    EXPECT_EQ(as_integer(text("-9223372036854775808")), lowest);
    EXPECT_EQ(as_integer(text("9223372036854775807")), highest);
    EXPECT_EQ(as_integer(5.0), 5);
    EXPECT_EQ(as_integer(-9'223'372'036'854'775'808.0), lowest);
    for (const Value& wrong :
         {Value{Null{}}, Value{5.5}, Value{9'223'372'036'854'775'808.0}, Value{std::nan("")},
          Value{std::numeric_limits<double>::infinity()}, text("9223372036854775808"), text(""),
          text("+5"), text(" 5"), text("5 "), text("5.0"), text("0x5"), Value{Bytes{}},
          Value{Timestamp{}}})
        EXPECT_EQ(as_integer(wrong), std::nullopt);
}

TEST(Values, as_bool) {
    EXPECT_EQ(as_bool(true), true);
    EXPECT_EQ(as_bool(false), false);
    EXPECT_EQ(as_bool(std::int64_t{1}), true);
    EXPECT_EQ(as_bool(std::int64_t{0}), false);
    for (const Value& wrong :
         {Value{Null{}}, Value{std::int64_t{2}}, Value{std::int64_t{-1}}, Value{1.0}, text("1"),
          text("true"), Value{Bytes{}}})
        EXPECT_EQ(as_bool(wrong), std::nullopt);
}

TEST(Values, as_double) {
    EXPECT_EQ(as_double(0.1), 0.1);
    EXPECT_EQ(as_double(std::int64_t{1} << 53), 9'007'199'254'740'992.0);
    EXPECT_EQ(as_double(text("12.50")), 12.5);
    EXPECT_EQ(as_double(text("-0.1")), -0.1);
    EXPECT_EQ(as_double(text("0.30000000000000004")), 0.1 + 0.2);
    EXPECT_EQ(as_double(text("1e3")), 1000.0);
    EXPECT_EQ(as_double(text("0.000")), 0.0);
    EXPECT_EQ(as_double(text("100000000000000000000")), 1e20);
    EXPECT_EQ(as_double(lowest), -9'223'372'036'854'775'808.0);
    for (const Value& wrong :
         {Value{Null{}}, Value{(std::int64_t{1} << 53) + 1}, Value{highest}, text(""), text("x"),
          text("1.5 "), text("0.1000000000000000055"), text("12345678901234567890.5"),
          text("1e999"), text("9007199254740993"), Value{true}, Value{Bytes{}}})
        EXPECT_EQ(as_double(wrong), std::nullopt);
}

TEST(Values, as_text) {
    EXPECT_EQ(as_text(text("a")), "a");
    EXPECT_EQ(as_text(text("")), "");
    EXPECT_EQ(as_text(Bytes{std::byte{'a'}, std::byte{0}}), std::string("a\0", 2));
    EXPECT_EQ(as_text(Bytes{}), "");
    EXPECT_EQ(as_text(lowest), "-9223372036854775808");
    EXPECT_EQ(as_text(0.1), "0.1");
    EXPECT_EQ(as_text(-3.0), "-3");
    EXPECT_EQ(as_text(true), "true");
    EXPECT_EQ(as_text(Timestamp{}), "1970-01-01 00:00:00.000000");
    EXPECT_EQ(as_text(Null{}), std::nullopt);
}

TEST(Values, is_utf8) {
    for (const std::string_view good :
         {"", "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf",
          "\xf4\x8f\xbf\xbf"})
        EXPECT_TRUE(is_utf8(good)) << good;
    for (const std::string_view bad :
         {"\xff", "\x80", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xe2\x82", "\xed\xa0\x80",
          "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xff"})
        EXPECT_FALSE(is_utf8(bad)) << bad;
}

#if ROWQ_WITH_RAPIDCHECK

rc::Gen<Timestamp> written_exactly() {
    constexpr auto first = at(0, 1, 1).time_since_epoch().count();
    constexpr auto end = at(10'000, 1, 1).time_since_epoch().count();
    return rc::gen::map(rc::gen::inRange<std::int64_t>(first, end), [](std::int64_t micros) {
        return Timestamp{std::chrono::microseconds{micros}};
    });
}

double any_double() { return std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>()); }

void holds(const char* what, const std::function<void()>& property) {
    EXPECT_TRUE(rc::check(what, property));
}

TEST(ValueProperties, a_timestamp_is_read_as_it_was_written) {
    holds("round trip", [] {
        const Timestamp instant = *written_exactly();
        const std::string written = format_timestamp(instant);
        RC_ASSERT(written.size() == 26U);
        RC_ASSERT(parse_timestamp(written) == instant);
    });
}

TEST(ValueProperties, timestamps_sort_as_their_texts) {
    holds("order", [] {
        const Timestamp a = *written_exactly();
        const Timestamp b = *written_exactly();
        RC_ASSERT((a < b) == (format_timestamp(a) < format_timestamp(b)));
    });
}

TEST(ValueProperties, any_instant_is_written_with_26_characters_that_are_read_again) {
    holds("any", [] {
        const Timestamp instant{std::chrono::microseconds{*rc::gen::arbitrary<std::int64_t>()}};
        const std::string written = format_timestamp(instant);
        RC_ASSERT(written.size() == 26U);
        RC_ASSERT(parse_timestamp(written).has_value());
    });
}

TEST(ValueProperties, an_offset_is_taken_off) {
    holds("offset", [] {
        const Timestamp instant = *written_exactly();
        const int hour = *rc::gen::inRange(0, 24);
        const int minute = *rc::gen::inRange(0, 60);
        const std::string two_digits =
            std::to_string(100 + hour).substr(1) + ":" + std::to_string(100 + minute).substr(1);
        const auto offset = std::chrono::hours{hour} + std::chrono::minutes{minute};
        RC_ASSERT(
            parse_timestamp(format_timestamp(instant) + "+" + two_digits) == instant - offset);
        RC_ASSERT(
            parse_timestamp(format_timestamp(instant) + "-" + two_digits) == instant + offset);
    });
}

TEST(ValueProperties, no_text_is_read_as_a_time_by_accident) {
    holds("mutation", [] {
        std::string written = format_timestamp(*written_exactly());
        const auto place = *rc::gen::inRange<std::size_t>(0, written.size());
        const char changed = *rc::gen::suchThat(rc::gen::arbitrary<char>(), [](char c) {
            return (c < '0' || c > '9') && c != ' ' && c != 'T' && c != '-' && c != ':' &&
                   c != '.' && c != '+' && c != 'Z';
        });
        written[place] = changed;
        RC_ASSERT(!parse_timestamp(written).has_value());
    });
}

TEST(ValueProperties, an_integer_survives_text) {
    holds("integer", [] {
        const auto number = *rc::gen::arbitrary<std::int64_t>();
        RC_ASSERT(as_integer(*as_text(number)) == number);
        const auto as_floating = as_double(number);
        RC_ASSERT(!as_floating || as_integer(*as_floating) == number);
    });
}

TEST(ValueProperties, a_double_survives_text) {
    holds("double", [] {
        const double number = any_double();
        RC_PRE(std::isfinite(number));
        RC_ASSERT(as_double(*as_text(number)) == number);
        const auto whole = as_integer(number);
        RC_ASSERT(!whole || static_cast<double>(*whole) == number);
    });
}

TEST(ValueProperties, bytes_survive_text) {
    holds("bytes", [] {
        const auto content = *rc::gen::arbitrary<std::string>();
        Bytes bytes;
        for (const char c : content) bytes.push_back(static_cast<std::byte>(c));
        RC_ASSERT(as_text(bytes) == content);
    });
}

#endif

}} // namespace rowq::test
