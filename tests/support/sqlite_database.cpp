// sqlite3, used directly.
#include "support/sqlite_database.hpp"

#if ROWQ_WITH_SQLITE

#include "support/sqlite_files.hpp"

#include <sqlite3.h>

#include <stdexcept>

namespace rowq::test {

namespace {

class SqliteSession final : public Session {
public:
    explicit SqliteSession(const std::string& path) {
        sqlite3* opened = nullptr;
        const int status = sqlite3_open(path.c_str(), &opened);
        connection_.reset(opened);
        if (status != SQLITE_OK) throw std::runtime_error("cannot open " + path);
        sqlite3_busy_timeout(opened, 60'000);
    }

    Rows rows(const std::string& sql) override {
        Rows rows;
        char* message = nullptr;
        const auto keep = [](void* to, int count, char** values, char**) {
            auto& row = static_cast<Rows*>(to)->emplace_back();
            for (int i = 0; i < count; ++i)
                row.emplace_back(values[i] != nullptr ? values[i] : "NULL");
            return 0;
        };
        if (sqlite3_exec(connection_.get(), sql.c_str(), keep, &rows, &message) != SQLITE_OK) {
            const std::string text = sql + ": " + (message != nullptr ? message : "failed");
            sqlite3_free(message);
            throw std::runtime_error(text);
        }
        return rows;
    }

private:
    struct Close {
        void operator()(sqlite3* connection) const { sqlite3_close(connection); }
    };
    std::unique_ptr<sqlite3, Close> connection_;
};

class SqliteDatabase final : public TestDatabase {
public:
    SqliteDatabase() { session().run("PRAGMA journal_mode = WAL"); }

    [[nodiscard]] Server server() const noexcept override { return Server::sqlite; }
    [[nodiscard]] const std::string& url() const noexcept override { return url_; }
    [[nodiscard]] std::unique_ptr<Session> connect() const override {
        return std::make_unique<SqliteSession>(path_);
    }

private:
    TemporaryFolder folder_;
    std::string path_ = folder_ / "app.db";
    std::string url_ = "sqlite:" + path_;
};

} // namespace

std::unique_ptr<TestDatabase> make_sqlite_database() { return std::make_unique<SqliteDatabase>(); }

} // namespace rowq::test

#endif
