// Table descriptions: what the builder refuses, and what the rooms read from it.
#include "table/description.hpp"

#include <rowq/table.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace rowq::test { namespace {

// "nothing" if it is not refused.
std::string refusal(const std::function<void()>& build) {
    try {
        build();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::declaration);
        return error.what();
    }
    return "nothing";
}

struct Transfer {
    std::int64_t id = 0;
    std::int64_t cents = 0;
    std::string note;
};

auto jobs() { return rowq::table("jobs").id("id"); }

TEST(TableNames, are_one_part_or_schema_and_table) {
    const auto named = [](std::string_view name) {
        return refusal([&] { static_cast<void>(rowq::table(name)); });
    };
    for (const char* good : {"jobs", "app.jobs", "Two Words", "J\"obs", "äöü"})
        EXPECT_EQ(named(good), "nothing") << good;
    EXPECT_EQ(named(""), "a table needs a name");
    EXPECT_EQ(
        named("a.b.c"), "a table's name has at most two parts: schema.table (table \"a.b.c\")");
    for (const char* bad : {".jobs", "app.", "."})
        EXPECT_EQ(
            named(bad), std::string("a part of the table's name is empty (table \"") + bad + "\")");
    EXPECT_EQ(named("a..b"), "a table's name has at most two parts: schema.table (table \"a..b\")");
    EXPECT_EQ(named(std::string(257, 'n')), "nothing");
    EXPECT_EQ(
        named(std::string(258, 'n')),
        "the table's name is too long for any database (table \"" + std::string(64, 'n') + "\")");
    EXPECT_EQ(named({"jo\0bs", 5}), "a name cannot hold a zero byte (table \"jo\")");
}

TEST(ColumnNames, are_refused_where_no_database_takes_them) {
    const auto named = [](std::string_view name) {
        return refusal([&] { static_cast<void>(rowq::table("jobs").id(name)); });
    };
    EXPECT_EQ(named(""), "a column needs a name (table \"jobs\")");
    EXPECT_EQ(named(std::string(128, 'c')), "nothing");
    EXPECT_EQ(
        named(std::string(129, 'c')),
        "column \"" + std::string(64, 'c') +
            "\": the column's name is too long for any database (table \"jobs\")");
    EXPECT_EQ(named({"i\0d", 3}), "a name cannot hold a zero byte (table \"jobs\")");
    EXPECT_EQ(named("a.b"), "nothing") << "columns have no parts";
}

TEST(Columns, play_one_role_each_and_each_role_once) {
    EXPECT_EQ(
        refusal([] { static_cast<void>(jobs().group("id")); }),
        "column \"id\": the column is named twice (table \"jobs\")");
    const std::string twice = "column \"b\": the role is given twice (table \"jobs\")";
    EXPECT_EQ(refusal([] { static_cast<void>(jobs().group("a").group("b")); }), twice);
    EXPECT_EQ(refusal([] { static_cast<void>(jobs().priority("a").priority("b")); }), twice);
    EXPECT_EQ(refusal([] { static_cast<void>(jobs().retry_after("a").retry_after("b")); }), twice);
    EXPECT_EQ(refusal([] { static_cast<void>(jobs().attempt("a").attempt("b")); }), twice);
    EXPECT_EQ(
        refusal([] { static_cast<void>(jobs().locked_until("a").locked_until("b")); }), twice);
    EXPECT_EQ(
        refusal([] { static_cast<void>(jobs().processed_at("a").processed_at("b")); }), twice);
    EXPECT_EQ(refusal([] { static_cast<void>(jobs().headers("a").headers("b")); }), twice);
    EXPECT_EQ(refusal([] { static_cast<void>(jobs().payload("a").payload("b")); }), twice);
    EXPECT_EQ(
        refusal([] {
            static_cast<void>(rowq::table<Transfer>("jobs")
                                  .id("id", &Transfer::id)
                                  .column("cents", &Transfer::cents)
                                  .column("cents", &Transfer::note));
        }),
        "column \"cents\": the column is named twice (table \"jobs\")");
}

TEST(Columns, may_be_as_many_as_a_description_holds) {
    EXPECT_EQ(
        refusal([] {
            detail::Description description;
            detail::set_table(description, "jobs");
            for (int i = 0; i < 49; ++i)
                detail::add_column(description, detail::Role::data, std::to_string(i), false);
        }),
        "column \"48\": a description holds at most 48 columns (table \"jobs\")");
}

TEST(Forms, exclude_each_other) {
    const std::string one = "a table has one form, either locked_until or lock_key";
    EXPECT_EQ(
        refusal([] { static_cast<void>(jobs().locked_until("lease").lock_key("k")); }),
        one + " (table \"jobs\")");
    EXPECT_EQ(
        refusal([] { static_cast<void>(jobs().lock_key("k").locked_until("lease")); }),
        "column \"lease\": " + one + " (table \"jobs\")");
}

