// Filling in parameters and reading claimed rows.
#include "claim/prepared.hpp"

#include "db/values.hpp"

#include <limits>

namespace rowq::detail::claim {

namespace {

Value to_value(const Id& id) {
    return std::visit([](const auto& key) { return Value{key}; }, id);
}

Value argument(sql::Parameter parameter, const Inputs& inputs) {
    switch (parameter) {
    case sql::Parameter::group: return inputs.group;
    case sql::Parameter::now: return inputs.now;
    case sql::Parameter::limit: return inputs.limit;
    case sql::Parameter::id: return to_value(inputs.id);
    case sql::Parameter::token: return inputs.token;
    case sql::Parameter::expiry: return inputs.expiry;
    case sql::Parameter::due_at: return inputs.due_at;
    case sql::Parameter::destination: return inputs.destination;
    case sql::Parameter::ids: return inputs.ids;
    case sql::Parameter::tokens: return inputs.tokens;
    case sql::Parameter::key: return inputs.key;
    case sql::Parameter::lock: return inputs.lock;
    default: return Null{}; // an insert's parameter; no statement of a claim has one
    }
}

// A counter that is no number starts again at 1: the row is still somebody's work.
int read_attempt(const Value& value) {
    const auto attempt = db::as_integer(value).value_or(1);
    if (attempt < 1) return 1;
    return attempt > std::numeric_limits<int>::max() ? std::numeric_limits<int>::max()
                                                     : static_cast<int>(attempt);
}

void read_id(ClaimedRow& row, const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value))
        row.content.id = *number;
    else if (const auto* text = std::get_if<std::string>(&value);
             text != nullptr && db::is_utf8(*text))
        row.content.id = *text;
    else
        return;
    row.has_id = true;
}

void read_output(ClaimedRow& row, sql::Output output, Value& value) {
    switch (output) {
    case sql::Output::id: read_id(row, value); break;
    case sql::Output::attempt: row.content.attempt = read_attempt(value); break;
    case sql::Output::token: row.token = db::as_timestamp(value); break;
    case sql::Output::headers:
        if (auto text = db::as_text(value)) row.content.headers = std::move(*text);
        break;
    case sql::Output::payload: row.content.payload = std::move(value); break;
    case sql::Output::data: row.content.row.push_back(std::move(value)); break;
    case sql::Output::lock: row.lock = db::as_integer(value); break;
    case sql::Output::key: row.key = db::as_text(value).value_or(""); break;
    case sql::Output::seen: row.seen = db::as_integer(value).value_or(0); break;
    case sql::Output::priority: row.priority = std::move(value); break;
    case sql::Output::retry_after: row.retry_after = std::move(value); break;
    }
}

} // namespace

Prepared::Prepared(sql::Statement statement) : statement_(std::move(statement)) {
    if (!statement_.empty()) query_ = db::Query(statement_.text);
}

db::Call Prepared::call(const Inputs& inputs) const {
    db::Call call{&query_, {}};
    call.parameters.reserve(statement_.parameters.size());
    for (const auto parameter : statement_.parameters)
        call.parameters.push_back(argument(parameter, inputs));
    return call;
}

ClaimedRow read_claimed(const sql::Statement& statement, db::Result& result, std::size_t row) {
    ClaimedRow claimed;
    for (std::size_t i = 0; i < statement.outputs.size(); ++i)
        read_output(claimed, statement.outputs[i], result.at(row, i));
    return claimed;
}

} // namespace rowq::detail::claim
