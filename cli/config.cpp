// --config: tables described in a TOML file.
//
//   [[table]]
//   name = "email_jobs"
//   id = "job_id"                  # a column's name, or { column = "..", generated = false }
//   group = "queue"
//   retry_after = { column = "due", generated = true }
//   locked_until = "locked_until"  # or: lock_key = "accounts-{account}"
//   payload = "payload"
#include "common.hpp"

#include <rowq/table.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <map>
#include <utility>

namespace rowq::cli {

namespace {

using detail::Role;

[[noreturn]] void refuse(
    const std::string& file, const toml::source_region& where, std::string_view text) {
    throw std::runtime_error(
        fmt::format("{}:{}:{}: {}", file, where.begin.line, where.begin.column, text));
}

struct NamedColumn {
    std::string name;
    bool generated;
};

// Columns are generated unless the file says otherwise: the program gives a value only where it was told one.
NamedColumn column_of(const std::string& file, std::string_view role, const toml::node& node) {
    if (const auto* name = node.as_string()) return {name->get(), true};
    const auto* table = node.as_table();
    if (table == nullptr)
        refuse(file, node.source(), fmt::format("{} needs a column's name", role));
    const auto name = (*table)["column"].value<std::string>();
    if (!name)
        refuse(file, node.source(), fmt::format("{} needs a column's name: column = \"..\"", role));
    for (const auto& [key, value] : *table) {
        if (key != "column" && key != "generated")
            refuse(file, value.source(), fmt::format("unknown key \"{}\" of {}", key.str(), role));
    }
    const auto* generated = table->get("generated");
    if (generated != nullptr && !generated->is_boolean())
        refuse(file, generated->source(), fmt::format("generated of {} is true or false", role));
    return {*name, (*table)["generated"].value_or(true)};
}

const std::map<std::string_view, Role>& roles() {
    static const std::map<std::string_view, Role> names{
        {"id", Role::id},
        {"group", Role::group},
        {"priority", Role::priority},
        {"retry_after", Role::retry_after},
        {"attempt", Role::attempt},
        {"locked_until", Role::locked_until},
        {"processed_at", Role::processed_at},
        {"headers", Role::headers},
        {"payload", Role::payload}};
    return names;
}

detail::Description build(
    const std::string& file, const toml::table& entry, const std::string& name) {
    detail::Description description;
    detail::set_table(description, name);
    if (!entry.contains("id"))
        refuse(file, entry.source(), "a table needs an id column: id = \"..\"");
    for (const auto& [key, node] : entry) {
        if (key == "name") continue;
        if (key == "lock_key") {
            if (!node.is_string()) refuse(file, node.source(), "lock_key needs a text");
            detail::set_lock_key(description, node.as_string()->get());
            continue;
        }
        const auto role = roles().find(key.str());
        if (role == roles().end())
            refuse(file, node.source(), fmt::format("unknown role \"{}\"", key.str()));
        const auto column = column_of(file, key.str(), node);
        detail::add_column(description, role->second, column.name, column.generated);
    }
    return description;
}

} // namespace

detail::Description describe_from(const std::string& file, const std::string& table) {
    toml::table document;
    try {
        document = toml::parse_file(file);
    } catch (const toml::parse_error& error) {
        refuse(file, error.source(), error.description());
    }
    const auto* entries = document["table"].as_array();
    if (entries == nullptr)
        throw std::runtime_error(fmt::format("{}: describes no [[table]]", file));
    for (const auto& node : *entries) {
        const auto* entry = node.as_table();
        if (entry == nullptr) refuse(file, node.source(), "write tables as [[table]]");
        const auto name = (*entry)["name"].value<std::string>();
        if (!name) refuse(file, entry->source(), "a table needs a name");
        if (*name != table) continue;
        try {
            return build(file, *entry, *name);
        } catch (const Error& error) {
            refuse(file, entry->source(), error.what());
        }
    }
    throw std::runtime_error(
        fmt::format("{}: describes no table {}; name one with --table", file, table));
}

} // namespace rowq::cli
