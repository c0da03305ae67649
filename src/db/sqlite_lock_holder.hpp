// Who keeps a database locked.
#pragma once

#include <string>

namespace rowq::detail::db {

// The process that holds the write lock of a database with a write-ahead log, as "process 4711 (sqlite3)"; empty if the kernel's list
// of locks does not tell (another container, a file system with device numbers of its own).
[[nodiscard]] std::string sqlite_lock_holder(const std::string& database_path);

} // namespace rowq::detail::db
