// One session with a PostgreSQL server.
#include "db/postgres_connection.hpp"

#include "db/postgres_error.hpp"
#include "db/postgres_values.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

namespace rowq::detail::db {

namespace {

std::string random_prefix() {
    std::random_device random;
    return fmt::format("rowq_{:08x}{:08x}_", random(), random());
}

std::int64_t changed_rows(PGresult* answer) {
    const std::string_view text = PQcmdTuples(answer);
    std::int64_t count = 0; // stays where the command counts nothing
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

Result read_result(PGresult* answer) {
    Result result;
    result.affected = changed_rows(answer);
    const int columns = PQnfields(answer);
    const int rows = PQntuples(answer);
    result.columns = static_cast<std::size_t>(columns);
    result.values.reserve(static_cast<std::size_t>(rows) * result.columns);
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            if (PQgetisnull(answer, row, column) != 0) {
                result.values.emplace_back();
                continue;
            }
            const std::string_view content(
                PQgetvalue(answer, row, column),
                static_cast<std::size_t>(PQgetlength(answer, row, column)));
            const Oid type = PQftype(answer, column);
            result.values.push_back(
                PQfformat(answer, column) == 1 ? read_binary(type, content)
                                               : read_text(type, content));
        }
    }
    return result;
}

} // namespace

PostgresConnection::PostgresConnection(PgHandle handle, PgShared& shared)
    : shared_(shared), handle_(std::move(handle)), prefix_(random_prefix()) {
    PQsetNoticeReceiver(
        handle_.get(),
        [](void* self, const PGresult* notice) {
            static_cast<const PostgresConnection*>(self)->note(*notice);
        },
        this);
}

std::vector<Result> PostgresConnection::run(std::span<const Call> calls, Frame frame) {
    const bool was_in_transaction = in_transaction();
    for (bool again = false;; again = true) {
        stale_ = false;
        try {
            return run_once(calls, frame);
        } catch (const Error&) {
            // Nothing of the run is left, so with the statements prepared anew it can go out once more.
            const bool repeat = stale_ && !was_in_transaction && !again;
            if (frame.commit || repeat) rollback();
            if (!repeat || !handle_) throw;
        }
    }
}

std::vector<Result> PostgresConnection::run_once(std::span<const Call> calls, Frame frame) {
    if (!handle_) throw ended("was closed before");
    if (calls.empty() && !frame.begin && !frame.commit) return {};
    // The sync already makes a transaction of what stands before it; several calls may still expect to be in an explicit one.
    if (frame.begin && frame.commit && calls.size() == 1) frame = {};
    const bool implied = !frame.begin && !in_transaction();

    Trip trip;
    trip.deadline = deadline_after(shared_.statement_timeout, shared_.cutoff);
    learn(unknown_among(calls), trip.deadline, false);
    std::vector<PgParameters> parameters;
    parameters.reserve(calls.size());
    for (const Call& call : calls)
        parameters.emplace_back(call.parameters, statements_.at(call.query->number()).parameters);

    if (frame.begin) send("BEGIN");
    for (std::size_t i = 0; i < calls.size(); ++i)
        send(statements_.at(calls[i].query->number()), calls[i], parameters[i]);
    if (frame.commit) send("COMMIT");
    const std::size_t first = frame.begin ? 1 : 0;
    trip.before_commit = first + calls.size();
    trip.steps = trip.before_commit + (frame.commit ? 1 : 0);
    trip.commits = frame.commit || implied;

    const auto answers = finish(trip);
    if (frame.commit && std::string_view(PQcmdStatus(answers.back().get())) != "COMMIT")
        throw Error(
            ErrorCode::database,
            "PostgreSQL rolled the transaction back instead of committing it: an earlier statement had "
            "failed");
    std::vector<Result> results;
    results.reserve(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i)
        results.push_back(read_result(answers[first + i].get()));
    return results;
}

