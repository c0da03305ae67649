// A PostgreSQL database as the rooms above see it.
#include "db/postgres_database.hpp"

#include "db/postgres.hpp"
#include "db/postgres_connect.hpp"

namespace rowq::detail::db {

std::unique_ptr<Database> open_postgres(std::string_view url, const Options& options) {
    return std::make_unique<PostgresDatabase>(url, options);
}

PostgresDatabase::PostgresDatabase(std::string_view url, const Options& options)
    : address_(url, options.statement_timeout),
      connect_timeout_(options.connect_timeout),
      pool_([this] { return connect(); }, options.pool_size, options.acquire_timeout) {
    shared_.name = address_.name();
    shared_.statement_timeout = options.statement_timeout;
}

std::unique_ptr<Connection> PostgresDatabase::connect() {
    auto handle = connect_postgres(address_, connect_timeout_, shared_.cutoff);
    const int number = PQserverVersion(handle.get());
    const char* version = PQparameterStatus(handle.get(), "server_version");
    {
        const std::lock_guard lock(mutex_);
        server_ = Server{
            Kind::postgres, number / 10'000, number % 10'000,
            version == nullptr ? std::to_string(number / 10'000) : version};
    }
    return std::make_unique<PostgresConnection>(std::move(handle), shared_);
}

Server PostgresDatabase::server() {
    {
        const std::lock_guard lock(mutex_);
        if (server_) return *server_;
    }
    static_cast<void>(pool_.acquire());
    const std::lock_guard lock(mutex_);
    return server_.value();
}

template <class Work>
auto PostgresDatabase::with_session(Work work) {
    for (bool again = false;; again = true) {
        try {
            const auto connection = pool_.acquire();
            return work(*connection);
        } catch (const Error& error) {
            // Ended between our look at the socket and the first message: nothing has happened yet.
            if (again || !error.connection_lost() || error.outcome_unknown()) throw;
        }
    }
}

std::vector<Result> PostgresDatabase::run(std::span<const Call> calls) {
    if (calls.empty()) return {};
    return with_session(
        [&](Connection& session) { return session.run(calls, {.begin = true, .commit = true}); });
}

std::vector<Result> PostgresDatabase::read(std::span<const Call> calls) { return run(calls); }

std::vector<Result> PostgresDatabase::write(std::span<const Call> calls) { return run(calls); }

std::vector<Result> PostgresDatabase::write_late(const MakeCalls& make_calls) {
    return with_session([&](Connection& session) {
        return session.run(make_calls(), {.begin = true, .commit = true});
    });
}

void PostgresDatabase::prepare(std::span<const Query> queries) {
    auto connection = pool_.acquire();
    for (const Query& query : queries) connection->prepare(query);
}

} // namespace rowq::detail::db
