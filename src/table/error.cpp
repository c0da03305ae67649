// rowq::Error: one line that names what, where, and the server's own words.
#include "table/one_line.hpp"

#include <rowq/error.hpp>

#include <array>
#include <utility>

namespace rowq {

namespace {

constexpr std::size_t longest_server_text = 500;

std::string in_quotes(std::string_view name) { return std::string("\"").append(name) + '"'; }

std::string full_text(std::string_view text, const Error::Details& details) {
    std::string places;
    const auto add = [&places](std::string_view word, std::string_view name) {
        if (!places.empty()) places += ", ";
        places.append(word).append(name);
    };
    if (!details.table.empty()) add("table ", in_quotes(details.table));
    if (!details.subscription.empty() && details.subscription != details.table)
        add("subscription ", in_quotes(details.subscription));
    if (details.row) add("row ", detail::shortened(to_string(*details.row), longest_server_text));
    if (!details.server_text.empty() || !details.sqlstate.empty()) {
        places.append(places.empty() ? "" : "; ").append("the server says:");
        if (!details.server_text.empty())
            places.append(" ").append(detail::shortened(details.server_text, longest_server_text));
        if (!details.sqlstate.empty()) places.append(" [").append(details.sqlstate).append("]");
    }
    std::string line(text);
    if (!places.empty()) line.append(" (").append(places).append(")");
    return detail::on_one_line(std::move(line));
}

} // namespace

std::string_view to_string(ErrorCode code) noexcept {
    static constexpr std::array<std::string_view, 16> names{
        "connect",          "schema",
        "declaration",      "dialect",
        "server_too_old",   "already_subscribed",
        "database",         "lease_lost",
        "lock_lost",        "batch_rolled_back",
        "transaction_held", "listen",
        "publish",          "header",
        "no_route",         "closed"};
    return names.at(static_cast<std::size_t>(code));
}

Error::Error(ErrorCode code, std::string_view text) : Error(code, text, Details{}) {}

Error::Error(ErrorCode code, std::string_view text, Details details)
    : std::runtime_error(full_text(text, details)),
      code_(code),
      text_(std::make_shared<const std::string>(text)),
      details_(std::make_shared<const Details>(std::move(details))) {}

Error Error::at(
    std::string_view table, std::string_view subscription, std::optional<Id> row) const {
    Details located = *details_;
    if (located.table.empty()) located.table = table;
    if (located.subscription.empty()) located.subscription = subscription;
    if (!located.row) located.row = std::move(row);
    return {code_, *text_, std::move(located)};
}

} // namespace rowq
