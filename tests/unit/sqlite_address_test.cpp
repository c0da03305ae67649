// Addresses of SQLite databases.
#include "db/sqlite_address.hpp"
#include "support/sqlite_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using detail::db::parse_sqlite_address;
using detail::db::SqliteMode;

std::string in_folder(const std::string& name) {
    return (std::filesystem::current_path() / name).string();
}

TEST(SqliteAddress, names_a_file_in_four_ways) {
    EXPECT_EQ(parse_sqlite_address("sqlite:app.db").path, in_folder("app.db"));
    EXPECT_EQ(parse_sqlite_address("sqlite:/var/app.db").path, "/var/app.db");
    EXPECT_EQ(parse_sqlite_address("sqlite://sub/app.db").path, in_folder("sub/app.db"));
    EXPECT_EQ(parse_sqlite_address("sqlite:///var/app.db").path, "/var/app.db");
}

TEST(SqliteAddress, names_memory) {
    EXPECT_TRUE(parse_sqlite_address("sqlite::memory:").in_memory());
    EXPECT_TRUE(parse_sqlite_address("sqlite::memory:?synchronous=off").in_memory());
    EXPECT_FALSE(parse_sqlite_address("sqlite:./:memory:").in_memory());
}

TEST(SqliteAddress, decodes_percents_in_the_path_alone) {
    EXPECT_EQ(parse_sqlite_address("sqlite:/a%20b%3Fc%25.db").path, "/a b?c%.db");
    EXPECT_EQ(parse_sqlite_address("sqlite:/a%2fb").path, "/a/b");
    EXPECT_EQ(parse_sqlite_address("sqlite:/a#b+c").path, "/a#b+c");
}

TEST(SqliteAddress, takes_options) {
    const auto address =
        parse_sqlite_address("sqlite:/a?synchronous=normal&busy_timeout=1500&mode=ro");
    EXPECT_EQ(address.path, "/a");
    EXPECT_EQ(address.synchronous, 1);
    EXPECT_EQ(address.busy_timeout, 1500ms);
    EXPECT_EQ(address.mode, SqliteMode::read_only);
    const auto plain = parse_sqlite_address("sqlite:/a?");
    EXPECT_EQ(plain.synchronous, std::nullopt);
    EXPECT_EQ(plain.busy_timeout, std::nullopt);
    EXPECT_EQ(plain.mode, SqliteMode::create);
    EXPECT_EQ(parse_sqlite_address("sqlite:/a?synchronous=off").synchronous, 0);
    EXPECT_EQ(parse_sqlite_address("sqlite:/a?synchronous=full").synchronous, 2);
    EXPECT_EQ(parse_sqlite_address("sqlite:/a?synchronous=extra").synchronous, 3);
    EXPECT_EQ(parse_sqlite_address("sqlite:/a?mode=rw").mode, SqliteMode::read_write);
    EXPECT_EQ(parse_sqlite_address("sqlite:/a?mode=rwc").mode, SqliteMode::create);
}

struct Refused {
    const char* url;
    const char* because;
};

class SqliteAddressRefuses : public testing::TestWithParam<Refused> {};

TEST_P(SqliteAddressRefuses, what_cannot_be_one) {
    const auto error = error_of([&] { (void)parse_sqlite_address(GetParam().url); });
    ASSERT_TRUE(error) << GetParam().url;
    EXPECT_EQ(error->code(), ErrorCode::connect);
    EXPECT_NE(error->text().find(GetParam().because), std::string::npos) << error->text();
    EXPECT_NE(error->text().find(GetParam().url), std::string::npos) << error->text();
}

INSTANTIATE_TEST_SUITE_P(
    All, SqliteAddressRefuses,
    testing::Values(
        Refused{"postgres:a", "does not start with sqlite:"}, Refused{"sqlite:", "names no file"},
        Refused{"sqlite://", "names no file"}, Refused{"sqlite:?mode=ro", "names no file"},
        Refused{"sqlite:a%", "two hexadecimal digits"},
        Refused{"sqlite:a%4", "two hexadecimal digits"},
        Refused{"sqlite:a%g1", "two hexadecimal digits"}, Refused{"sqlite:a%00b", "zero byte"},
        Refused{"sqlite:a?cache=shared", "\"cache\"; known are synchronous, busy_timeout, mode"},
        Refused{"sqlite:a?=1", "unknown option \"\""},
        Refused{"sqlite:a?synchronous", "known are off, normal, full, extra"},
        Refused{"sqlite:a?synchronous=2", "known are off, normal, full, extra"},
        Refused{"sqlite:a?busy_timeout=-1", "takes milliseconds"},
        Refused{"sqlite:a?busy_timeout=5s", "takes milliseconds"},
        Refused{"sqlite:a?busy_timeout=99999999999", "takes milliseconds"},
        Refused{"sqlite:a?busy_timeout=", "takes milliseconds"},
        Refused{"sqlite:a?mode=memory", "known are ro"},
        Refused{"sqlite:a?mode=ro&mode=rw", "gives mode twice"},
        Refused{"sqlite::memory:?mode=ro", "in memory"}));

}} // namespace rowq::test
