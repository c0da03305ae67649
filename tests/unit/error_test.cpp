// rowq::Error: one line that says what failed, where, and what the server says.
#include <rowq/error.hpp>

#include <gtest/gtest.h>

#include <map>

namespace rowq::test { namespace {

Error::Details everything() {
    Error::Details details;
    details.table = "jobs";
    details.subscription = "mail";
    details.row = Id{std::int64_t{17}};
    details.sqlstate = "40001";
    details.server_text = "could not serialize access";
    return details;
}

TEST(ErrorText, says_what_where_and_what_the_server_says) {
    const Error error(ErrorCode::database, "ack failed", everything());
    EXPECT_STREQ(
        error.what(), "ack failed (table \"jobs\", subscription \"mail\", row 17; the server says: "
                      "could not serialize access [40001])");
    EXPECT_EQ(error.text(), "ack failed");
}

TEST(ErrorText, leaves_out_what_is_not_known) {
    EXPECT_STREQ(Error(ErrorCode::closed, "the broker is closed").what(), "the broker is closed");
    Error::Details details;
    details.table = "jobs";
    EXPECT_STREQ(Error(ErrorCode::schema, "x", details).what(), "x (table \"jobs\")");
    details = {};
    details.subscription = "mail";
    details.row = Id{std::string("a-1")};
    EXPECT_STREQ(
        Error(ErrorCode::database, "x", details).what(), "x (subscription \"mail\", row a-1)");
    details = {};
    details.sqlstate = "5";
    EXPECT_STREQ(Error(ErrorCode::database, "x", details).what(), "x (the server says: [5])");
    details = {};
    details.server_text = "no";
    EXPECT_STREQ(Error(ErrorCode::database, "x", details).what(), "x (the server says: no)");
}

TEST(ErrorText, names_a_table_that_is_its_own_subscription_once) {
    Error::Details details;
    details.table = details.subscription = "jobs";
    EXPECT_STREQ(Error(ErrorCode::database, "x", details).what(), "x (table \"jobs\")");
}

TEST(ErrorText, is_one_line_whatever_the_server_and_the_names_hold) {
    Error::Details details;
    details.table = "jo\nbs";
    details.server_text = std::string("a\nb\tc\0d\x1b[31m\x7f", 13);
    const Error error(ErrorCode::database, "x\r\ny", details);
    for (const char c : std::string_view(error.what()))
        EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    EXPECT_STREQ(error.what(), "x  y (table \"jo bs\"; the server says: a b c d [31m )");
    EXPECT_EQ(error.server_text(), details.server_text) << "asked for, it is what the server said";
}

TEST(ErrorText, cuts_the_servers_words_between_characters) {
    const auto shown = [](const std::string& server_text) {
        Error::Details details;
        details.server_text = server_text;
        const std::string line = Error(ErrorCode::database, "x", details).what();
        const std::string before = "x (the server says: ";
        return line.substr(before.size(), line.size() - before.size() - 1);
    };
    const std::string full(500, 'a');
    EXPECT_EQ(shown(full), full);
    EXPECT_EQ(shown(full + "b"), full + "...");
    EXPECT_EQ(shown(std::string(10'000'000, 'a')), full + "...");
    // 498 bytes, then characters of three and four bytes across the limit.
    const std::string most(498, 'a');
    EXPECT_EQ(
        shown(
            most + "\xe2\x82\xac"
                   "end"),
        most + "...");
    EXPECT_EQ(
        shown(
            most + "\xf0\x9f\x98\x80"
                   "end"),
        most + "...");
    const std::string less(497, 'a');
    EXPECT_EQ(
        shown(
            less + "\xe2\x82\xac"
                   "end"),
        less + "\xe2\x82\xac"
               "...");
    EXPECT_EQ(shown(std::string(600, '\x80')), "...") << "not UTF-8: nothing to keep whole";
}

TEST(ErrorAt, adds_places_and_keeps_those_that_are_known) {
    const Error bare(ErrorCode::lease_lost, "refused");
    const Error placed = bare.at("jobs", "mail", Id{std::int64_t{3}});
    EXPECT_STREQ(placed.what(), "refused (table \"jobs\", subscription \"mail\", row 3)");
    EXPECT_EQ(placed.code(), ErrorCode::lease_lost);
    EXPECT_EQ(placed.table(), "jobs");
    EXPECT_EQ(placed.subscription(), "mail");
    EXPECT_EQ(placed.row(), Id{std::int64_t{3}});
    const Error again = placed.at("other", "other", Id{std::int64_t{4}});
    EXPECT_STREQ(again.what(), placed.what());
    EXPECT_STREQ(bare.what(), "refused") << "the first stays as it is";
}

TEST(ErrorAt, keeps_what_the_server_said_and_what_can_be_asked) {
    Error::Details details = everything();
    details.table.clear();
    details.retryable = true;
    details.connection_lost = true;
    details.outcome_unknown = true;
    const Error error = Error(ErrorCode::database, "x", details).at("jobs", "");
    EXPECT_TRUE(error.retryable());
    EXPECT_TRUE(error.connection_lost());
    EXPECT_TRUE(error.outcome_unknown());
    EXPECT_EQ(error.sqlstate(), "40001");
    EXPECT_EQ(error.server_text(), "could not serialize access");
    EXPECT_EQ(error.subscription(), "mail");
    EXPECT_EQ(error.table(), "jobs");
}

TEST(ErrorCodes, have_the_names_of_their_enumerators) {
    const std::map<ErrorCode, std::string_view> names{
        {ErrorCode::connect, "connect"},
        {ErrorCode::schema, "schema"},
        {ErrorCode::declaration, "declaration"},
        {ErrorCode::dialect, "dialect"},
        {ErrorCode::server_too_old, "server_too_old"},
        {ErrorCode::already_subscribed, "already_subscribed"},
        {ErrorCode::database, "database"},
        {ErrorCode::lease_lost, "lease_lost"},
        {ErrorCode::lock_lost, "lock_lost"},
        {ErrorCode::batch_rolled_back, "batch_rolled_back"},
        {ErrorCode::transaction_held, "transaction_held"},
        {ErrorCode::listen, "listen"},
        {ErrorCode::publish, "publish"},
        {ErrorCode::header, "header"},
        {ErrorCode::no_route, "no_route"},
        {ErrorCode::closed, "closed"}};
    for (const auto& [code, name] : names) EXPECT_EQ(to_string(code), name);
    EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::closed) + 1);
}

TEST(Ids, are_written_as_people_write_them) {
    EXPECT_EQ(to_string(Id{std::int64_t{9007199254740993}}), "9007199254740993");
    EXPECT_EQ(to_string(Id{std::int64_t{-1}}), "-1");
    EXPECT_EQ(to_string(Id{std::string("0c2f\"x")}), "0c2f\"x");
}

}} // namespace rowq::test
