// Describes a table that the user owns: which column plays which role.
#pragma once

#include <rowq/detail/description.hpp>
#include <rowq/error.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace rowq {

/// Marks a column that the database fills: inserts leave it out unless PushOptions give a value for it.
struct Generated {
    explicit Generated() = default;
};
inline constexpr Generated generated{};

namespace detail {

// Not constexpr on purpose: a rule broken in a constant stops the compiler at the line that holds the rule's text.
[[noreturn]] inline void refuse(std::string_view table, std::string_view column, const char* rule) {
    std::string text;
    if (!column.empty()) text.append("column \"").append(column).append("\": ");
    throw Error(ErrorCode::declaration, text + rule).at(table, "");
}

constexpr void set_table(Description& d, std::string_view name) {
    if (name.empty()) refuse(name, "", "a table needs a name");
    if (!d.table.fits(name))
        refuse(name.substr(0, 64), "", "the table's name is too long for any database");
    std::size_t dots = 0;
    bool empty_part = name.front() == '.' || name.back() == '.';
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '\0') refuse(name.substr(0, i), "", "a name cannot hold a zero byte");
        if (name[i] != '.') continue;
        ++dots;
        if (i > 0 && name[i - 1] == '.') empty_part = true;
    }
    if (dots > 1) refuse(name, "", "a table's name has at most two parts: schema.table");
    if (empty_part) refuse(name, "", "a part of the table's name is empty");
    d.table.assign(name);
}

constexpr void add_column(Description& d, Role role, std::string_view name, bool by_database) {
    const std::string_view table = d.table.view();
    if (name.empty()) refuse(table, "", "a column needs a name");
    if (!Column{}.name.fits(name))
        refuse(table, name.substr(0, 64), "the column's name is too long for any database");
    for (const char c : name) {
        if (c == '\0') refuse(table, "", "a name cannot hold a zero byte");
    }
    for (std::size_t i = 0; i < d.count; ++i) {
        if (d.columns[i].name.view() == name) refuse(table, name, "the column is named twice");
        if (role != Role::data && d.columns[i].role == role)
            refuse(table, name, "the role is given twice");
    }
    if (role == Role::locked_until && d.lock_key.size > 0)
        refuse(table, name, "a table has one form, either locked_until or lock_key");
    if (d.count == Description::max_columns)
        refuse(table, name, "a description holds at most 48 columns");
    Column& column = d.columns[d.count++];
    column.name.assign(name);
    column.role = role;
    column.generated = by_database;
}

constexpr void set_lock_key(Description& d, std::string_view text) {
    const std::string_view table = d.table.view();
    if (text.empty()) refuse(table, "", "a lock key needs a text");
    if (d.lock_key.size > 0) refuse(table, "", "the lock key is given twice");
    if (!d.lock_key.fits(text)) refuse(table, "", "a lock key's text holds at most 512 bytes");
    for (std::size_t i = 0; i < d.count; ++i) {
        if (d.columns[i].role == Role::locked_until)
            refuse(table, "", "a table has one form, either locked_until or lock_key");
    }
    bool open = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\0') refuse(table, "", "a lock key cannot hold a zero byte");
        if (text[i] == '{' && open) refuse(table, "", "the lock key opens a brace inside braces");
        if (text[i] == '}' && !open)
            refuse(table, "", "the lock key closes a brace that is not open");
        if (text[i] == '}' && text[i - 1] == '{')
            refuse(table, "", "the lock key has braces without a column");
        if (text[i] == '{') open = true;
        if (text[i] == '}') open = false;
    }
    if (open) refuse(table, "", "the lock key leaves a brace open");
    d.lock_key.assign(text);
}

} // namespace detail

/// A table description, in *payload mode* (Row = void: the handler takes the decoded payload) or in *row mode* (the handler takes
/// a Row, filled from its data columns). Built by rowq::table() and the members below, each of which returns a new description.
/// A value without pointers: copy it, keep it as a constant or build it at run time from any text. A rule that is broken stops the
/// compiler in a constant and throws Error `declaration` with the same text at run time. Safe to read from any thread.
template <class Row, class... Members>
class Table {
public:
    using row_type = Row;
    static constexpr bool row_mode = !std::is_void_v<Row>;

    /// @internal
    constexpr Table(detail::Description description, std::tuple<Members...> members)
        : description_(description), members_(members) {}

    /// A subscription reads the rows whose column holds its name. Without: the table is one queue.
    [[nodiscard]] constexpr Table group(std::string_view column) const {
        return with(detail::Role::group, column, false);
    }
    /// @copydoc group
    [[nodiscard]] constexpr Table group(std::string_view column, Generated) const {
        return with(detail::Role::group, column, true);
    }

    /// An integer; rows with a smaller one are claimed first.
    [[nodiscard]] constexpr Table priority(std::string_view column) const {
        return with(detail::Role::priority, column, false);
    }
    /// @copydoc priority
    [[nodiscard]] constexpr Table priority(std::string_view column, Generated) const {
        return with(detail::Role::priority, column, true);
    }

    /// An instant before which the row is not due: delayed delivery and delayed retry.
    [[nodiscard]] constexpr Table retry_after(std::string_view column) const {
        return with(detail::Role::retry_after, column, false);
    }
    /// @copydoc retry_after
    [[nodiscard]] constexpr Table retry_after(std::string_view column, Generated) const {
        return with(detail::Role::retry_after, column, true);
    }