TEST(LockKeys, are_text_with_columns_in_braces) {
    const auto keyed = [](std::string_view key) {
        return refusal([&] { static_cast<void>(jobs().lock_key(key)); });
    };
    for (const char* good : {"k", "accounts-{account}", "{a}{b}", "{a} und {b}!"})
        EXPECT_EQ(keyed(good), "nothing") << good;
    EXPECT_EQ(keyed(""), "a lock key needs a text (table \"jobs\")");
    EXPECT_EQ(keyed(std::string(512, 'k')), "nothing");
    EXPECT_EQ(
        keyed(std::string(513, 'k')), "a lock key's text holds at most 512 bytes (table \"jobs\")");
    EXPECT_EQ(keyed({"a\0b", 3}), "a lock key cannot hold a zero byte (table \"jobs\")");
    EXPECT_EQ(keyed("{a{b}}"), "the lock key opens a brace inside braces (table \"jobs\")");
    for (const char* bad : {"a}", "}", "{a}}"})
        EXPECT_EQ(keyed(bad), "the lock key closes a brace that is not open (table \"jobs\")");
    for (const char* bad : {"{}", "x{}y"})
        EXPECT_EQ(keyed(bad), "the lock key has braces without a column (table \"jobs\")");
    for (const char* bad : {"{", "a{b", "{a}{"})
        EXPECT_EQ(keyed(bad), "the lock key leaves a brace open (table \"jobs\")");
    EXPECT_EQ(
        refusal([] { static_cast<void>(jobs().lock_key("a").lock_key("b")); }),
        "the lock key is given twice (table \"jobs\")");
}

TEST(Descriptions, are_the_same_as_constants_and_at_run_time) {
    static constexpr auto constant = rowq::table("app.jobs")
                                         .id("id", generated)
                                         .group("queue")
                                         .locked_until("lease")
                                         .payload("payload");
    const std::string names[] = {"app.jobs", "id", "queue", "lease", "payload"};
    const auto built = rowq::table(names[0])
                           .id(names[1], generated)
                           .group(names[2])
                           .locked_until(names[3])
                           .payload(names[4]);
    const detail::Table a(constant.description()), b(built.description());
    ASSERT_EQ(a.columns().size(), b.columns().size());
    for (std::size_t i = 0; i < a.columns().size(); ++i) {
        EXPECT_EQ(a.columns()[i].name, b.columns()[i].name);
        EXPECT_EQ(a.columns()[i].role, b.columns()[i].role);
        EXPECT_EQ(a.columns()[i].generated, b.columns()[i].generated);
    }
    EXPECT_EQ(a.name(), "app.jobs");
    EXPECT_EQ(a.schema(), "app");
    EXPECT_EQ(a.relation(), "jobs");
}

TEST(Descriptions, tell_each_role_its_column) {
    using detail::Role;
    const detail::Table table(jobs()
                                  .group("queue", generated)
                                  .priority("weight")
                                  .retry_after("due", generated)
                                  .attempt("tries", generated)
                                  .processed_at("done")
                                  .headers("meta")
                                  .payload("body")
                                  .description());
    EXPECT_EQ(table.schema(), "");
    EXPECT_EQ(table.relation(), "jobs");
    EXPECT_EQ(table.column(Role::id), "id");
    EXPECT_EQ(table.column(Role::group), "queue");
    EXPECT_EQ(table.column(Role::priority), "weight");
    EXPECT_EQ(table.column(Role::retry_after), "due");
    EXPECT_EQ(table.column(Role::attempt), "tries");
    EXPECT_EQ(table.column(Role::processed_at), "done");
    EXPECT_EQ(table.column(Role::headers), "meta");
    EXPECT_EQ(table.column(Role::payload), "body");
    EXPECT_FALSE(table.has(Role::locked_until));
    EXPECT_FALSE(table.find(Role::id)->generated);
    EXPECT_TRUE(table.find(Role::group)->generated);
    EXPECT_FALSE(table.find(Role::priority)->generated);
    EXPECT_EQ(
        refusal([&] { static_cast<void>(table.column(Role::locked_until)); }),
        "no column plays the role locked_until (table \"jobs\")");
}

TEST(Descriptions, select_the_form_by_what_they_hold) {
    using detail::Form;
    EXPECT_EQ(detail::Table(jobs().description()).form(), Form::row_lock);
    EXPECT_EQ(detail::Table(jobs().locked_until("l").description()).form(), Form::lease);
    EXPECT_EQ(detail::Table(jobs().lock_key("k").description()).form(), Form::advisory);
    EXPECT_EQ(to_string(Form::row_lock), "row lock");
    EXPECT_EQ(to_string(Form::lease), "lease");
    EXPECT_EQ(to_string(Form::advisory), "advisory lock");
}

TEST(Descriptions, name_roles_as_the_builder_does) {
    using detail::Role;
    const std::vector<std::string_view> names{
        "id",           "group",        "priority", "retry_after", "attempt",
        "locked_until", "processed_at", "headers",  "payload",     "data"};
    for (std::size_t i = 0; i < names.size(); ++i)
        EXPECT_EQ(to_string(static_cast<Role>(i)), names[i]);
    EXPECT_EQ(names.size(), static_cast<std::size_t>(Role::data) + 1);
}

TEST(Descriptions, cut_lock_keys_into_texts_and_columns) {
    const auto parts = [](std::string_view key) {
        const detail::Table table(jobs().lock_key(key).description());
        std::string text;
        for (const auto& part : table.lock_key())
            text += (part.is_column ? "<" : "[") + part.text + (part.is_column ? ">" : "]");
        return text;
    };
    EXPECT_EQ(parts("plain"), "[plain]");
    EXPECT_EQ(parts("accounts-{account}"), "[accounts-]<account>");
    EXPECT_EQ(parts("{a}{b c}"), "<a><b c>");
    EXPECT_EQ(parts("{a}-{b}!"), "<a>[-]<b>[!]");
}

TEST(Descriptions, give_a_rows_columns_in_their_order) {
    const auto table = rowq::table<Transfer>("transfers")
                           .id("id", &Transfer::id, generated)
                           .column("note", &Transfer::note)
                           .attempt("attempt")
                           .column("cents", &Transfer::cents);
    EXPECT_EQ(
        detail::Table(table.description()).row_columns(),
        (std::vector<std::string>{"id", "note", "cents"}));
}

}} // namespace rowq::test
