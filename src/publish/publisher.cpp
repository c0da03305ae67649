// Rows into queues, all of a call in one transaction.
#include "db/database.hpp"
#include "db/retrying.hpp"
#include "sql/dialect.hpp"
#include "table/description.hpp"

#include <rowq/publisher.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace rowq::detail {

namespace {

// Keeps due times within what databases and clocks can hold.
constexpr std::chrono::hours longest_delay(24 * 36'525);

struct Insert {
    sql::Statement statement;
    db::Query query;
};

} // namespace

struct PublisherCore::State {
    State(Broker& b, const Description& description, std::string g, bool mode)
        : broker(b),
          database(database_of(b)),
          clock(clock_of(b)),
          table(description),
          group(std::move(g)),
          row_mode(mode),
          dialect(
              database.kind() == db::Kind::postgres ? sql::postgres_dialect()
                                                    : sql::sqlite_dialect()) {}

    [[nodiscard]] Error located(ErrorCode code, std::string_view text) const {
        return Error(code, text).at(table.name(), group.empty() ? table.name() : group);
    }

    void check_declaration() const;
    [[nodiscard]] std::string checked_headers(const std::string& text) const;
    [[nodiscard]] std::vector<Value> given_columns(const std::vector<Value>& row) const;
    [[nodiscard]] const Insert& insert_for(const sql::InsertShape& shape);
    [[nodiscard]] std::vector<Value> parameters(
        const Insert& insert, const std::vector<Value>& row, const PushOptions& options) const;

    Broker& broker;
    db::Database& database;
    const Clock& clock;
    Table table;
    std::string group;
    bool row_mode;
    std::unique_ptr<sql::Dialect> dialect;
    std::mutex mutex;
    std::map<std::tuple<bool, bool, bool>, Insert> inserts; // by shape, made when first needed
};

void PublisherCore::State::check_declaration() const {
    if (table.has(Role::group) && group.empty())
        throw located(ErrorCode::declaration, "the table has groups: name the one to publish into");
    if (!table.has(Role::group) && !group.empty())
        throw located(
            ErrorCode::declaration, "the table has no group column, so there is no group to name");
    if (!row_mode && !table.has(Role::payload))
        throw located(
            ErrorCode::declaration,
            "the table's description has no payload column to publish into");
    if (!row_mode && !table.find(Role::id)->generated)
        throw located(
            ErrorCode::declaration,
            "a publisher has no id to give: mark the id column as generated, or use row mode");
}

// Stored as the user wrote them, so only the kind is checked.
std::string PublisherCore::State::checked_headers(const std::string& text) const {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) throw located(ErrorCode::header, "headers must be a JSON object");
    return text;
}

const Insert& PublisherCore::State::insert_for(const sql::InsertShape& shape) {
    const std::lock_guard lock(mutex);
    auto& insert = inserts[{shape.priority, shape.due_at, shape.headers}];
    if (insert.query.empty()) {
        insert.statement = dialect->insert(table, shape);
        insert.query = db::Query(insert.statement.text);
    }
    return insert;
}

std::vector<Value> PublisherCore::State::parameters(
    const Insert& insert, const std::vector<Value>& row, const PushOptions& options) const {
    std::vector<Value> values;
    const auto now = clock.now();
    const auto given = given_columns(row);
    std::size_t data = 0;
    for (const auto parameter : insert.statement.parameters) {
        switch (parameter) {
        case sql::Parameter::group: values.emplace_back(group); break;
        case sql::Parameter::now: values.emplace_back(now); break;
        case sql::Parameter::due_at:
            values.emplace_back(now + options.delay_.value_or(std::chrono::microseconds{0}));
            break;
        case sql::Parameter::priority: values.emplace_back(options.priority_.value_or(0)); break;
        case sql::Parameter::attempt: values.emplace_back(std::int64_t{1}); break;
        case sql::Parameter::headers: values.emplace_back(options.headers_.value_or("{}")); break;
        case sql::Parameter::payload: values.push_back(row.at(0)); break;
        case sql::Parameter::id:
        case sql::Parameter::data: values.push_back(given.at(data++)); break;
        default: values.emplace_back(Null{}); break;
        }
    }
    return values;
}

// Row mode: the members that are written, in the order of the description; generated columns are left to the database.
std::vector<Value> PublisherCore::State::given_columns(const std::vector<Value>& row) const {
    std::vector<Value> given;
    std::size_t member = 0;
    for (const auto& column : table.columns()) {
        if (!row_mode || (column.role != Role::id && column.role != Role::data)) continue;
        if (!column.generated) given.push_back(row.at(member));
        ++member;
    }
    return given;
}

PublisherCore::PublisherCore(
    Broker& broker, const Description& table, std::string group, bool row_mode)
    : state_(std::make_unique<State>(broker, table, std::move(group), row_mode)) {
    state_->check_declaration();
}
PublisherCore::PublisherCore(PublisherCore&&) noexcept = default;
PublisherCore& PublisherCore::operator=(PublisherCore&&) noexcept = default;
PublisherCore::~PublisherCore() = default;

std::vector<Id> PublisherCore::push(
    std::vector<std::vector<Value>> rows, const PushOptions& options) {
    auto& state = *state_;
    const auto need = [&](bool given, Role role) {
        if (given && !state.table.has(role))
            throw state.located(
                ErrorCode::declaration,
                fmt::format(
                    "a row is pushed with {}, but the table's description has no such column",
                    to_string(role)));
    };
    need(options.delay_.has_value(), Role::retry_after);
    need(options.priority_.has_value(), Role::priority);
    need(options.headers_.has_value(), Role::headers);
    if (options.headers_) static_cast<void>(state.checked_headers(*options.headers_));
    if (options.delay_.value_or(std::chrono::microseconds{0}) > longest_delay)
        throw state.located(ErrorCode::declaration, "a delay is at most 100 years");
    if (rows.empty()) return {};

    std::vector<Id> ids;
    ids.reserve(rows.size());
    try {
        const auto& insert = state.insert_for(
            {options.priority_.has_value(), options.delay_.has_value(),
             options.headers_.has_value()});
        std::vector<db::Call> calls;
        calls.reserve(rows.size());
        for (const auto& row : rows)
            calls.push_back({&insert.query, state.parameters(insert, row, options)});
        for (auto& result : db::retrying([&] { return state.database.write(calls); })) {
            const auto& id = result.at(0, 0);
            if (const auto* number = std::get_if<std::int64_t>(&id))
                ids.emplace_back(*number);
            else if (const auto* text = std::get_if<std::string>(&id))
                ids.emplace_back(*text);
            else
                throw state.located(
                    ErrorCode::publish, "the table's id is neither an integer nor text");
        }
    } catch (const Error& error) {
        const auto code = error.code() == ErrorCode::database ? ErrorCode::publish : error.code();
        throw Error(code, "publishing failed: " + error.text(), error.details())
            .at(state.table.name(), state.group.empty() ? state.table.name() : state.group);
    }
    wake_process(state.table.name(), state.group);
    return ids;
}

} // namespace rowq::detail