    /// An integer that starts at 1 and counts attempts; NULL counts as 1. Needed for Subscription::max_attempts.
    [[nodiscard]] constexpr Table attempt(std::string_view column) const {
        return with(detail::Role::attempt, column, false);
    }
    /// @copydoc attempt
    [[nodiscard]] constexpr Table attempt(std::string_view column, Generated) const {
        return with(detail::Role::attempt, column, true);
    }

    /// A nullable instant: the lease's end. Selects the lease form.
    [[nodiscard]] constexpr Table locked_until(std::string_view column) const {
        return with(detail::Role::locked_until, column, true);
    }

    /// A nullable instant: ack marks the row instead of deleting it.
    [[nodiscard]] constexpr Table processed_at(std::string_view column) const {
        return with(detail::Role::processed_at, column, true);
    }

    /// A JSON object with the delivery's headers.
    [[nodiscard]] constexpr Table headers(std::string_view column) const {
        return with(detail::Role::headers, column, false);
    }
    /// @copydoc headers
    [[nodiscard]] constexpr Table headers(std::string_view column, Generated) const {
        return with(detail::Role::headers, column, true);
    }

    /// What the handler takes, encoded by the subscription's codec: a text, JSON or bytes column. Payload mode only.
    [[nodiscard]] constexpr Table payload(std::string_view column) const requires(!row_mode) {
        return with(detail::Role::payload, column, false);
    }

    /// Binds a data column to a member of Row. Row mode only. Member types: bool, integers, floating point numbers, std::string, Bytes,
    /// Timestamp, and std::optional of these for nullable columns.
    template <class M, std::same_as<Row> R>
    [[nodiscard]] constexpr auto column(std::string_view name, M R::*member) const {
        return bind(name, member, false);
    }
    /// @copydoc column
    template <class M, std::same_as<Row> R>
    [[nodiscard]] constexpr auto column(std::string_view name, M R::*member, Generated) const {
        return bind(name, member, true);
    }

    /// Selects the advisory lock form: rows whose rendered keys are equal go into work one at a time, across tables too.
    /// @param text the key with column placeholders, as in "accounts-{account}"; at most 512 bytes. NULL counts as empty text.
    [[nodiscard]] constexpr Table lock_key(std::string_view text) const {
        Table next = *this;
        detail::set_lock_key(next.description_, text);
        return next;
    }

    /// @internal
    [[nodiscard]] constexpr const detail::Description& description() const noexcept {
        return description_;
    }
    /// @internal
    [[nodiscard]] constexpr const std::tuple<Members...>& members() const noexcept {
        return members_;
    }

private:
    [[nodiscard]] constexpr Table with(
        detail::Role role, std::string_view column, bool by_database) const {
        Table next = *this;
        detail::add_column(next.description_, role, column, by_database);
        return next;
    }

    template <class Member>
    [[nodiscard]] constexpr auto bind(
        std::string_view name, Member member, bool by_database) const {
        detail::Description next = description_;
        detail::add_column(next, detail::Role::data, name, by_database);
        return Table<Row, Members..., Member>(next, std::tuple_cat(members_, std::tuple(member)));
    }

    detail::Description description_;
    std::tuple<Members...> members_;
};

/// A table that still lacks its id, the one role that every table has.
template <class Row>
class TableWithoutId {
public:
    /// @internal
    constexpr explicit TableWithoutId(std::string_view name) {
        detail::set_table(description_, name);
    }

    /// The key: an integer, text or UUID column, unique and not null.
    [[nodiscard]] constexpr auto id(std::string_view column) const requires std::is_void_v<Row> {
        return plain(column, false);
    }
    /// @copydoc id
    [[nodiscard]] constexpr auto id(
        std::string_view column, Generated) const requires std::is_void_v<Row> {
        return plain(column, true);
    }
    /// The key, bound to a member of Row.
    template <class M, std::same_as<Row> R>
    [[nodiscard]] constexpr auto id(std::string_view column, M R::*member) const {
        return bound(column, member, false);
    }
    /// @copydoc id
    template <class M, std::same_as<Row> R>
    [[nodiscard]] constexpr auto id(std::string_view column, M R::*member, Generated) const {
        return bound(column, member, true);
    }

private:
    [[nodiscard]] constexpr detail::Description with_id(
        std::string_view column, bool by_database) const {
        detail::Description next = description_;
        detail::add_column(next, detail::Role::id, column, by_database);
        return next;
    }
    [[nodiscard]] constexpr auto plain(std::string_view column, bool by_database) const {
        return Table<Row>(with_id(column, by_database), {});
    }
    template <class Member>
    [[nodiscard]] constexpr auto bound(
        std::string_view column, Member member, bool by_database) const {
        return Table<Row, Member>(with_id(column, by_database), std::tuple(member));
    }

    detail::Description description_;
};

/// Starts a description in payload mode. @param name "table" or "schema.table"; quoted for you, case kept.
[[nodiscard]] constexpr TableWithoutId<void> table(std::string_view name) {
    return TableWithoutId<void>(name);
}

/// Starts a description in row mode: the handler takes a Row.
template <class Row>
[[nodiscard]] constexpr TableWithoutId<Row> table(std::string_view name) {
    return TableWithoutId<Row>(name);
}

} // namespace rowq
