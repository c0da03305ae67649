// How a payload column's content becomes what a handler takes, and back.
#pragma once

#include <rowq/value.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace rowq {

/// Turns a payload into a T and back. decode() throws any std::exception for a payload it cannot read; the row then follows the
/// subscription's decode policy. Called from several threads at once.
template <class C, class T>
concept Codec = requires(const C& codec, std::string_view bytes, const T& value) {
    { codec.decode(bytes) } -> std::convertible_to<T>;
    { codec.encode(value) } -> std::convertible_to<std::string>;
};

/// The codec of a type when none is given: std::string (the text as it is), Bytes, and with <rowq/json.hpp> every type that nlohmann-json
/// converts. Specialise it for types of your own.
template <class T>
struct DefaultCodec {
    static_assert(
        sizeof(T) == 0,
        "no codec for this type: include <rowq/json.hpp>, specialise rowq::DefaultCodec, or pass a codec");
};

template <>
struct DefaultCodec<std::string> {
    [[nodiscard]] std::string decode(std::string_view bytes) const { return std::string(bytes); }
    [[nodiscard]] std::string encode(const std::string& text) const { return text; }
};

template <>
struct DefaultCodec<Bytes> {
    [[nodiscard]] Bytes decode(std::string_view bytes) const {
        const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
        return {first, first + bytes.size()};
    }
    [[nodiscard]] std::string encode(const Bytes& bytes) const {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
};

} // namespace rowq