std::vector<const Query*> PostgresConnection::unknown_among(std::span<const Call> calls) const {
    std::vector<const Query*> unknown;
    for (const Call& call : calls) {
        const auto is_same = [&](const Query* q) { return q->number() == call.query->number(); };
        if (!statements_.contains(call.query->number()) && std::ranges::none_of(unknown, is_same))
            unknown.push_back(call.query);
    }
    return unknown;
}

// One round trip more for the first use of statements in a session: types must be known before parameters are laid out and the form of
// the results is chosen.
void PostgresConnection::learn(
    std::span<const Query* const> queries, Deadline deadline, bool preparing) {
    if (queries.empty()) return;
    Trip trip;
    trip.deadline = deadline;
    trip.steps = queries.size() * 2;
    const std::size_t first = forgotten_ ? 1 : 0;
    if (first != 0) send("DEALLOCATE ALL");
    trip.steps += first;
    std::vector<std::string> names;
    for (const Query* query : queries) {
        names.push_back(shared_.behind_proxy ? "" : prefix_ + std::to_string(++named_));
        sent(PQsendPrepare(handle_.get(), names.back().c_str(), query->text().c_str(), 0, nullptr));
        sent(PQsendDescribePrepared(handle_.get(), names.back().c_str()));
    }
    const auto answers = finish(trip, preparing);
    forgotten_ = false;
    for (std::size_t i = 0; i < queries.size(); ++i)
        statements_[queries[i]->number()] =
            described(*answers[first + 2 * i + 1], std::move(names[i]));
}

PostgresConnection::Statement PostgresConnection::described(
    const PGresult& answer, std::string name) const {
    Statement statement;
    statement.name = std::move(name);
    for (int i = 0; i < PQnparams(&answer); ++i)
        statement.parameters.push_back(PQparamtype(&answer, i));
    for (int i = 0; i < PQnfields(&answer); ++i)
        statement.reads_binary = statement.reads_binary && reads_binary(PQftype(&answer, i));
    return statement;
}

void PostgresConnection::send(
    const Statement& statement, const Call& call, const PgParameters& parameters) {
    const int form = statement.reads_binary ? 1 : 0;
    if (statement.name.empty())
        sent(PQsendQueryParams(
            handle_.get(), call.query->text().c_str(), parameters.count(),
            statement.parameters.data(), parameters.values(), parameters.lengths(),
            parameters.formats(), form));
    else
        sent(PQsendQueryPrepared(
            handle_.get(), statement.name.c_str(), parameters.count(), parameters.values(),
            parameters.lengths(), parameters.formats(), form));
}

void PostgresConnection::send(const char* text) {
    sent(PQsendQueryParams(handle_.get(), text, 0, nullptr, nullptr, nullptr, nullptr, 0));
}

// Before the sync, nothing that was sent can have been committed.
void PostgresConnection::sent(int accepted) {
    if (accepted == 1) return;
    close();
    throw ended("broke");
}

std::vector<PgAnswer> PostgresConnection::finish(const Trip& trip, bool preparing) {
    std::vector<PgAnswer> answers(trip.steps);
    const auto collected = finish_pipeline(
        handle_.get(), trip.steps, trip.deadline,
        [&](std::size_t step, PgAnswer answer) { answers.at(step) = std::move(answer); });
    if (collected.arrival != Arrival::complete) lose(collected, trip);
    if (collected.failure) refuse(collected, preparing);
    return answers;
}

void PostgresConnection::refuse(const Collected& collected, bool preparing) {
    const PGresult& failure = *collected.failure;
    const std::string state = sqlstate_of(failure);
    stale_ = is_stale_statement(failure);
    if (stale_ && state != "0A000") shared_.behind_proxy = true;
    // Types may have been others when the statement was described: look again before the next use.
    if (stale_ || state.starts_with("42") || state.starts_with("22")) forget_statements();
    throw preparing ? refused_text(failure) : refused(failure);
}

// The server lets go of them before the next ones are prepared, or a failure that repeats would fill its memory.
void PostgresConnection::forget_statements() {
    forgotten_ = !shared_.behind_proxy;
    statements_.clear();
}

