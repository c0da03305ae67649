// One session with a PostgreSQL server.
#pragma once

#include "db/connection.hpp"
#include "db/postgres_handle.hpp"
#include "db/postgres_pipeline.hpp"

#include <rowq/error.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rowq::detail::db {

// What the sessions of a database have in common; outlives them.
struct PgShared {
    std::string name; // the address without its password
    std::chrono::milliseconds statement_timeout{};
    Cutoff cutoff;
    // Set when a session did not find what it had prepared: a proxy hands it other sessions of the server between transactions. From then on
    // texts are sent with every execution.
    std::atomic<bool> behind_proxy{false};
};

class PostgresConnection final : public Connection {
public:
    // Takes a session as connect_postgres() leaves it.
    PostgresConnection(PgHandle handle, PgShared& shared);

    std::vector<Result> run(std::span<const Call> calls, Frame frame) override;
    void rollback() noexcept override;
    void prepare(const Query& query) override;
    [[nodiscard]] bool in_transaction() const noexcept override;

    // Looks at the socket, too: a session that was ended while nobody used it is found before anything is sent.
    [[nodiscard]] bool usable() const noexcept override;
    [[nodiscard]] std::vector<Notification> notifications() override;
    [[nodiscard]] int socket() const noexcept override;
    void close() noexcept override;

private:
    // A statement as the server described it.
    struct Statement {
        std::string name; // empty: not kept by the server
        std::vector<Oid> parameters;
        bool reads_binary = true;
    };

    // What a round trip carries, for judging its failure.
    struct Trip {
        std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
        Deadline deadline;
        std::size_t steps = 0; // messages
        std::size_t before_commit =
            0; // a session that ended while the server worked on these has committed nothing
        bool commits = false;
    };

    std::vector<Result> run_once(std::span<const Call> calls, Frame frame);
    void learn(std::span<const Query* const> queries, Deadline deadline, bool preparing);
    [[nodiscard]] std::vector<const Query*> unknown_among(std::span<const Call> calls) const;
    [[nodiscard]] Statement described(const PGresult& answer, std::string name) const;
    void send(const Statement& statement, const Call& call, const class PgParameters& parameters);
    void send(const char* text);
    void sent(int accepted);
    std::vector<PgAnswer> finish(const Trip& trip, bool preparing = false);
    void forget_statements();
    [[noreturn]] void refuse(const Collected& collected, bool preparing);
    [[noreturn]] void lose(const Collected& collected, const Trip& trip);
    [[nodiscard]] std::chrono::milliseconds waited_for(const Trip& trip) const;
    [[nodiscard]] Error ended(std::string_view how) const;
    void note(const PGresult& notice) const noexcept;

    PgShared& shared_;
    PgHandle handle_;
    std::unordered_map<std::uint32_t, Statement> statements_;
    std::string prefix_; // of statement names: no other session's name is equal
    std::uint64_t named_ = 0;
    bool stale_ = false;         // the last failure was about what had been prepared
    bool forgotten_ = false;     // the server still keeps statements that we do not know any more
    mutable bool ended_ = false; // found out by looking at the socket
};

} // namespace rowq::detail::db
