// What a database knows of a table.
#pragma once

#include "table/description.hpp"

#include <rowq/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::sql {

struct CatalogColumn {
    std::string name;
    std::string type; // as the database writes it: "bigint", "timestamp with time zone", "TEXT"
    bool nullable = true;
    bool computed = false; // cannot be written
};

struct CatalogIndex {
    std::string name;
    std::vector<std::string>
        columns;           // leading plain columns, ascending; cut at the first that is not
    std::string predicate; // of a partial index, as the database writes it
};

struct Catalog {
    std::vector<CatalogColumn> columns;
    std::vector<CatalogIndex> indexes;
    [[nodiscard]] const CatalogColumn* find(std::string_view column) const noexcept;
};

// From the results of Dialect::catalog_columns (name, type, nullable, computed) and catalog_indexes (index, position, column or NULL,
// descending, predicate), row by row.
[[nodiscard]] Catalog read_catalog(
    const std::vector<Value>& columns, std::size_t column_width, const std::vector<Value>& indexes,
    std::size_t index_width);

// Whether an index yields due rows of a group in claim order without sorting.
[[nodiscard]] bool serves_claim_order(const Table& table, const Catalog& catalog);

} // namespace rowq::detail::sql
