// Reading columns into what handlers take; see <rowq/detail/columns.hpp>.
#include "db/values.hpp"

#include <rowq/detail/columns.hpp>

#include <utility>

namespace rowq::detail {

namespace {

template <class T>
T required(std::optional<T> read, const Value& value, const char* what) {
    if (read) return std::move(*read);
    if (std::holds_alternative<Null>(value))
        throw Undecodable(
            std::string("NULL where the row's member needs ") + what +
            ": make the member a std::optional");
    throw Undecodable(std::string("the column's content cannot be read as ") + what);
}

} // namespace

std::string_view payload_bytes(const Value& payload) {
    if (const auto* text = std::get_if<std::string>(&payload)) return *text;
    if (const auto* bytes = std::get_if<Bytes>(&payload))
        return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
    if (std::holds_alternative<Null>(payload)) throw Undecodable("the payload is NULL");
    throw Undecodable("the payload is neither text nor bytes");
}

std::int64_t read_integer(const Value& value) {
    return required(db::as_integer(value), value, "an integer");
}
double read_double(const Value& value) { return required(db::as_double(value), value, "a number"); }
bool read_bool(const Value& value) { return required(db::as_bool(value), value, "a bool"); }
std::string read_text(const Value& value) { return required(db::as_text(value), value, "text"); }
Timestamp read_timestamp(const Value& value) {
    return required(db::as_timestamp(value), value, "an instant");
}

Bytes read_bytes(const Value& value) {
    if (const auto* bytes = std::get_if<Bytes>(&value)) return *bytes;
    const std::string text = read_text(value);
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

} // namespace rowq::detail
