// The text of every statement, for each form and the roles that shape it, as the repository keeps it.
#include "support/described_tables.hpp"
#include "support/golden_file.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <ostream>

namespace rowq::test { namespace {

struct File {
    Server server;
    std::string_view form;
};

std::string name_of_file(const File& file) {
    return std::string(file.server == Server::postgres ? "postgres" : "sqlite") + "_" +
           std::string(file.form);
}
std::ostream& operator<<(std::ostream& out, const File& file) { return out << name_of_file(file); }

class Golden : public testing::TestWithParam<File> {
protected:
    [[nodiscard]] Server server() const { return GetParam().server; }
    [[nodiscard]] std::string_view mark() const { return server() == Server::postgres ? "$" : "?"; }
    // Described tables whose names begin with the file's form.
    [[nodiscard]] std::vector<DescribedTable> tables() const {
        auto all = described_tables();
        std::erase_if(all, [&](const DescribedTable& each) {
            return !each.name.starts_with(GetParam().form);
        });
        return all;
    }
    [[nodiscard]] std::string text_of(const DescribedTable& described) const {
        const auto dialect = dialect_of(server());
        std::string text = "---- " + described.name + "\n\n";
        for (const auto& [event, statement] : named_statements(dialect->statements(
                 described.table, catalog_of(server(), described), described.dead_letter)))
            text += golden_text(event, statement, mark());
        for (const auto& [event, statement] : other_statements(*dialect, described.table))
            text += golden_text(event, statement, mark());
        text += golden_text(
            "the claim index", {dialect->claim_index_ddl(described.table), {}, {}}, mark());
        return text;
    }
};

INSTANTIATE_TEST_SUITE_P(
    Files, Golden,
    testing::Values(
        File{Server::postgres, "row_lock"}, File{Server::postgres, "lease"},
        File{Server::postgres, "advisory"}, File{Server::sqlite, "row_lock"},
        File{Server::sqlite, "lease"}, File{Server::sqlite, "advisory"}),
    [](const auto& each) { return name_of_file(each.param); });

TEST_P(Golden, statements) {
    std::string text;
    for (const auto& described : tables()) text += text_of(described);
    expect_golden(name_of_file(GetParam()) + ".sql", text);
}

TEST_P(Golden, leave_no_placeholder_without_a_meaning) {
    const auto dialect = dialect_of(server());
    for (const auto& described : tables()) {
        auto all = named_statements(dialect->statements(
            described.table, catalog_of(server(), described), described.dead_letter));
        for (auto& other : other_statements(*dialect, described.table))
            all.push_back(std::move(other));
        for (const auto& [event, statement] : all) {
            std::size_t used = 0;
            for (std::size_t n = 1; n <= statement.parameters.size() + 1; ++n) {
                const std::string placeholder = dialect->placeholder(n);
                const auto at = statement.text.find(placeholder);
                if (at == std::string::npos) continue;
                const auto after = at + placeholder.size();
                if (after < statement.text.size() && std::isdigit(statement.text[after]) != 0)
                    continue;
                ++used;
            }
            EXPECT_EQ(used, statement.parameters.size()) << described.name << ": " << event;
        }
    }
}

class GoldenTables : public testing::TestWithParam<Server> {};
INSTANTIATE_TEST_SUITE_P(
    Servers, GoldenTables, testing::Values(Server::postgres, Server::sqlite),
    [](const auto& each) { return each.param == Server::postgres ? "postgres" : "sqlite"; });

// The recommended tables, and what is asked of the catalog.
TEST_P(GoldenTables, ddl_and_catalog) {
    using detail::Form;
    const Server server = GetParam();
    const auto dialect = dialect_of(server);
    std::string text;
    for (const detail::sql::InitOptions& options :
         {detail::sql::InitOptions{.form = Form::lease},
          detail::sql::InitOptions{.table = "app.jobs", .form = Form::row_lock},
          detail::sql::InitOptions{.form = Form::advisory, .lock_key = "orders-{queue}"}}) {
        for (const auto& ddl : dialect->init_ddl(options))
            text += golden_text("init, " + std::string(to_string(options.form)), {ddl, {}, {}}, "");
    }
    for (const char* name : {"jobs", "main.It's \"mine\""}) {
        const detail::Table table(rowq::table(name).id("id").description());
        text +=
            golden_text("the columns of " + std::string(name), dialect->catalog_columns(table), "");
        text +=
            golden_text("the indexes of " + std::string(name), dialect->catalog_indexes(table), "");
    }
    text += golden_text("the server's clock", dialect->server_clock(), "");
    for (const auto form : {Form::row_lock, Form::advisory}) {
        const auto limits = dialect->time_limits(form);
        if (!limits.empty())
            text += golden_text("time limits, " + std::string(to_string(form)), limits, "");
    }
    expect_golden(
        std::string(server == Server::postgres ? "postgres" : "sqlite") + "_tables.sql", text);
}

}} // namespace rowq::test
