// A PostgreSQL database as the rooms above see it.
#pragma once

#include "db/database.hpp"
#include "db/postgres_address.hpp"
#include "db/postgres_connection.hpp"

#include <mutex>
#include <optional>
#include <string_view>

namespace rowq::detail::db {

class PostgresDatabase final : public Database {
public:
    PostgresDatabase(std::string_view url, const Options& options);

    [[nodiscard]] Kind kind() const noexcept override { return Kind::postgres; }
    [[nodiscard]] std::string name() const override { return shared_.name; }
    [[nodiscard]] Server server() override;
    std::vector<Result> read(std::span<const Call> calls) override;
    std::vector<Result> write(std::span<const Call> calls) override;
    std::vector<Result> write_late(const MakeCalls& make_calls) override;
    void prepare(std::span<const Query> queries) override;
    [[nodiscard]] Pool* pool() noexcept override { return &pool_; }
    [[nodiscard]] Holds* holds() noexcept override { return nullptr; }
    void reserve(std::size_t connections) override { pool_.reserve(connections); }
    void end_waits_at(std::chrono::steady_clock::time_point at) noexcept override {
        shared_.cutoff.set(at);
    }
    void close() noexcept override { pool_.close(); }

private:
    std::unique_ptr<Connection> connect();
    template <class Work>
    auto with_session(Work work);
    std::vector<Result> run(std::span<const Call> calls);

    PostgresAddress address_;
    std::chrono::milliseconds connect_timeout_;
    PgShared shared_;
    std::mutex mutex_;
    std::optional<Server> server_; // from the newest connection
    Pool pool_;
};

} // namespace rowq::detail::db
