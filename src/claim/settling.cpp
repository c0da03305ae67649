// Which statements settle, and how their failures are told.
#include "claim/settling.hpp"

#include <string>

namespace rowq::detail::claim {

namespace {

// None where letting go is enough.
std::vector<const Prepared*> statements_for(
    const QueueStatements& statements, const Settlement& settlement) {
    std::vector<const Prepared*> chosen;
    const auto add = [&](const Prepared& statement) {
        if (!statement.empty()) chosen.push_back(&statement);
    };
    switch (settlement.kind) {
    case Outcome::Kind::ack:
    case Outcome::Kind::drop: add(statements.ack); break;
    case Outcome::Kind::retry: add(statements.retry); break;
    case Outcome::Kind::retry_after:
        add(statements.retry_after.empty() ? statements.retry : statements.retry_after);
        break;
    case Outcome::Kind::dead_letter:
        for (const auto& statement : statements.dead_letter) add(statement);
        break;
    }
    return chosen;
}

} // namespace

std::string_view event_name(Outcome::Kind kind) noexcept {
    switch (kind) {
    case Outcome::Kind::ack: return "ack";
    case Outcome::Kind::drop: return "drop";
    case Outcome::Kind::retry: return "retry";
    case Outcome::Kind::retry_after: return "retry_after";
    case Outcome::Kind::dead_letter: return "dead letter";
    }
    return "";
}

std::vector<db::Call> settlement_calls(
    const Queue& queue, const Content& content, const Settlement& settlement,
    std::optional<Timestamp> token) {
    Inputs inputs = queue.inputs();
    inputs.id = content.id;
    inputs.due_at = settlement.due_at;
    if (token) inputs.token = *token;
    std::vector<db::Call> calls;
    for (const auto* statement : statements_for(queue.statements, settlement))
        calls.push_back(statement->call(inputs));
    return calls;
}

Error settlement_error(const Queue& queue, const Error& error, Outcome::Kind kind, const Id& id) {
    const std::string text = std::string(event_name(kind)) + " failed: " + error.text();
    return queue.located(Error(error.code(), text, error.details()), id);
}

Error row_gone(const Queue& queue, Outcome::Kind kind, const Id& id) {
    const std::string text = std::string(event_name(kind)) + " changed nothing: the row is gone";
    return queue.located(Error(ErrorCode::database, text), id);
}

bool changed_nothing(const std::vector<db::Result>& results) noexcept {
    return !results.empty() && results.front().affected == 0;
}

} // namespace rowq::detail::claim
