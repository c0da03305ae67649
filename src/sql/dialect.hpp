// Turns a table description into the statements of one database. Pure: no connection, no state.
#pragma once

#include "sql/catalog.hpp"
#include "sql/statement.hpp"
#include "table/description.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::sql {

// What a publisher gives beside the payload; the rest is left to the database where the column is generated.
struct InsertShape {
    bool priority = false;
    bool due_at = false;
    bool headers = false;
};

// The recommended table, for people who start from nothing.
struct InitOptions {
    std::string table = "rowq_jobs";
    Form form = Form::lease;
    std::string lock_key = {}; // advisory lock form only
};

class Dialect {
public:
    virtual ~Dialect() = default;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0; // "PostgreSQL"

    // A name as the server takes it: quoted, case kept. Throws `declaration` for one longer than the server's limit.
    [[nodiscard]] virtual std::string quote(std::string_view name) const = 0;
    // The same for "table" and "schema.table"; three parts are refused.
    [[nodiscard]] std::string quote_table(std::string_view name) const;

    // dead_letter: a group where the table has groups, else a table; empty: none declared.
    [[nodiscard]] virtual Statements statements(
        const Table& table, const Catalog& catalog, std::string_view dead_letter) const = 0;

    // One row; returns its id. Parameters in the order of the text: roles, then in row mode `id` and `data` for each column that is not
    // generated, in the order of the description.
    [[nodiscard]] Statement insert(const Table& table, const InsertShape& shape) const;

    // Rows for read_catalog().
    [[nodiscard]] virtual Statement catalog_columns(const Table& table) const = 0;
    [[nodiscard]] virtual Statement catalog_indexes(const Table& table) const = 0;

    // One row, one column: the server's clock.
    [[nodiscard]] virtual Statement server_clock() const = 0;

    // Rows of name and value: settings under which the server ends sessions that hold a row or key for long. Empty where there are none.
    [[nodiscard]] virtual Statement time_limits(Form form) const = 0;

    // Problems of the described columns' types, one line each, naming column, type and what is needed.
    [[nodiscard]] virtual std::vector<std::string> type_problems(
        const Table& table, const Catalog& catalog) const = 0;

    // The DDL of an index that serves the claim order.
    [[nodiscard]] virtual std::string claim_index_ddl(const Table& table) const = 0;

    // DDL of the recommended table and its claim index, in order, each safe to repeat. Two runs at once may still collide on
    // PostgreSQL (unique_violation): run it again then.
    [[nodiscard]] virtual std::vector<std::string> init_ddl(const InitOptions& options) const = 0;

    // One row a group ("" where the table is one queue): group, due, delayed, in work (NULL where the rows do not tell), done, instant of
    // the oldest due row (NULL without retry_after).
    [[nodiscard]] Statement stats(const Table& table) const;

    // Rows in claim order: id, group, state ('due', 'delayed', 'working', 'done'), attempt, instant due, payload; NULL where the role does not
    // play. state: one of these, or empty for all; throws `declaration` for another word.
    [[nodiscard]] Statement list(const Table& table, std::string_view state) const;

    // "$3" or "?3": the placeholder of the n-th parameter, counted from 1.
    [[nodiscard]] virtual std::string placeholder(std::size_t number) const = 0;
};

// The description of the recommended table.
[[nodiscard]] Description init_description(const InitOptions& options);

[[nodiscard]] std::unique_ptr<Dialect> postgres_dialect();
[[nodiscard]] std::unique_ptr<Dialect> sqlite_dialect();

} // namespace rowq::detail::sql
