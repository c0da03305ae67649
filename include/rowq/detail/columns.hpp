// Between a column's content and a member of a Row.
#pragma once

#include <rowq/delivery.hpp>
#include <rowq/value.hpp>

#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace rowq::detail {

// The payload's bytes, whatever the column's type; throws Undecodable for NULL and for numbers.
[[nodiscard]] std::string_view payload_bytes(const Value& payload);

// Each throws Undecodable for NULL and for content that the type cannot hold without loss.
[[nodiscard]] std::int64_t read_integer(const Value& value);
[[nodiscard]] double read_double(const Value& value);
[[nodiscard]] bool read_bool(const Value& value);
[[nodiscard]] std::string read_text(const Value& value);
[[nodiscard]] Bytes read_bytes(const Value& value);
[[nodiscard]] Timestamp read_timestamp(const Value& value);

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
[[nodiscard]] T read_column(const Value& value) {
    if constexpr (IsOptional<T>::value) {
        if (std::holds_alternative<Null>(value)) return std::nullopt;
        return read_column<typename T::value_type>(value);
    } else if constexpr (std::is_same_v<T, bool>) {
        return read_bool(value);
    } else if constexpr (std::integral<T>) {
        const std::int64_t wide = read_integer(value);
        if (!std::in_range<T>(wide)) throw Undecodable("a number does not fit the row's member");
        return static_cast<T>(wide);
    } else if constexpr (std::floating_point<T>) {
        return static_cast<T>(read_double(value));
    } else if constexpr (std::is_same_v<T, Bytes>) {
        return read_bytes(value);
    } else if constexpr (std::is_same_v<T, Timestamp>) {
        return read_timestamp(value);
    } else {
        static_assert(
            std::is_same_v<T, std::string>,
            "a row's member is bool, an integer, a floating point number, std::string, rowq::Bytes, rowq::Timestamp, or std::optional of these");
        return read_text(value);
    }
}

template <class T>
[[nodiscard]] Value write_column(const T& member) {
    if constexpr (IsOptional<T>::value) {
        return member ? write_column(*member) : Value{Null{}};
    } else if constexpr (std::is_same_v<T, bool>) {
        return member;
    } else if constexpr (std::integral<T>) {
        if (!std::in_range<std::int64_t>(member))
            throw std::out_of_range("a member's number is too large for a column");
        return static_cast<std::int64_t>(member);
    } else if constexpr (std::floating_point<T>) {
        return static_cast<double>(member);
    } else {
        return Value{member};
    }
}

template <class Row, class... Members>
[[nodiscard]] Row read_row(
    const std::tuple<Members...>& members, const std::vector<Value>& values) {
    Row row{};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((row.*std::get<I>(members) =
              read_column<std::remove_cvref_t<decltype(row.*std::get<I>(members))>>(values.at(I))),
         ...);
    }
    (std::index_sequence_for<Members...>{});
    return row;
}

template <class Row, class... Members>
[[nodiscard]] std::vector<Value> write_row(const std::tuple<Members...>& members, const Row& row) {
    return std::apply(
        [&](auto... member) { return std::vector<Value>{write_column(row.*member)...}; }, members);
}

} // namespace rowq::detail
