// The codec for every type that nlohmann-json converts. The one public header that includes it.
#pragma once

#include <rowq/codec.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace rowq {

namespace detail {
template <class T>
concept JsonConvertible = std::is_same_v<T, nlohmann::json> ||
    requires(const nlohmann::json& json, const T& value) {
    nlohmann::json(value);
    json.get<T>();
};
} // namespace detail

/// JSON text. decode() throws nlohmann::json::exception for text that is not JSON or not a T.
template <detail::JsonConvertible T>
struct DefaultCodec<T> {
    [[nodiscard]] T decode(std::string_view text) const {
        return nlohmann::json::parse(text).template get<T>();
    }
    [[nodiscard]] std::string encode(const T& value) const { return nlohmann::json(value).dump(); }
};

} // namespace rowq
