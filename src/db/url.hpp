// Addresses of databases: which driver they ask for, and how to show them without their passwords.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::db {

enum class Scheme : std::uint8_t { postgres, mysql, sqlite, other };

[[nodiscard]] Scheme scheme_of(std::string_view url) noexcept;

// The address with *** for every password: in front of the host, or as an option. What cannot be told apart from a password is hidden
// too, so any text may be passed.
[[nodiscard]] std::string redact(std::string_view url);

// Empty, or why the parts of an address with a host cannot be told apart: a reserved character that is not percent-encoded. The text
// quotes nothing of the address.
[[nodiscard]] std::string ambiguity_in(std::string_view url);

// Each password of the address, as written and percent-decoded.
[[nodiscard]] std::vector<std::string> passwords_in(std::string_view url);

// A client library's text, with *** for each of the passwords.
[[nodiscard]] std::string scrub(std::string text, const std::vector<std::string>& passwords);

} // namespace rowq::detail::db
