// Writing lists as each database reads them.
#include "claim/lists.hpp"

#include "db/values.hpp"

#include <nlohmann/json.hpp>

namespace rowq::detail::claim {

namespace {

void append_quoted(std::string& list, std::string_view element) {
    list += list.size() > 1 ? ",\"" : "\"";
    for (const char c : element) {
        if (c == '"' || c == '\\') list += '\\';
        list += c;
    }
    list += '"';
}

} // namespace

std::string list_of_ids(db::Kind kind, std::span<const LeaseBook::Renewal> renewals) {
    if (kind == db::Kind::postgres) {
        std::string list = "{";
        for (const auto& renewal : renewals) append_quoted(list, rowq::to_string(renewal.id));
        return list + '}';
    }
    auto list = nlohmann::json::array();
    for (const auto& renewal : renewals)
        std::visit([&](const auto& id) { list.push_back(id); }, renewal.id);
    return list.dump();
}

std::string list_of_tokens(db::Kind kind, std::span<const LeaseBook::Renewal> renewals) {
    std::string list = kind == db::Kind::postgres ? "{" : "[";
    const std::string_view zone = kind == db::Kind::postgres ? "+00" : "";
    for (const auto& renewal : renewals)
        append_quoted(list, db::format_timestamp(renewal.token).append(zone));
    return list + (kind == db::Kind::postgres ? '}' : ']');
}

} // namespace rowq::detail::claim
