// From the signature of a handler to one callable that decodes, calls and answers.
#pragma once

#include <rowq/codec.hpp>
#include <rowq/delivery.hpp>
#include <rowq/detail/columns.hpp>
#include <rowq/table.hpp>

#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace rowq::detail {

// Empty: the handler owns the delivery and settles it. Throws Undecodable, and whatever the handler throws.
using Handler = std::function<std::optional<Outcome>(Delivery&)>;

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... A>
struct Signature<R (*)(A...)> {
    using result = R;
    using arguments = std::tuple<A...>;
};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const noexcept> : Signature<R (*)(A...)> {};
template <class R, class... A>
struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};

template <class F>
concept KnownSignature = std::is_pointer_v<F> || requires {
    &F::operator();
};

template <class T>
inline constexpr bool is_delivery = std::is_same_v<std::remove_cvref_t<T>, Delivery>;

template <class T, class C>
[[nodiscard]] T decode_payload(const C& codec, const Content& content) {
    try {
        return codec.decode(payload_bytes(content.payload));
    } catch (const std::exception& error) {
        throw Undecodable(error.what());
    }
}

template <class Argument, class F, class Taken>
[[nodiscard]] std::optional<Outcome> call(F& handler, Delivery& delivery, const Taken& value) {
    using Result = typename Signature<F>::result;
    constexpr bool by_value = is_delivery<Argument> && !std::is_reference_v<Argument>;
    const auto invoke = [&]() -> Result {
        if constexpr (by_value)
            return handler(value, std::move(delivery));
        else if constexpr (is_delivery<Argument>)
            return handler(value, delivery);
        else
            return handler(value);
    };
    if constexpr (std::is_void_v<Result>) {
        invoke();
        if constexpr (by_value)
            return std::nullopt;
        else
            return ack();
    } else {
        static_assert(
            !by_value, "a handler that takes a Delivery by value settles it and returns void");
        static_assert(std::is_same_v<Result, Outcome>, "a handler returns rowq::Outcome or void");
        return invoke();
    }
}

// `codec` is a null pointer where none was given.
template <class Codec_, class TableType, class F>
[[nodiscard]] Handler make_handler(const TableType& table, F handler, Codec_ codec) {
    static_assert(
        KnownSignature<F>,
        "a handler's parameter types must be written out: (const T&), (const T&, const Delivery&) or (const T&, Delivery)");
    using Arguments = typename Signature<F>::arguments;
    constexpr std::size_t count = std::tuple_size_v<Arguments>;
    static_assert(
        count == 1 || count == 2,
        "a handler takes (const T&), (const T&, const Delivery&) or (const T&, Delivery)");
    using Taken = std::remove_cvref_t<std::tuple_element_t<0, Arguments>>;
    using Second = std::tuple_element_t<count - 1, Arguments>;
    static_assert(
        count == 1 || (is_delivery<Second> && !std::is_rvalue_reference_v<Second>),
        "a handler's second parameter is const rowq::Delivery& or rowq::Delivery");
    static_assert(!is_delivery<Taken>, "a handler's first parameter is what the row decodes to");
    if constexpr (TableType::row_mode) {
        static_assert(
            std::is_same_v<Taken, typename TableType::row_type>,
            "in row mode a handler takes the table's row type");
        return
            [members = table.members(), handler = std::move(handler)](Delivery& delivery) mutable {
                const Taken row = read_row<Taken>(members, delivery.state().content.row);
                return call<Second>(handler, delivery, row);
            };
    } else {
        return [codec = std::move(codec),
                handler = std::move(handler)](Delivery& delivery) mutable {
            const Taken value = [&] {
                if constexpr (std::is_null_pointer_v<Codec_>)
                    return decode_payload<Taken>(DefaultCodec<Taken>{}, delivery.state().content);
                else
                    return decode_payload<Taken>(codec, delivery.state().content);
            }();
            return call<Second>(handler, delivery, value);
        };
    }
}

} // namespace rowq::detail
