// Addresses: which driver they ask for, what is wrong with them, and that no password is ever shown.
#include "db/database.hpp"
#include "db/url.hpp"

#include <rowq/error.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace rowq::test { namespace {

using namespace detail::db;

std::optional<Error> error_of_opening(std::string_view url) {
    try {
        static_cast<void>(open_database(url, {}));
        return std::nullopt;
    } catch (const Error& error) {
        return error;
    }
}

TEST(Url, scheme_decides_the_driver) {
    EXPECT_EQ(scheme_of("postgresql://h/d"), Scheme::postgres);
    EXPECT_EQ(scheme_of("postgres://h/d"), Scheme::postgres);
    EXPECT_EQ(scheme_of("mysql://h/d"), Scheme::mysql);
    EXPECT_EQ(scheme_of("mariadb://h/d"), Scheme::mysql);
    EXPECT_EQ(scheme_of("sqlite:app.db"), Scheme::sqlite);
    EXPECT_EQ(scheme_of("sqlite::memory:"), Scheme::sqlite);
    for (const auto* other :
         {"", "app.db", "postgres:/h", "http://h", "host=h dbname=d", "Sqlite:x"})
        EXPECT_EQ(scheme_of(other), Scheme::other) << other;
}

TEST(Url, is_shown_without_its_passwords) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"postgresql://h/d", "postgresql://h/d"},
        {"postgresql://", "postgresql://"},
        {"postgresql:///d?host=/run/x&port=5", "postgresql:///d?host=/run/x&port=5"},
        {"postgresql://u@h:1,[::1]:2/d", "postgresql://u@h:1,[::1]:2/d"},
        {"postgresql://u:secret@h/d", "postgresql://u:***@h/d"},
        {"postgresql://u:@h/d", "postgresql://u:***@h/d"},
        {"postgresql://u:s%40cret@h1,h2:3/d?user=b", "postgresql://u:***@h1,h2:3/d?user=b"},
        {"postgresql://h/d?password=secret&user=b", "postgresql://h/d?password=***&user=b"},
        {"postgresql://h/d?p%61ssword=secret", "postgresql://h/d?p%61ssword=***"},
        {"postgresql://h/d?pasword=secret", "postgresql://h/d?pasword=***"},
        {"postgresql://h/d?sslpassword=secret", "postgresql://h/d?sslpassword=***"},
        {"postgresql://h/d?user=x@y", "postgresql://h/d?user=x@y"},
        {"postgresql://u:a@b?secret@h/d", "postgresql://u:***@b?***"},
        {"mysql://u:secret@h/d", "mysql://u:***@h/d"},
        {"sqlite:a:b@c.db", "sqlite:a:b@c.db"},
        {"secret", "***"},
    };
    for (const auto& [url, shown] : cases) EXPECT_EQ(redact(url), shown) << url;
}

TEST(Url, with_reserved_characters_in_the_password_is_refused_and_hidden) {
    for (const std::string url :
         {"postgresql://u:sec@ret@h/d", "postgresql://u:sec/ret@h/d", "postgresql://u:sec?ret@h/d",
          "postgresql://u:1/sec@ret@h/d", "postgresql://u:sec/ret?x=y@h",
          "postgresql://u:4711?sec=ret@h/d", "postgresql://u:sec:ret"}) {
        EXPECT_NE(ambiguity_in(url), "") << url;
        EXPECT_EQ(redact(url).find("sec"), std::string::npos) << redact(url);
        EXPECT_EQ(redact(url).find("ret"), std::string::npos) << redact(url);
    }
    for (const auto* url :
         {"postgresql://u:p@h:1/d", "postgresql://[::1]:5/d", "postgresql://h1:1,h2/d?a=x@y"})
        EXPECT_EQ(ambiguity_in(url), "") << url;
}

TEST(Url, passwords_are_hidden_in_foreign_text_in_either_spelling) {
    const auto found = passwords_in("postgresql://u:a%2Fb@h/d?password=abc");
    EXPECT_EQ(scrub("x a%2Fb y a/b z abc", found), "x *** y *** z ***");
    EXPECT_TRUE(passwords_in("postgresql://u@h/d?a=b").empty());
}

TEST(OpenDatabase, refuses_what_is_no_address_without_repeating_it) {
    for (const std::string url :
         {"", "hunter2", "host=h password=hunter2", "postgres:/u:hunter2@h/d",
          "http://u:hunter2@h"}) {
        const auto error = error_of_opening(url);
        ASSERT_TRUE(error) << url;
        EXPECT_EQ(error->code(), ErrorCode::connect);
        const std::string text = error->what();
        EXPECT_NE(text.find("postgresql://"), std::string::npos) << text;
        EXPECT_NE(text.find("sqlite:"), std::string::npos) << text;
        EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
    }
}

TEST(OpenDatabase, says_what_it_has_no_driver_for) {
    for (const std::string url : {"mysql://u:hunter2@h/d", "mariadb://u:hunter2@h/d"}) {
        const auto error = error_of_opening(url);
        ASSERT_TRUE(error) << url;
        EXPECT_EQ(error->code(), ErrorCode::dialect);
        const std::string text = error->what();
        EXPECT_NE(text.find("MySQL"), std::string::npos) << text;
        EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
    }
#if !ROWQ_WITH_POSTGRES
    const auto error = error_of_opening("postgresql://u:hunter2@h/d");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::dialect);
    EXPECT_NE(std::string(error->what()).find("libpq-dev"), std::string::npos) << error->what();
#endif
}

#if ROWQ_WITH_POSTGRES

TEST(OpenDatabase, connects_to_nothing_and_shows_no_password) {
    const auto database = open_database("postgresql://u:hunter2@nowhere.invalid/d", {});
    EXPECT_EQ(database->kind(), Kind::postgres);
    EXPECT_EQ(database->name(), "postgresql://u:***@nowhere.invalid/d");
    EXPECT_NE(database->pool(), nullptr);
    EXPECT_EQ(database->holds(), nullptr);
}

TEST(OpenDatabase, refuses_options_that_libpq_does_not_know) {
    const auto plain = error_of_opening("postgresql://h/d?nonsense=1");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->code(), ErrorCode::connect);
    EXPECT_NE(std::string(plain->what()).find("nonsense"), std::string::npos) << plain->what();

    for (const std::string url :
         {"postgresql://u:hunter2@h/d?nonsense=1", "postgresql://u:x@h?hunter2",
          "postgresql://h/d?password=hunter2&nonsense=1", "postgresql://u:hunter2%@h/d",
          "postgresql://u:hunter2@[::1/d", "postgresql://u:hunter2@h@h/d",
          "postgresql://u:hun?ter2@h/d"}) {
        const auto error = error_of_opening(url);
        ASSERT_TRUE(error) << url;
        EXPECT_EQ(error->code(), ErrorCode::connect);
        for (const auto* part : {"hunter2", "hun?", "ter2"})
            EXPECT_EQ(std::string(error->what()).find(part), std::string::npos) << error->what();
    }
}

#endif

}} // namespace rowq::test
