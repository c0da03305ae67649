// Contents of columns and parameters as PostgreSQL sends and takes them.
#pragma once

#include <rowq/value.hpp>

#include <libpq-fe.h>

#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::db {

// True for the types whose binary form is read here. A statement that returns any other is asked for text: the server writes enums,
// arrays, intervals and extensions' types better than a client could.
[[nodiscard]] bool reads_binary(Oid type) noexcept;

// One content, not NULL, in binary or text form. Integers, booleans, floating-point numbers, bytes and times become values of their kind,
// all else text. Times before or beyond what Timestamp holds, and both infinities, become its ends. Throws `schema` for a content that
// its type cannot have.
[[nodiscard]] Value read_binary(Oid type, std::string_view content);
[[nodiscard]] Value read_text(Oid type, std::string_view content);

// Parameters of one execution, laid out for libpq. Points into the values it was made from: keep them until it is sent.
class PgParameters {
public:
    // `types` are what the server inferred. Throws `database` if the number differs, or for text with a zero byte where the server could
    // not take it.
    PgParameters(const std::vector<Value>& values, const std::vector<Oid>& types);

    [[nodiscard]] int count() const noexcept { return static_cast<int>(pointers_.size()); }
    [[nodiscard]] const char* const* values() const noexcept { return pointers_.data(); }
    [[nodiscard]] const int* lengths() const noexcept { return lengths_.data(); }
    [[nodiscard]] const int* formats() const noexcept { return formats_.data(); }

private:
    void add(const Value& value, Oid type);
    void add_null();
    void add_text(std::string text);
    void add_raw(std::string_view content);

    std::vector<std::string> texts_; // reserved at once: pointers into it stay
    std::vector<const char*> pointers_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
};

} // namespace rowq::detail::db
