// Holds by open-file-description locks on a file beside the database.
#pragma once

#include "db/holds.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>

namespace rowq::detail::db {

// The file is `<database>-rowq`: it is empty and stays so, only the locks on it count. It may stay when nobody runs and may be deleted
// then. It must not be deleted while in use: processes that open a new one would not see the holds on the old one. A process notices at
// its next try_hold, gives the hold back and throws `database`, until it is started again: holds it has already given out go on, but
// it takes no new one that another process could have too.
//
// One open file description per database and process: locks belong to the description, so a fork() without exec keeps the parent's
// holds alive for as long as the child lives.
class OfdHolds final : public Holds {
public:
    // Touches no file before the first try_hold. An empty path is a database in memory: the set alone.
    explicit OfdHolds(const std::string& database_path);
    ~OfdHolds() override;
    OfdHolds(const OfdHolds&) = delete;
    OfdHolds& operator=(const OfdHolds&) = delete;

    [[nodiscard]] std::optional<Hold> try_hold(std::uint64_t number) override;

private:
    void release(std::uint64_t number) noexcept override;
    void open_file();
    [[nodiscard]] bool lock_byte(std::uint64_t byte);
    void unlock_byte(std::uint64_t byte) noexcept;
    [[nodiscard]] bool file_in_place() const noexcept;

    const std::string database_;
    const std::string path_; // of the file; empty: in memory
    std::mutex mutex_;
    int file_ = -1;
    std::unordered_set<std::uint64_t> held_;
};

} // namespace rowq::detail::db
