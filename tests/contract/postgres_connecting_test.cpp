// From an address to a PostgreSQL session, or to the reason why there is none.
#include "support/postgres_driver.hpp"
#include "support/required.hpp"

#if ROWQ_WITH_POSTGRES

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using namespace detail::db;

class PostgresConnecting : public PostgresDriverTest {
protected:
    // The error of connecting to created's database under other options.
    std::optional<Error> connecting(const std::string& url, Options options = {}) {
        return thrown_by([&] {
            const auto other = open_database(url, options);
            static_cast<void>(other->server());
        });
    }

    // created's url, with these options in front of its own.
    std::string with(const std::string& hosts, const std::string& ports) {
        const auto& url = created->url();
        return url.substr(0, url.find('?')) + "?host=" + hosts + "," + option_of(url, "host") +
               "&port=" + ports + "," + option_of(url, "port");
    }

    // Something to connect to that says nothing.
    Relay silent{"", ""};
};

TEST_F(PostgresConnecting, refused_is_connect_and_may_be_tried_again) {
    const auto error = connecting("postgresql://u:hunter2@127.0.0.1:1/d");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::connect);
    EXPECT_TRUE(error->retryable());
    const std::string text = error->what();
    EXPECT_NE(text.find("127.0.0.1"), std::string::npos) << text;
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST_F(PostgresConnecting, has_an_end_where_nobody_answers) {
    const auto error = connecting(
        "postgresql://u:hunter2@" + silent.host_and_port() + "/d?sslmode=disable",
        {.connect_timeout = 200ms});
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::connect);
    EXPECT_TRUE(error->retryable());
    EXPECT_NE(std::string(error->what()).find("no answer"), std::string::npos) << error->what();
    EXPECT_EQ(std::string(error->what()).find("hunter2"), std::string::npos) << error->what();
}

TEST_F(PostgresConnecting, an_unknown_database_or_user_is_told_apart) {
    const auto& url = created->url();
    const auto question = url.find('?');
    const auto no_database =
        connecting(url.substr(0, question) + "_nothing" + url.substr(question));
    ASSERT_TRUE(no_database);
    EXPECT_EQ(no_database->code(), ErrorCode::connect);
    EXPECT_EQ(no_database->sqlstate(), "3D000");
    EXPECT_FALSE(no_database->retryable());
    const auto no_user = connecting(url + "&user=nobody_of_this_name");
    ASSERT_TRUE(no_user);
    EXPECT_EQ(no_user->code(), ErrorCode::connect);
    EXPECT_EQ(no_user->sqlstate(), "28000");
    EXPECT_FALSE(no_user->retryable());
}

TEST_F(PostgresConnecting, a_full_server_may_be_tried_again) {
    const std::string role = "rowq_limited_" + std::to_string(getpid());
    beside().run("CREATE ROLE " + role + " LOGIN CONNECTION LIMIT 0");
    const auto error = connecting(created->url() + "&user=" + role);
    beside().run("DROP ROLE " + role);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->sqlstate(), "53300");
    EXPECT_EQ(error->code(), ErrorCode::connect);
    EXPECT_TRUE(error->retryable());
}

TEST_F(PostgresConnecting, a_wrong_password_is_not_repeated) {
    const char* tcp = std::getenv("ROWQ_TEST_POSTGRES_TCP");
    ROWQ_SKIP_IF(missing_tcp());
    const std::string right = tcp;
    EXPECT_FALSE(connecting(right));
    const auto at = right.find('@');
    const auto options = right.find('?') == std::string::npos ? "?" : "&";
    for (const std::string& wrong :
         {"postgresql://rowq:hunter2" + right.substr(at),
          "postgresql://rowq:hunter%32" + right.substr(at),
          "postgresql://rowq" + right.substr(at) + options + "password=hunter2"}) {
        const auto error = connecting(wrong);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::connect);
        EXPECT_EQ(error->sqlstate(), "28P01") << error->what();
        EXPECT_FALSE(error->retryable());
        for (const auto* part : {"hunter2", "hunter%32"}) {
            EXPECT_EQ(std::string(error->what()).find(part), std::string::npos) << error->what();
            EXPECT_EQ(error->server_text().find(part), std::string::npos);
        }
    }
}

TEST_F(PostgresConnecting, goes_on_to_the_next_host) {
    EXPECT_FALSE(connecting(with("127.0.0.1", "1"))); // refuses
    EXPECT_FALSE(
        connecting(with("127.0.0.1", silent.port()), {.connect_timeout = 2s})); // says nothing
    EXPECT_FALSE(connecting(with("/nowhere", "1")));
    const auto error = connecting("postgresql://127.0.0.1:1,127.0.0.1:2/d");
    ASSERT_TRUE(error);
    const std::string text = error->what();
    EXPECT_NE(text.find("port 1 "), std::string::npos) << text;
    EXPECT_NE(text.find("port 2 "), std::string::npos) << text;
}

TEST_F(PostgresConnecting, looks_for_the_kind_of_server_that_is_asked_for) {
    const auto attributes = [&](const std::string& wanted) {
        return connecting(with("127.0.0.1", "1") + "&target_session_attrs=" + wanted);
    };
    for (const auto* wanted : {"any", "read-write", "primary", "prefer-standby"})
        EXPECT_FALSE(attributes(wanted)) << wanted;
    for (const auto* wanted : {"read-only", "standby"}) {
        const auto error = attributes(wanted);
        ASSERT_TRUE(error) << wanted;
        EXPECT_EQ(error->code(), ErrorCode::connect) << error->what();
    }
}

TEST_F(PostgresConnecting, keeps_what_the_user_set) {
    database =
        open_database(created->url() + "&application_name=mine&options=-c%20work_mem%3D5MB", {});
    EXPECT_EQ(run("SHOW application_name").at(0, 0), Value{std::string("mine")});
    EXPECT_EQ(run("SHOW work_mem").at(0, 0), Value{std::string("5MB")});
}

TEST_F(PostgresConnecting, a_pool_of_a_dead_server_recovers) {
    auto between = relay();
    const auto through = open_through(*between);
    const std::array calls{call("SELECT 1")};
    EXPECT_EQ(through->read(calls).size(), 1U);
    between->hold_answers();
    between->cut();
    between->hold_answers(false);
    // The pool finds the dead session by itself.
    EXPECT_EQ(through->read(calls).size(), 1U);
}

}} // namespace rowq::test

#endif
