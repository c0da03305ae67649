// What PostgreSQL's columns hold and our values say.
#include "support/postgres_driver.hpp"

#if ROWQ_WITH_POSTGRES

#include <cmath>
#include <limits>

namespace rowq::test { namespace {

using namespace detail::db;

class PostgresValues : public PostgresDriverTest {};

Timestamp at(std::int64_t microseconds) {
    return Timestamp(std::chrono::microseconds(microseconds));
}

struct Trip {
    std::string type;
    Value sent;
    Value received;
};

TEST_F(PostgresValues, values_come_back_as_they_went_in) {
    const std::int64_t beyond_double = (std::int64_t{1} << 53) + 1;
    const auto last = std::numeric_limits<std::int64_t>::max();
    const auto first = std::numeric_limits<std::int64_t>::min();
    const std::string quotes = R"(it's "quoted" \ and $1 \x00)";
    const std::string utf8 = "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n\t";
    const std::vector<Trip> trips{
        {"boolean", true, true},
        {"boolean", false, false},
        {"smallint", std::int64_t{-32768}, std::int64_t{-32768}},
        {"integer", std::int64_t{-2147483648LL}, std::int64_t{-2147483648LL}},
        {"bigint", beyond_double, beyond_double},
        {"bigint", last, last},
        {"bigint", first, first},
        {"oid", std::int64_t{4294967295LL}, std::int64_t{4294967295LL}},
        {"real", 0.5, 0.5},
        {"double precision", 0.1, 0.1},
        {"double precision", -1e300, -1e300},
        {"double precision", 5e-324, 5e-324},
        {"double precision", std::numeric_limits<double>::infinity(),
         std::numeric_limits<double>::infinity()},
        {"text", quotes, quotes},
        {"text", utf8, utf8},
        {"text", std::string(), std::string()},
        {"varchar(40)", quotes, quotes},
        {"char(3)", std::string("a"), std::string("a  ")},
        {"name", std::string("a"), std::string("a")},
        {"text", std::int64_t{7}, std::string("7")},
        {"json", std::string(R"({"a": [1,  2]})"), std::string(R"({"a": [1,  2]})")},
        {"jsonb", std::string(R"({"b":1, "a":"x"})"), std::string(R"({"a": "x", "b": 1})")},
        {"uuid", std::string("A0EEBC999C0B4EF8BB6D6BB9BD380A11"),
         std::string("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")},
        {"bytea", bytes(std::string_view("\0\xff\x00\\'\x80", 6)),
         bytes(std::string_view("\0\xff\x00\\'\x80", 6))},
        {"bytea", Bytes{}, Bytes{}},
        {"bytea", std::string(R"(\x41)"), bytes(R"(\x41)")}, // raw, not as PostgreSQL writes bytes
        {"bytea", std::string("a\0b", 3), bytes(std::string_view("a\0b", 3))},
        {"text", bytes("abc"), std::string("abc")},
        {"jsonb", bytes("[1]"), std::string("[1]")},
        {"timestamptz", at(1'796'051'045'123'456), at(1'796'051'045'123'456)},
        {"timestamptz", at(0), at(0)},
        {"timestamptz", at(-1), at(-1)},
        {"timestamptz", at(946'684'799'999'999), at(946'684'799'999'999)}, // 1 us before 2000
        {"timestamptz", at(-62'135'596'800'000'001), at(-62'135'596'800'000'001)}, // before our era
        {"timestamptz", at(253'402'300'800'000'000), at(253'402'300'800'000'000)}, // the year 10000
        {"timestamptz", Timestamp::max(), Timestamp::max()},
        {"timestamptz", Timestamp::min(), Timestamp::min()},
        {"timestamp", at(-86'400'000'001), at(-86'400'000'001)},
        {"timestamptz", std::string("2026-11-30 15:04:05.123456+00"), at(1'796'051'045'123'456)},
        {"date", at(1'796'051'045'123'456), at(1'795'996'800'000'000)},
        {"date", std::string("infinity"), Timestamp::max()},
        {"date", std::string("-infinity"), Timestamp::min()},
        {"date", std::string("1969-12-31"), at(-86'400'000'000)},
    };
    for (const auto& trip : trips) {
        const Result result = run("SELECT $1::" + trip.type, {trip.sent});
        EXPECT_EQ(result.columns, 1U);
        EXPECT_EQ(result.affected, 1);
        ASSERT_EQ(result.rows(), 1U);
        EXPECT_EQ(result.at(0, 0), trip.received) << trip.type;
        // The server's own columns see the same content.
        run("CREATE TABLE t(v " + trip.type + ")");
        EXPECT_EQ(run("INSERT INTO t VALUES($1)", {trip.sent}).affected, 1);
        EXPECT_EQ(run("SELECT v FROM t").at(0, 0), trip.received) << trip.type;
        run("DROP TABLE t");
    }
}

TEST_F(PostgresValues, null_is_null_in_every_type) {
    for (const auto* type :
         {"boolean", "bigint", "double precision", "text", "jsonb", "uuid", "bytea", "timestamptz",
          "date", "numeric", "integer[]"})
        EXPECT_EQ(run("SELECT $1::" + std::string(type), {Null{}}).at(0, 0), Value{Null{}}) << type;
}

TEST_F(PostgresValues, not_a_number_stays_one) {
    const Value value = run("SELECT $1::double precision", {std::nan("")}).at(0, 0);
    EXPECT_TRUE(std::isnan(std::get<double>(value)));
}

TEST_F(PostgresValues, decimal_numbers_are_text_digit_for_digit) {
    for (const std::string text :
         {"0", "0.00", "1", "-1", "10000", "9999.9999", "0.0001", "0.00001", "-0.5", "100000000",
          "123456789012345678901234567890.123456789", "10000.00010", "0.000000000000000001",
          "99990000", "NaN", "Infinity", "-Infinity"}) {
        EXPECT_EQ(run("SELECT $1::numeric", {text}).at(0, 0), Value{text});
        EXPECT_EQ(beside().one("SELECT '" + text + "'::numeric"), text);
    }
    EXPECT_EQ(run("SELECT 1e20::numeric").at(0, 0), Value{std::string("100000000000000000000")});
}

// Beside a type without a binary form of ours, every column comes as text and is read the same.
TEST_F(PostgresValues, other_types_are_text_as_the_server_writes_it) {
    beside().run(
        "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN cents AS bigint CHECK (VALUE >= 0);"
        "CREATE TYPE pair AS (a int, b text)");
    const Result result = run(
        "SELECT 'glad'::mood, 5::cents, ARRAY[1,2], interval '1 day', '10.0.0.1'::inet, ROW(1,'x')::pair, "
        "true, 7::smallint, 9007199254740993::bigint, 0.1::float8, '\\x00ff'::bytea, 'x'::text, NULL::int, "
        "'2026-11-30 15:04:05.123456+00'::timestamptz, '2026-11-30 15:04:05'::timestamp, "
        "'1969-12-31'::date, 'infinity'::timestamptz, '-infinity'::date, 1.50::numeric, "
        "'[1]'::jsonb, '12345-01-01'::timestamp, '0044-03-15 BC'::date, 'NaN'::float4");
    const std::vector<Value> expected{
        std::string("glad"),
        std::int64_t{5},
        std::string("{1,2}"),
        std::string("1 day"),
        std::string("10.0.0.1"),
        std::string("(1,x)"),
        true,
        std::int64_t{7},
        std::int64_t{9007199254740993},
        0.1,
        bytes(std::string_view("\0\xff", 2)),
        std::string("x"),
        Null{},
        at(1'796'051'045'123'456),
        at(1'796'051'045'000'000),
        at(-86'400'000'000),
        Timestamp::max(),
        Timestamp::min(),
        std::string("1.50"),
        std::string("[1]"),
        Timestamp::max(),
        Timestamp::min()};
    ASSERT_EQ(result.columns, expected.size() + 1);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(result.at(0, i), expected[i]) << i;
    EXPECT_TRUE(std::isnan(std::get<double>(result.at(0, expected.size()))));
    EXPECT_EQ(run("SELECT $1::mood", {std::string("sad")}).at(0, 0), Value{std::string("sad")});
    EXPECT_EQ(
        run("SELECT $1::int[]", {std::string("{3,4}")}).at(0, 0), Value{std::string("{3,4}")});
}

TEST_F(PostgresValues, text_with_a_zero_byte_is_refused_not_cut) {
    const std::string text("a\0b", 3);
    for (const auto* type : {"text", "varchar", "json", "jsonb", "integer", "uuid"}) {
        const auto error = thrown_by([&] { run("SELECT $1::" + std::string(type), {text}); });
        ASSERT_TRUE(error) << type;
        EXPECT_EQ(error->code(), ErrorCode::database);
        EXPECT_FALSE(error->connection_lost());
    }
    EXPECT_EQ(run("SELECT 1").at(0, 0), Value{std::int64_t{1}});
}

TEST_F(PostgresValues, what_the_user_set_in_the_database_does_not_change_readings) {
    beside().run(
        "ALTER DATABASE " + beside().one("SELECT current_database()") +
        " SET TimeZone = 'Asia/Kolkata'");
    beside().run(
        "ALTER DATABASE " + beside().one("SELECT current_database()") +
        " SET DateStyle = 'German'");
    beside().run(
        "ALTER DATABASE " + beside().one("SELECT current_database()") +
        " SET default_transaction_isolation = 'serializable'");
    const Value time = at(1'796'051'045'123'456);
    EXPECT_EQ(run("SELECT $1::timestamp", {time}).at(0, 0), time);
    EXPECT_EQ(run("SELECT $1::timestamptz, interval '1 day'", {time}).at(0, 0), time);
    EXPECT_EQ(run("SELECT $1::timestamptz::timestamp", {time}).at(0, 0), time);
    EXPECT_EQ(
        run("SELECT current_setting('transaction_isolation')").at(0, 0),
        Value{std::string("read committed")});
}

}} // namespace rowq::test

#endif
