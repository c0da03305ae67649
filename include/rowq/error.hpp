// The one exception type of rowq: flat, with questions to ask it.
#pragma once

#include <rowq/value.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rowq {

/// What went wrong, coarsely enough to act on.
enum class ErrorCode {
    connect,            ///< no connection: wrong address, refused, timed out, wrong password
    schema,             ///< a table, column or type is not as described
    declaration,        ///< a description or an option that cannot work
    dialect,            ///< this build has no driver for the database
    server_too_old,     ///< below the version that is needed; the message names both
    already_subscribed, ///< a second subscription for the same queue in one broker
    database,           ///< the database refused or failed a statement
    lease_lost,         ///< the lease was taken over or released; nothing was changed
    lock_lost,          ///< the lock on row or key has ended; nothing was changed
    batch_rolled_back,  ///< reserved: a batch was rolled back as a whole
    transaction_held,   ///< reserved: a transaction handle outlived its handler
    listen,             ///< reserved: notifications cannot be received
    publish,            ///< the database refused the rows; none was written
    header,             ///< headers that are no JSON object
    no_route,           ///< reserved: no table is known for a name
    closed,             ///< the broker has stopped, or has started already
};

/// The code as written in its enumerator, e.g. "lease_lost".
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

/// Every failure of rowq. Cheap to copy; safe to read from any thread. what() is one line that names what failed, where, and
/// what to do; payloads and passwords never appear in it.
class Error : public std::runtime_error {
public:
    /// What an error knows besides its code. Unknown parts stay empty.
    struct Details {
        std::string subscription = {}; ///< the group, or the table where it is one queue
        std::string table = {};        ///< as the description names it
        std::optional<Id> row = {};    ///< the row a settlement was about
        std::string
            sqlstate; ///< the server's five-character code, or SQLite's result code as a number
        std::string server_text = {}; ///< the server's own words, kept apart from ours
        bool retryable = false;       ///< the same statement may succeed if sent again
        bool connection_lost = false;
        bool outcome_unknown = false;
    };

    /// @param text one line in rowq's own words; table, subscription, row and the server's text are added to it.
    Error(ErrorCode code, std::string_view text);
    Error(ErrorCode code, std::string_view text, Details details);

    [[nodiscard]] ErrorCode code() const noexcept { return code_; }
    [[nodiscard]] const std::string& subscription() const noexcept {
        return details_->subscription;
    }
    [[nodiscard]] const std::string& table() const noexcept { return details_->table; }
    [[nodiscard]] const std::optional<Id>& row() const noexcept { return details_->row; }
    [[nodiscard]] const std::string& sqlstate() const noexcept { return details_->sqlstate; }
    [[nodiscard]] const std::string& server_text() const noexcept { return details_->server_text; }

    /// Sending it again may succeed: a serialization failure, a deadlock, a lock not had in time, a full pool or disk, a server that is away.
    [[nodiscard]] bool retryable() const noexcept { return details_->retryable; }

    /// The connection is gone; whatever it held is released.
    [[nodiscard]] bool connection_lost() const noexcept { return details_->connection_lost; }

    /// A commit was sent and its answer was lost: it may or may not have taken effect.
    [[nodiscard]] bool outcome_unknown() const noexcept { return details_->outcome_unknown; }

    [[nodiscard]] const Details& details() const noexcept { return *details_; }

    /// The text alone, as given to the constructor.
    [[nodiscard]] const std::string& text() const noexcept { return *text_; }

    /// The same error, told with the places that only the caller knows. Parts that are already set are kept.
    [[nodiscard]] Error at(
        std::string_view table, std::string_view subscription,
        std::optional<Id> row = std::nullopt) const;

private:
    ErrorCode code_;
    std::shared_ptr<const std::string> text_;
    std::shared_ptr<const Details> details_;
};

} // namespace rowq
