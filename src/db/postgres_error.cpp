// PostgreSQL's failures in rowq's words.
#include "db/postgres_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rowq::detail::db {

namespace {

std::string field(const PGresult& answer, char code) {
    const char* text = PQresultErrorField(&answer, code);
    return text == nullptr ? "" : text;
}

std::string one_line(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    std::ranges::replace(text, '\n', ' ');
    std::ranges::replace(text, '\r', ' ');
    return text;
}

template <std::size_t N>
bool is_one_of(std::string_view state, const std::array<std::string_view, N>& states) {
    return std::ranges::find(states, state) != states.end();
}

// Shutdown, crash, not accepting, idle too long in a transaction or at all.
constexpr std::array<std::string_view, 6> session_ended{"57P01", "57P02", "57P03",
                                                        "57P05", "25P03", "57P04"};
constexpr std::array<std::string_view, 5> worth_retrying{
    "40001", "40P01", "55P03", "53300", "57P03"};
constexpr std::array<std::string_view, 8> not_as_described{"42P01", "42703", "42P18", "42883",
                                                           "42804", "3F000", "42P02", "42846"};

bool has_session_ended(std::string_view state) {
    return state.starts_with("08") || is_one_of(state, session_ended);
}

std::string_view reason(std::string_view state) {
    if (state == "40001") return "a concurrent transaction came first";
    if (state == "40P01") return "the statement was part of a deadlock";
    if (state == "55P03") return "a lock was not available in time";
    if (state == "42P01") return "a table does not exist";
    if (state == "42703") return "a column does not exist";
    if (state == "3F000") return "a schema does not exist";
    if (state == "42501") return "the user has no right to do this";
    if (state == "25P02") return "an earlier statement of the transaction failed";
    if (state == "25006") return "the server or the session is read only";
    if (state == "57014") return "it was cancelled or took too long";
    if (state == "26000" || state == "0A000") return "what was prepared is no longer valid";
    return {};
}

// Data exceptions quote the content of columns and parameters; a payload may be among them.
std::string without_quotes(std::string text) {
    const auto first = text.find('"');
    const auto last = text.rfind('"');
    if (first == std::string::npos) return text;
    return text.replace(first, last - first + 1, "...");
}

Error::Details details_of(const PGresult& answer) {
    Error::Details details;
    details.sqlstate = sqlstate_of(answer);
    details.server_text = server_text_of(answer);
    details.retryable = is_one_of(details.sqlstate, worth_retrying);
    return details;
}

Error refusal(ErrorCode code, Error::Details details) {
    const auto why = reason(details.sqlstate);
    return {
        code, fmt::format("PostgreSQL refused the statement{}{}", why.empty() ? "" : ": ", why),
        std::move(details)};
}

} // namespace

std::string sqlstate_of(const PGresult& answer) { return field(answer, PG_DIAG_SQLSTATE); }

std::string server_text_of(const PGresult& answer) {
    const std::string state = sqlstate_of(answer);
    std::string text = field(answer, PG_DIAG_MESSAGE_PRIMARY);
    if (text.empty()) text = PQresultErrorMessage(&answer);
    if (state.starts_with("22")) return one_line(without_quotes(std::move(text)));
    // The detail of a violated constraint is the row.
    const char more = state.starts_with("23") ? PG_DIAG_CONSTRAINT_NAME : PG_DIAG_MESSAGE_DETAIL;
    if (const std::string detail = field(answer, more);
        !detail.empty() && text.find(detail) == std::string::npos)
        text += ": " + detail;
    return one_line(std::move(text));
}

bool ends_session(const PGresult& answer) {
    const std::string state = sqlstate_of(answer);
    const std::string severity = field(answer, PG_DIAG_SEVERITY_NONLOCALIZED);
    return state.empty() || severity == "FATAL" || severity == "PANIC" || has_session_ended(state);
}

bool is_stale_statement(const PGresult& answer) {
    const std::string state = sqlstate_of(answer);
    if (state == "26000" || state == "42P05") return true;
    // Shared with features the server lacks; the place in its source tells them apart in every language.
    return state == "0A000" && field(answer, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery";
}

Error refused(const PGresult& answer) {
    auto details = details_of(answer);
    details.retryable = details.retryable || is_stale_statement(answer);
    const auto code =
        is_one_of(details.sqlstate, not_as_described) ? ErrorCode::schema : ErrorCode::database;
    return refusal(code, std::move(details));
}

Error refused_text(const PGresult& answer) {
    auto details = details_of(answer);
    const bool at_fault = !details.retryable && details.sqlstate.starts_with("42");
    auto error = refused(answer);
    if (!at_fault || error.code() == ErrorCode::schema) return error;
    return refusal(ErrorCode::schema, std::move(details));
}

std::string sqlstate_in(std::string_view text) {
    const auto is_state = [](std::string_view word) {
        return std::ranges::all_of(
            word, [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
    };
    // FATAL:  28P01: password ..
    for (auto at = text.find(":  "); at != std::string_view::npos; at = text.find(":  ", at + 1)) {
        const auto word = text.substr(at + 3, 7);
        if (word.size() == 7 && word.substr(5) == ": " && is_state(word.substr(0, 5)))
            return std::string(word.substr(0, 5));
    }
    return {};
}

Error cannot_connect(std::string_view name, std::string text) {
    Error::Details details;
    details.sqlstate = sqlstate_in(text);
    const std::string_view state = details.sqlstate;
    std::string_view why;
    if (state == "28P01" || state == "28000") why = ": user or password were refused";
    if (state == "3D000") why = ": there is no such database";
    if (state == "53300") why = ": all connections of the server are in use";
    if (state == "57P03") why = ": the server is starting or stopping";
    details.retryable = !state.starts_with("28") && state != "3D000";
    details.server_text = one_line(std::move(text));
    return {
        ErrorCode::connect, fmt::format("cannot connect to {}{}", name, why), std::move(details)};
}

} // namespace rowq::detail::db
