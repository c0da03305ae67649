// Addresses of PostgreSQL: what rowq adds to libpq's options, and the attempts they make.
#if ROWQ_WITH_POSTGRES

#include "db/postgres_address.hpp"

#include <gtest/gtest.h>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using namespace detail::db;

std::string option(
    const PostgresAddress& address, const std::string& key, std::size_t attempt = 0) {
    const auto& options = address.attempts().at(attempt);
    const auto found = options.find(key);
    return found == options.end() ? "-" : found->second;
}

TEST(PostgresAddress, adds_what_finds_dead_hosts_where_the_user_did_not) {
    const PostgresAddress plain("postgresql://u:p@h/d", 30s);
    EXPECT_EQ(option(plain, "keepalives_idle"), "15");
    EXPECT_EQ(option(plain, "keepalives_interval"), "5");
    EXPECT_EQ(option(plain, "keepalives_count"), "3");
    EXPECT_EQ(option(plain, "tcp_user_timeout"), "30000");
    EXPECT_EQ(option(plain, "fallback_application_name"), "rowq");
    EXPECT_EQ(option(plain, "client_encoding"), "UTF8");
    EXPECT_EQ(option(plain, "password"), "p");
    EXPECT_FALSE(plain.connect_timeout());

    const PostgresAddress own(
        "postgresql://h/d?keepalives_idle=60&tcp_user_timeout=5&client_encoding=latin1&connect_timeout=3",
        30s);
    EXPECT_EQ(option(own, "keepalives_idle"), "60");
    EXPECT_EQ(option(own, "tcp_user_timeout"), "5");
    EXPECT_EQ(option(own, "client_encoding"), "UTF8");
    EXPECT_EQ(own.connect_timeout(), 3s);
}

TEST(PostgresAddress, makes_an_attempt_a_host) {
    const PostgresAddress address("postgresql://h1:1,h2:2/d?hostaddr=127.0.0.1,127.0.0.2", 30s);
    ASSERT_EQ(address.attempts().size(), 2U);
    EXPECT_EQ(option(address, "host", 1), "h2");
    EXPECT_EQ(option(address, "hostaddr", 1), "127.0.0.2");
    EXPECT_EQ(option(address, "port", 1), "2");
    const PostgresAddress one_port("postgresql:///d?host=a,b&port=7", 30s);
    ASSERT_EQ(one_port.attempts().size(), 2U);
    EXPECT_EQ(option(one_port, "port", 1), "7");
    EXPECT_EQ(PostgresAddress("postgresql://", 30s).attempts().size(), 1U);
    EXPECT_EQ(PostgresAddress("postgresql:///d?host=a,b&port=1,2,3", 30s).attempts().size(), 1U);
}

TEST(PostgresAddress, asks_every_host_for_a_standby_before_it_takes_another) {
    const PostgresAddress address("postgresql://a,b/d?target_session_attrs=prefer-standby", 30s);
    ASSERT_EQ(address.attempts().size(), 4U);
    EXPECT_EQ(option(address, "target_session_attrs", 1), "standby");
    EXPECT_EQ(option(address, "host", 1), "b");
    EXPECT_EQ(option(address, "target_session_attrs", 2), "any");
    EXPECT_EQ(option(address, "host", 2), "a");
}

}} // namespace rowq::test

#endif
