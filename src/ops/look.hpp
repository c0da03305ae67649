// What people want to know of a queue, read in one statement each.
#pragma once

#include "db/database.hpp"
#include "sql/dialect.hpp"
#include "table/description.hpp"

#include <rowq/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::ops {

struct GroupStats {
    std::string group; // empty: the table is one queue
    std::int64_t due = 0;
    std::int64_t delayed = 0;
    std::optional<std::int64_t> working; // empty: the form leaves no trace in the rows
    std::int64_t done = 0;
    std::optional<Timestamp> oldest_due;
};

struct ListedRow {
    std::optional<Id> id; // empty: not one that can be read
    std::string group;
    std::string state; // due, delayed, working, done
    std::optional<std::int64_t> attempt;
    std::optional<Timestamp> due;
    std::optional<std::string> payload;
};

[[nodiscard]] std::unique_ptr<sql::Dialect> dialect_of(db::Kind kind);

// Counts a table's rows, as often as wanted; database and table outlive it.
class StatsReader {
public:
    StatsReader(db::Database& database, const Table& table);
    [[nodiscard]] std::vector<GroupStats> read(Timestamp now);

private:
    db::Database& database_;
    const Table& table_;
    sql::Statement statement_;
    db::Query query_;
};

// The first `limit` rows in claim order. state: one of ListedRow's, or empty for all.
[[nodiscard]] std::vector<ListedRow> list(
    db::Database& database, const Table& table, std::string_view state, std::int64_t limit,
    Timestamp now);

// Names of the table's columns; empty: there is no such table.
[[nodiscard]] std::vector<std::string> columns(db::Database& database, const Table& table);

// Creates the recommended table; safe to repeat, and to run twice at once.
void init(db::Database& database, const sql::InitOptions& options);

} // namespace rowq::detail::ops
