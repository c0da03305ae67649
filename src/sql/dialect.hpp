// Turns a table description into the statements of one database. Pure: no connection, no state.
#pragma once

#include "sql/statement.hpp"
#include "table/description.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::sql {

// A column as the database's catalog tells it.
struct CatalogColumn {
    std::string name;
    std::string type; // as the database writes it: "bigint", "timestamp with time zone", "TEXT"
    bool nullable = true;
    bool computed = false; // cannot be written (GENERATED ALWAYS AS .. STORED)
};

struct CatalogIndex {
    std::string name;
    std::vector<std::string>
        columns; // leading plain columns, ascending; cut at the first expression or descending one
    bool partial = false;
    std::string predicate; // of a partial index, as the database writes it
};

struct Catalog {
    std::vector<CatalogColumn> columns;
    std::vector<CatalogIndex> indexes;
    [[nodiscard]] const CatalogColumn* find(std::string_view column) const noexcept;
};

// Where a row goes that is given up: a group of its table where the table has groups, else another table.
struct DeadLetter {
    std::string destination; // empty: none declared
};

// What a publisher gives beside the payload; others are left to the database.
struct InsertShape {
    bool priority = false;
    bool due_at = false;
    bool headers = false;
};

// Recommended table, for people who start from nothing.
struct InitOptions {
    std::string table = "rowq_jobs";
    Form form = Form::lease;
    std::string lock_key; // advisory only
};

class Dialect {
public:
    virtual ~Dialect() = default;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0; // "PostgreSQL"

    // Names as the server takes them: quoted, case kept. Throws `declaration` for a name longer than the server's limit.
    [[nodiscard]] virtual std::string quote(std::string_view name) const = 0;

    [[nodiscard]] virtual Statements statements(
        const Table& table, const Catalog& catalog, const DeadLetter& dead_letter) const = 0;

    // One row; returns its id.
    [[nodiscard]] virtual Statement insert(const Table& table, const InsertShape& shape) const = 0;

    // The catalog: outputs are fixed by each text's comment in its .cpp and read by read_catalog().
    [[nodiscard]] virtual Statement catalog_columns(const Table& table) const = 0;
    [[nodiscard]] virtual Statement catalog_indexes(const Table& table) const = 0;
    // One row, one column: the server's clock as an instant.
    [[nodiscard]] virtual Statement server_clock() const = 0;

    // Problems of the described columns' types, each one line that names column, type and what is needed; empty: none.
    [[nodiscard]] virtual std::vector<std::string> type_problems(
        const Table& table, const Catalog& catalog) const = 0;

    // Whether an index serves the claim order, and the DDL of one that does.
    [[nodiscard]] bool serves_claim_order(const Table& table, const Catalog& catalog) const;
    [[nodiscard]] virtual std::string claim_index_ddl(const Table& table) const = 0;

    // DDL statements of the recommended table, each safe to repeat.
    [[nodiscard]] virtual std::vector<std::string> init_ddl(const InitOptions& options) const = 0;

    // For people who look: one row a group: group, due, delayed, in work, done, dead?, oldest due instant. Parameter: now.
    [[nodiscard]] virtual Statement stats(const Table& table) const = 0;
    // Rows with state ('due','delayed','working','done'), attempt and due instant, in claim order. Parameters: now, limit.
    [[nodiscard]] virtual Statement list(const Table& table, std::string_view state) const = 0;
};

[[nodiscard]] std::unique_ptr<Dialect> postgres_dialect();
[[nodiscard]] std::unique_ptr<Dialect> sqlite_dialect();

} // namespace rowq::detail::sql
