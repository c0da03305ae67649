// Databases that cannot be reached, and addresses that are none.
#include "support/matrix.hpp"
#include "support/required.hpp"

#include <cstdlib>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

std::optional<Error> error_at(const std::string& url, const BrokerOptions& options = {}) {
    return error_of([&] { const Broker broker(url, options); });
}

TEST(Addresses, that_are_none_are_refused_without_their_password) {
    for (const std::string url :
         {"", "nonsense", "postgresql", "://", "postgresql//u:hunter2@h/d"}) {
        const auto error = error_at(url);
        ASSERT_TRUE(error) << url;
        EXPECT_TRUE(error->code() == ErrorCode::connect || error->code() == ErrorCode::dialect)
            << error->what();
        EXPECT_EQ(std::string(error->what()).find("hunter2"), std::string::npos) << error->what();
    }
}

TEST(Addresses, of_databases_without_a_driver_say_so) {
    const auto error = error_at("mysql://u:hunter2@host/app");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::dialect);
    EXPECT_EQ(std::string(error->what()).find("hunter2"), std::string::npos) << error->what();
}

TEST(Addresses, come_with_options_that_can_work) {
    for (const auto& options :
         {BrokerOptions().pool_size(1), BrokerOptions().connect_timeout(0ms),
          BrokerOptions().statement_timeout(0ms), BrokerOptions().grace(-1ms)}) {
        const auto error = error_at("sqlite::memory:", options);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::declaration) << error->what();
    }
}

#if ROWQ_WITH_POSTGRES

std::optional<Error> start_at(const std::string& url) {
    Broker broker(url, BrokerOptions().connect_timeout(5s));
    broker.subscribe(describe(Form::row_lock), "q", [](const std::string&) {});
    return error_of([&] { broker.start(); });
}

TEST(Addresses, of_a_server_that_is_gone_end_in_connect) {
    const auto error = start_at("postgresql://rowq:hunter2@127.0.0.1:1/app");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::connect);
    EXPECT_NE(std::string(error->what()).find("127.0.0.1"), std::string::npos) << error->what();
    EXPECT_EQ(std::string(error->what()).find("hunter2"), std::string::npos) << error->what();
}

TEST(Addresses, with_a_wrong_password_end_in_connect_and_do_not_repeat_it) {
    const char* tcp = std::getenv("ROWQ_TEST_POSTGRES_TCP");
    ROWQ_SKIP_IF(missing_tcp());
    const std::string url = tcp;
    const auto at = url.find('@');
    const auto error = start_at("postgresql://rowq:hunter2" + url.substr(at));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::connect);
    EXPECT_EQ(std::string(error->what()).find("hunter2"), std::string::npos) << error->what();
}

#endif

#if ROWQ_WITH_SQLITE

TEST(Addresses, of_a_file_in_no_folder_end_in_connect) {
    Broker broker("sqlite:/nowhere/at/all/app.db");
    broker.subscribe(describe(Form::row_lock), "q", [](const std::string&) {});
    const auto error = error_of([&] { broker.start(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::connect) << error->what();
    EXPECT_NE(std::string(error->what()).find("/nowhere/at/all/app.db"), std::string::npos);
}

#endif

}} // namespace rowq::test
