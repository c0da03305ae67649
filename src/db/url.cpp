// Addresses of databases: which driver they ask for, and how to show them without their passwords.
#include "db/url.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rowq::detail::db {

namespace {

constexpr std::string_view hidden = "***";
constexpr auto none = std::string_view::npos;

struct Parts {
    std::string_view scheme;    // with ://
    std::string_view user_part; // user, or user:password
    std::string_view hosts;     // hosts and ports
    std::string_view path;      // with its slash
    std::string_view query;     // without its question mark
    bool has_user = false;
    bool ambiguous = false; // a password may reach into the other parts
};

bool is_port(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// host[:port], [address]:port, or a list of them.
bool are_hosts(std::string_view list) {
    while (true) {
        const auto comma = list.find(',');
        auto host = list.substr(0, comma);
        if (host.starts_with('[')) host.remove_prefix(std::min(host.find(']'), host.size()));
        if (const auto colon = host.find(':'); colon != none && !is_port(host.substr(colon + 1)))
            return false;
        if (comma == none) return true;
        list.remove_prefix(comma + 1);
    }
}

Parts split(std::string_view url) {
    Parts parts;
    const auto start = url.find("://");
    if (start == none) return parts;
    parts.scheme = url.substr(0, start + 3);
    auto rest = url.substr(start + 3);
    if (const auto question = rest.find('?'); question != none) {
        parts.query = rest.substr(question + 1);
        rest = rest.substr(0, question);
    }
    const auto slash = std::min(rest.find('/'), rest.size());
    const auto at = rest.rfind('@');
    parts.has_user = at != none;
    const auto hosts = rest.substr(0, slash);
    // "user:4711?x@host": digits are a port as well.
    const bool port_may_be_password =
        slash == rest.size() && hosts.find(':') != none && parts.query.find('@') != none;
    parts.ambiguous =
        at != none ? at > slash || rest.find('@') != at : !are_hosts(hosts) || port_may_be_password;
    if (parts.has_user) {
        parts.user_part = rest.substr(0, at);
        rest = rest.substr(at + 1);
    }
    const auto path = std::min(rest.find('/'), rest.size());
    parts.hosts = rest.substr(0, path);
    parts.path = rest.substr(path);
    return parts;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string percent_decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        if (low >= 0) i += 2;
        result += low >= 0 ? static_cast<char>(high * 16 + low) : text[i];
    }
    return result;
}

bool is_secret(std::string_view key) {
    const std::string name = percent_decoded(key);
    return name == "password" || name == "sslpassword" || name == "oauth_client_secret";
}

// Other values are not shown: a misspelt option may hold a password.
bool is_harmless(std::string_view key) {
    constexpr std::array<std::string_view, 9> names{
        "application_name", "connect_timeout",      "dbname", "host", "hostaddr", "port",
        "sslmode",          "target_session_attrs", "user"};
    return std::ranges::find(names, key) != names.end();
}

template <class F>
void each_option(std::string_view query, F f) {
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const auto option = query.substr(0, end);
        const auto equals = option.find('=');
        f(option.substr(0, equals), equals == none ? "" : option.substr(equals + 1),
          equals != none);
        query.remove_prefix(std::min(end + 1, query.size()));
    }
}

std::string redacted_query(std::string_view query) {
    std::string result;
    each_option(query, [&](std::string_view key, std::string_view value, bool complete) {
        result += result.empty() ? '?' : '&';
        // A key without a value is no option, but may be the end of a password with a question mark.
        if (!complete) {
            result += hidden;
            return;
        }
        result.append(key).append("=").append(is_harmless(key) ? value : hidden);
    });
    return result;
}

} // namespace

Scheme scheme_of(std::string_view url) noexcept {
    if (url.starts_with("postgresql://") || url.starts_with("postgres://")) return Scheme::postgres;
    if (url.starts_with("mysql://") || url.starts_with("mariadb://")) return Scheme::mysql;
    if (url.starts_with("sqlite:")) return Scheme::sqlite;
    return Scheme::other;
}

std::string redact(std::string_view url) {
    const Parts parts = split(url);
    if (scheme_of(url) == Scheme::sqlite) return std::string(url);
    if (parts.scheme.empty()) return std::string(hidden);
    std::string result(parts.scheme);
    const auto first = parts.has_user ? parts.user_part : parts.hosts;
    const auto colon = first.find(':');
    if (parts.ambiguous) {
        result.append(first.substr(0, colon)).append(":").append(hidden);
        if (parts.has_user) result.append("@").append(parts.hosts).append(parts.path);
        return result;
    }
    if (parts.has_user) {
        result.append(first.substr(0, colon));
        if (colon != none) result.append(":").append(hidden);
        result += '@';
    }
    return result.append(parts.hosts).append(parts.path).append(redacted_query(parts.query));
}

std::string ambiguity_in(std::string_view url) {
    if (!split(url).ambiguous) return {};
    return "a user, password, port or database name holds a character that has a meaning in "
           "addresses; write @ as %40, : as %3A, / as %2F, ? as %3F";
}

std::vector<std::string> passwords_in(std::string_view url) {
    const Parts parts = split(url);
    std::vector<std::string> found;
    const auto add = [&](std::string_view password) {
        for (std::string text : {std::string(password), percent_decoded(password)})
            if (!text.empty() && std::ranges::find(found, text) == found.end())
                found.push_back(std::move(text));
    };
    if (const auto colon = parts.user_part.find(':'); colon != none)
        add(parts.user_part.substr(colon + 1));
    each_option(parts.query, [&](std::string_view key, std::string_view value, bool) {
        if (is_secret(key)) add(value);
    });
    // The longest first: one that holds another is hidden as a whole.
    std::ranges::sort(found, std::ranges::greater{}, &std::string::size);
    return found;
}

std::string scrub(std::string text, const std::vector<std::string>& passwords) {
    for (const std::string& password : passwords) {
        for (auto at = text.find(password); at != none; at = text.find(password, at + 3))
            text.replace(at, password.size(), hidden);
    }
    return text;
}

} // namespace rowq::detail::db
