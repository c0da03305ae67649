// What an address of a PostgreSQL database says: libpq's options, split into the attempts that connecting makes.
#include "db/postgres_address.hpp"

#include "db/url.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>
#include <libpq-fe.h>

#include <charconv>
#include <memory>
#include <utility>

namespace rowq::detail::db {

namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view why) {
    throw Error(ErrorCode::connect, fmt::format("{} is not an address: {}", name, why));
}

// libpq quotes the address in its complaints; where it has a password, everything quoted goes.
std::string complaint(std::string text, bool has_password) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (!has_password) return text;
    const auto first = text.find('"');
    return first == std::string::npos ? text : text.substr(0, first) + "...";
}

PgOptions parse(const std::string& url, const std::string& name) {
    char* message = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
        PQconninfoParse(url.c_str(), &message), &PQconninfoFree);
    const std::unique_ptr<char, decltype(&PQfreemem)> owned(message, &PQfreemem);
    if (!parsed) {
        const bool has_password = name != url || url.find('@') != std::string::npos;
        refuse(name, message == nullptr ? "out of memory" : complaint(message, has_password));
    }
    PgOptions options;
    for (const auto* option = parsed.get(); option->keyword != nullptr; ++option)
        if (option->val != nullptr) options.emplace(option->keyword, option->val);
    return options;
}

void add_defaults(PgOptions& options, std::chrono::milliseconds statement_timeout) {
    options["client_encoding"] = "UTF8"; // all text in rowq is
    options.try_emplace("fallback_application_name", "rowq");
    // A host that has gone silent is found in half a minute.
    options.try_emplace("keepalives_idle", "15");
    options.try_emplace("keepalives_interval", "5");
    options.try_emplace("keepalives_count", "3");
    const auto longest = std::chrono::milliseconds(std::chrono::hours(24));
    options.try_emplace(
        "tcp_user_timeout", std::to_string(std::min(statement_timeout, longest).count()));
}

std::vector<std::string> list_of(const PgOptions& options, const std::string& key) {
    std::vector<std::string> list;
    const auto found = options.find(key);
    if (found == options.end()) return list;
    std::string_view rest = found->second;
    for (;;) {
        const auto comma = rest.find(',');
        list.emplace_back(rest.substr(0, comma));
        if (comma == std::string_view::npos) return list;
        rest.remove_prefix(comma + 1);
    }
}

// One set of options a host. Lists of different lengths stay as they are: libpq says what is wrong with them.
std::vector<PgOptions> split_hosts(const PgOptions& options) {
    const auto hosts = list_of(options, "host");
    const auto addresses = list_of(options, "hostaddr");
    const auto ports = list_of(options, "port");
    const std::size_t count = std::max(hosts.size(), addresses.size());
    const auto fits = [count](const std::vector<std::string>& list) {
        return list.empty() || list.size() == count;
    };
    if (count < 2 || !fits(hosts) || !fits(addresses) || (ports.size() != 1 && !fits(ports)))
        return {options};
    std::vector<PgOptions> attempts;
    for (std::size_t i = 0; i < count; ++i) {
        PgOptions one = options;
        if (!hosts.empty()) one["host"] = hosts[i];
        if (!addresses.empty()) one["hostaddr"] = addresses[i];
        if (ports.size() == count) one["port"] = ports[i];
        attempts.push_back(std::move(one));
    }
    return attempts;
}

// "A standby if there is one" needs a look at every host first, as libpq does it.
std::vector<PgOptions> with_preference(std::vector<PgOptions> attempts) {
    constexpr const char* key = "target_session_attrs";
    const auto wanted = attempts.front().find(key);
    if (attempts.size() < 2 || wanted == attempts.front().end() ||
        wanted->second != "prefer-standby")
        return attempts;
    std::vector<PgOptions> both = attempts;
    for (auto& options : both) options[key] = "standby";
    for (auto& options : attempts) {
        options[key] = "any";
        both.push_back(std::move(options));
    }
    return both;
}

} // namespace

PostgresAddress::PostgresAddress(std::string_view url, std::chrono::milliseconds statement_timeout)
    : name_(redact(url)), passwords_(passwords_in(url)) {
    if (const std::string why = ambiguity_in(url); !why.empty()) refuse(name_, why);
    if (url.find('\0') != std::string_view::npos) refuse(name_, "it holds a zero byte");
    auto options = parse(std::string(url), name_);
    add_defaults(options, statement_timeout);
    attempts_ = with_preference(split_hosts(options));
}

std::optional<std::chrono::seconds> PostgresAddress::connect_timeout() const {
    const auto found = attempts_.front().find("connect_timeout");
    if (found == attempts_.front().end()) return std::nullopt;
    const std::string& text = found->second;
    int seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc{} || end != text.data() + text.size() || seconds <= 0)
        return std::nullopt;
    return std::chrono::seconds(seconds);
}

std::string PostgresAddress::scrubbed(std::string text) const {
    return scrub(std::move(text), passwords_);
}

} // namespace rowq::detail::db
