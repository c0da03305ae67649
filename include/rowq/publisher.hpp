// Puts rows into a queue.
#pragma once

#include <rowq/broker.hpp>
#include <rowq/codec.hpp>
#include <rowq/table.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rowq {

/// What a pushed row carries beside its payload.
class PushOptions {
public:
    /// Due this long from now, by the broker's clock. Needs a `retry_after` column. Default: what the database fills in where the column is
    /// `generated`, else now.
    PushOptions& delay(std::chrono::microseconds d) { return delay_ = d, *this; }
    /// Smaller is claimed first. Needs a `priority` column. Default: what the database fills in where the column is `generated`, else 0.
    PushOptions& priority(std::int64_t p) { return priority_ = p, *this; }
    /// A JSON object as text. Needs a `headers` column. Default: what the database fills in where the column is `generated`, else {}.
    PushOptions& headers(std::string json) { return headers_ = std::move(json), *this; }

    /// @internal
    std::optional<std::chrono::microseconds> delay_;
    std::optional<std::int64_t> priority_;
    std::optional<std::string> headers_;
};

namespace detail {

class PublisherCore {
public:
    PublisherCore(Broker& broker, const Description& table, std::string group, bool row_mode);
    PublisherCore(PublisherCore&&) noexcept;
    PublisherCore& operator=(PublisherCore&&) noexcept;
    ~PublisherCore();
    // Each element holds what one row's payload or bound columns get. All rows are written, or none.
    [[nodiscard]] std::vector<Id> push(
        std::vector<std::vector<Value>> rows, const PushOptions& options);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace detail

/// Writes Ts into one group of a table and wakes the subscriptions that read it, those of all brokers of the process. Needs no started broker.
/// Safe to use from any thread; must not outlive its broker.
/// In row mode T is the table's row type; an id that is `generated` is left to the database.
template <class T, class C = std::nullptr_t>
class Publisher {
public:
    /// @throws Error declaration: the table has no payload column or an id that nobody fills, a group is missing or given where the table
    /// has none.
    template <class Row, class... Members>
    Publisher(
        Broker& broker, const Table<Row, Members...>& table, std::string group = {}, C codec = {})
        : core_(broker, table.description(), std::move(group), table.row_mode) {
        if constexpr (!std::is_void_v<Row>) {
            static_assert(
                std::is_same_v<T, Row>, "a publisher of a row-mode table takes its row type");
            encode_ = [members = table.members()](const T& row) {
                return detail::write_row(members, row);
            };
        } else if constexpr (std::is_null_pointer_v<C>) {
            encode_ = [](const T& job) {
                return std::vector<Value>{DefaultCodec<T>{}.encode(job)};
            };
        } else {
            encode_ = [codec](const T& job) { return std::vector<Value>{codec.encode(job)}; };
        }
    }

    /// Writes one row and returns its id once it is committed.
    /// @throws Error publish (refused; nothing was written), header (not a JSON object), declaration (an option without its column), schema,
    /// connect, closed; outcome_unknown() may be set. What the codec throws passes through; row mode: std::out_of_range for a number that no
    /// column holds.
    Id push(const T& job, const PushOptions& options = {}) {
        return std::move(push_many(std::span(&job, 1), options).front());
    }

    /// Writes all rows in one transaction: all or none. Returns their ids in the same order.
    std::vector<Id> push_many(std::span<const T> jobs, const PushOptions& options = {}) {
        std::vector<std::vector<Value>> rows;
        rows.reserve(jobs.size());
        for (const T& job : jobs) rows.push_back(encode_(job));
        return core_.push(std::move(rows), options);
    }

private:
    detail::PublisherCore core_;
    std::function<std::vector<Value>(const T&)> encode_;
};

} // namespace rowq
