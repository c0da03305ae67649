// Runs a shell command for a row: payload on its standard input, its end awaited, nothing of it left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rowq::cli {

// Ends the sessions of commands whose worker died, so that none goes on beside the row's next run. A small process of its own that
// waits for the end of a pipe only this process writes to. Made before any thread; one a process.
class CommandKeeper {
public:
    CommandKeeper();
    ~CommandKeeper();
    CommandKeeper(const CommandKeeper&) = delete;
    CommandKeeper& operator=(const CommandKeeper&) = delete;

    [[nodiscard]] int pipe() const noexcept { return pipe_; }
    void ended(pid_t session) const noexcept;

private:
    int pipe_ = -1;
    pid_t process_ = -1;
};

struct Command {
    std::string shell_text;
    std::string input;
    std::vector<std::pair<std::string, std::string>> environment; // added to this process's
    std::optional<std::chrono::milliseconds> timeout;
    bool output_to_errors = false; // its standard output joins standard error
};

// How a command ended.
struct CommandEnd {
    int exit_code = 0; // if it exited
    int signal = 0;    // if a signal ended it
    bool timed_out = false;
    bool told_to_end = false;
};

// How urgently a running command should end; asked several times a second.
enum class Urgency { none, end };

// Each command is a session of its own. SIGTERM to all its processes when it must end, SIGKILL a few seconds later. Safe to call from several threads at once.
// Throws std::runtime_error if it cannot be started.
[[nodiscard]] CommandEnd run_command(
    const CommandKeeper& keeper, const Command& command, const std::function<Urgency()>& urgency);

} // namespace rowq::cli
