// A statement on its way to a database, and what comes back.
#pragma once

#include <rowq/value.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::db {

// A statement's text under a number unique in the process: connections know by the number what they have prepared. Made once for
// each statement of a subscription and alive as long as calls with it are made. Copies share the number.
class Query {
public:
    Query() = default;
    explicit Query(std::string text);

    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
    [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

private:
    std::string text_;
    std::uint32_t number_ = 0;
};

// One execution. Parameters stand in the order of the text's placeholders. A text parameter may be sent for a column of any type:
// the server parses it (JSON, UUID, arrays written as the database writes them, times); the driver sends it raw where the server
// expects bytes.
struct Call {
    const Query* query = nullptr;
    std::vector<Value> parameters;
};

// What one call gave: rows in row-major order, and how many rows it changed or returned.
struct Result {
    std::size_t columns = 0;
    std::int64_t affected = 0;
    std::vector<Value> values;

    [[nodiscard]] std::size_t rows() const noexcept {
        return columns == 0 ? 0 : values.size() / columns;
    }
    [[nodiscard]] Value& at(std::size_t row, std::size_t column) {
        return values.at(row * columns + column);
    }
    [[nodiscard]] const Value& at(std::size_t row, std::size_t column) const {
        return values.at(row * columns + column);
    }
    [[nodiscard]] std::span<const Value> row(std::size_t row) const {
        return std::span(values).subspan(row * columns, columns);
    }
};

} // namespace rowq::detail::db
