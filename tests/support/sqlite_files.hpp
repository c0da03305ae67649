// SQLite databases in a folder of the test's own, and short ways to use them.
#pragma once

#include "db/database.hpp"
#include "db/sqlite.hpp"

#include <rowq/error.hpp>

#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rowq::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "rowq-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string operator/(std::string_view name) const {
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

using DatabasePtr = std::unique_ptr<detail::db::Database>;

inline DatabasePtr open_file(
    const std::string& path_and_options, detail::db::Options options = {}) {
    return detail::db::open_sqlite("sqlite:" + path_and_options, options);
}

inline detail::db::Result write(
    detail::db::Database& database, std::string text, std::vector<Value> parameters = {}) {
    const detail::db::Query query{std::move(text)};
    const detail::db::Call call{&query, std::move(parameters)};
    return database.write(std::span(&call, 1)).at(0);
}

inline detail::db::Result read(
    detail::db::Database& database, std::string text, std::vector<Value> parameters = {}) {
    const detail::db::Query query{std::move(text)};
    const detail::db::Call call{&query, std::move(parameters)};
    return database.read(std::span(&call, 1)).at(0);
}

inline std::int64_t read_number(detail::db::Database& database, std::string text) {
    return std::get<std::int64_t>(read(database, std::move(text)).at(0, 0));
}

// The Error that the action throws; empty if it throws none.
inline std::optional<Error> error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

} // namespace rowq::test