// Shorter than the time-out where all waits were cut off.
std::chrono::milliseconds PostgresConnection::waited_for(const Trip& trip) const {
    return std::min(
        shared_.statement_timeout, std::chrono::duration_cast<std::chrono::milliseconds>(
                                       std::chrono::steady_clock::now() - trip.since));
}

void PostgresConnection::lose(const Collected& collected, const Trip& trip) {
    close();
    const bool late = collected.arrival == Arrival::timed_out;
    auto error =
        late ? ended(fmt::format("was given up: no answer within {} ms", waited_for(trip).count()))
             : ended("broke");
    auto details = error.details();
    bool may_have_committed = trip.commits;
    if (collected.failure) {
        details.server_text = server_text_of(*collected.failure);
        details.sqlstate = sqlstate_of(*collected.failure);
        // The server's own word in place of an answer: it never came to the commit behind.
        if (!details.sqlstate.empty() && collected.step < trip.before_commit)
            may_have_committed = false;
    }
    details.outcome_unknown = may_have_committed;
    throw Error(error.code(), error.text(), std::move(details));
}

Error PostgresConnection::ended(std::string_view how) const {
    Error::Details details;
    details.connection_lost = true;
    details.retryable = true;
    return {
        ErrorCode::database, fmt::format("the connection to {} {}", shared_.name, how),
        std::move(details)};
}

void PostgresConnection::rollback() noexcept {
    if (!handle_ || !in_transaction()) return;
    try {
        Trip trip;
        trip.deadline = deadline_after(shared_.statement_timeout, shared_.cutoff);
        trip.steps = 1;
        send("ROLLBACK");
        static_cast<void>(finish(trip));
    } catch (...) {
        close();
    }
}

void PostgresConnection::prepare(const Query& query) {
    if (!handle_) throw ended("was closed before");
    if (statements_.contains(query.number())) return;
    const Query* const one = &query;
    learn({&one, 1}, deadline_after(shared_.statement_timeout, shared_.cutoff), true);
}

bool PostgresConnection::in_transaction() const noexcept {
    if (!handle_) return false;
    const auto status = PQtransactionStatus(handle_.get());
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

bool PostgresConnection::usable() const noexcept {
    if (!handle_ || ended_) return false;
    pollfd state{PQsocket(handle_.get()), POLLIN | POLLRDHUP, 0};
    if (::poll(&state, 1, 0) == 0) return true;
    ended_ = (state.revents & ~POLLIN) != 0 || PQconsumeInput(handle_.get()) == 0;
    // Has libpq look at what came: a farewell goes to note(), which sets ended_.
    if (!ended_) static_cast<void>(PQisBusy(handle_.get()));
    return !ended_;
}

void PostgresConnection::note(const PGresult& notice) const noexcept {
    const char* severity = PQresultErrorField(&notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    const std::string_view text = severity == nullptr ? "" : severity;
    if (text == "FATAL" || text == "PANIC") ended_ = true;
}

std::vector<Notification> PostgresConnection::notifications() {
    if (!usable()) {
        const auto error = ended("that listens has ended");
        throw Error(ErrorCode::listen, error.text(), error.details());
    }
    std::vector<Notification> arrived;
    while (PGnotify* const one = PQnotifies(handle_.get())) {
        const std::unique_ptr<PGnotify, decltype(&PQfreemem)> owned(one, &PQfreemem);
        arrived.push_back({one->relname, one->extra});
    }
    return arrived;
}

int PostgresConnection::socket() const noexcept { return handle_ ? PQsocket(handle_.get()) : -1; }

void PostgresConnection::close() noexcept {
    if (!handle_) return;
    // Whether the server still listens or not, nothing is waited for: it rolls back and frees locks when the socket closes.
    if (ended_ || PQtransactionStatus(handle_.get()) == PQTRANS_ACTIVE)
        ::shutdown(PQsocket(handle_.get()), SHUT_RDWR);
    handle_.reset();
}

} // namespace rowq::detail::db
