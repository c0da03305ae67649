// What a table description holds: fixed-size and free of pointers, so that one builder serves constants and run time alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rowq::detail {

/// The behaviour a column switches on. `data` is a row-mode column without a behaviour.
enum class Role : std::uint8_t {
    id,
    group,
    priority,
    retry_after,
    attempt,
    locked_until,
    processed_at,
    headers,
    payload,
    data,
};

/// Text held in place.
template <std::size_t Capacity>
struct FixedText {
    std::array<char, Capacity> bytes{};
    std::size_t size = 0;

    [[nodiscard]] constexpr std::string_view view() const noexcept { return {bytes.data(), size}; }
    [[nodiscard]] constexpr bool fits(std::string_view text) const noexcept {
        return text.size() <= Capacity;
    }
    constexpr void assign(std::string_view text) noexcept {
        for (size = 0; size < text.size(); ++size) bytes[size] = text[size];
    }
};

struct Column {
    FixedText<128>
        name; // every database's own limit is lower and is checked when a subscription opens
    Role role = Role::data;
    bool generated = false;
};

struct Description {
    static constexpr std::size_t max_columns = 48;

    FixedText<257> table;    // one name, or schema.table
    FixedText<512> lock_key; // empty: no lock key
    std::array<Column, max_columns> columns{};
    std::size_t count = 0;
};

} // namespace rowq::detail
