// fork, exec, feed, wait.
#include "exec.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

extern char** environ; // NOLINT: POSIX declares it so

namespace rowq::cli {

using namespace std::chrono_literals;

namespace {

constexpr auto kill_after = 3s;                   // from SIGTERM to SIGKILL
constexpr std::size_t longest_variable = 131'072; // MAX_ARG_STRLEN, with its name and its end

// The session that a process belongs to and whether it still runs, as the kernel tells; {0, false} for one that is gone.
std::pair<pid_t, bool> session_of(const char* process) {
    std::ifstream file(std::string("/proc/") + process + "/stat");
    std::string text;
    std::getline(file, text);
    const auto name_end = text.rfind(')'); // a name may hold anything
    if (name_end == std::string::npos) return {0, false};
    std::istringstream rest(text.substr(name_end + 1));
    char state = 0;
    pid_t parent = 0, group = 0, session = 0;
    rest >> state >> parent >> group >> session;
    return {session, state != 'Z' && state != 'X'};
}

// To every process of the command, whatever groups they have made. True if there was one.
bool signal_session(pid_t session, int signal) {
    bool found = false;
    const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir("/proc"), closedir);
    while (const dirent* entry = processes ? readdir(processes.get()) : nullptr) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
        if (session_of(entry->d_name) != std::pair{session, true}) continue;
        found = kill(std::atoi(entry->d_name), signal) == 0 || found;
    }
    return found;
}

// Processes may start others between our look and our signal.
void end_session(pid_t session) {
    for (int tries = 0; tries < 20 && signal_session(session, SIGKILL); ++tries) {
    }
}

// What travels to the keeper: a session that has begun, or, negative, one that has ended.
[[noreturn]] void keep(int pipe) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
    setpgid(0, 0);
    std::set<pid_t> sessions;
    pid_t message = 0;
    for (ssize_t got = 0; (got = read(pipe, &message, sizeof message)) != 0;) {
        if (got < 0 && errno != EINTR) break;
        if (got != sizeof message) continue;
        if (message > 0)
            sessions.insert(message);
        else
            sessions.erase(-message);
    }
    for (const pid_t session : sessions) end_session(session);
    _exit(0);
}

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class Descriptor {
public:
    explicit Descriptor(int value = -1) : value_(value) {}
    ~Descriptor() { reset(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const noexcept { return value_; }
    void reset(int value = -1) noexcept {
        if (value_ >= 0) close(value_);
        value_ = value;
    }

private:
    int value_;
};

// All signals wait while it lives.
class SignalsHeld {
public:
    SignalsHeld() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &former_);
    }
    ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

private:
    sigset_t former_{};
};

// Only calls that are safe between fork and exec in a program with threads.
[[noreturn]] void become(
    char* const* arguments, char* const* environment, int input, bool output_to_errors, int keeper,
    pid_t parent) {
    const pid_t self = getpid();
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Without a keeper it could outlive its worker.
    if (write(keeper, &self, sizeof self) != sizeof self || getppid() != parent) _exit(127);
    dup2(input, STDIN_FILENO);
    if (output_to_errors) dup2(STDERR_FILENO, STDOUT_FILENO);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve("/bin/sh", arguments, environment);
    _exit(127);
}

// Variables of the same name are replaced, not doubled.
std::vector<std::string> merged_environment(const Command& command) {
    std::vector<std::string> merged;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        bool replaced = false;
        for (const auto& [name, value] : command.environment)
            replaced = replaced || text.starts_with(name + "=");
        if (!replaced) merged.emplace_back(text);
    }
    for (const auto& [name, value] : command.environment) merged.push_back(name + "=" + value);
    return merged;
}

// Feeds what the pipe takes; true once all is written or the command does not want it.
bool feed(Descriptor& pipe, std::string_view& input) {
    while (!input.empty()) {
        const auto written = write(pipe.get(), input.data(), input.size());
        if (written < 0 && errno == EAGAIN) return false;
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) break;
        input.remove_prefix(static_cast<std::size_t>(written));
    }
    pipe.reset();
    return true;
}

pid_t start(const CommandKeeper& keeper, const Command& command, Descriptor& input) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("no pipe for a command");
    const Descriptor read_end(ends[0]);
    input.reset(ends[1]);
    fcntl(input.get(), F_SETFL, O_NONBLOCK);

    std::array<std::string, 3> words{"sh", "-c", command.shell_text};
    const std::array<char*, 4> arguments{
        words[0].data(), words[1].data(), words[2].data(), nullptr};
    auto variables = merged_environment(command);
    std::vector<char*> environment;
    for (auto& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);

    for (const auto& variable : variables) {
        if (variable.size() >= longest_variable)
            throw std::runtime_error(
                "the row's " + variable.substr(0, variable.find('=')) +
                " is longer than the 128 KiB that a command's environment takes");
    }

    const pid_t parent = getpid();
    const SignalsHeld held; // the child must not run our handlers before it is itself
    const pid_t child = fork();
    if (child < 0) fail("a command cannot be started");
    if (child == 0)
        become(
            arguments.data(), environment.data(), read_end.get(), command.output_to_errors,
            keeper.pipe(), parent);
    return child;
}

} // namespace

CommandKeeper::CommandKeeper() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("no pipe for commands");
    process_ = fork();
    if (process_ < 0) fail("a process cannot be started");
    if (process_ == 0) {
        close(ends[1]);
        keep(ends[0]);
    }
    close(ends[0]);
    pipe_ = ends[1];
}

CommandKeeper::~CommandKeeper() {
    close(pipe_);
    waitpid(process_, nullptr, 0);
}

void CommandKeeper::ended(pid_t session) const noexcept {
    const pid_t message = -session;
    [[maybe_unused]] const auto told = write(pipe_, &message, sizeof message);
}

CommandEnd run_command(
    const CommandKeeper& keeper, const Command& command, const std::function<Urgency()>& urgency) {
    using Clock = std::chrono::steady_clock;
    Descriptor input;
    const pid_t child = start(keeper, command, input);
    // The child's end as a descriptor: waited for together with its input. glibc 2.36 has pidfd_open, older ones do not.
    const Descriptor watch(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
    std::string_view rest(command.input);
    CommandEnd end;
    std::optional<Clock::time_point> kill_at;
    const auto started = Clock::now();
    bool fed = feed(input, rest);
    siginfo_t info{};
    for (;;) {
        info.si_pid = 0;
        waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
        if (info.si_pid == child) break;
        std::array<pollfd, 2> waits{
            pollfd{watch.get(), POLLIN, 0}, pollfd{fed ? -1 : input.get(), POLLOUT, 0}};
        poll(waits.data(), waits.size(), 100);
        if (!fed && waits[1].revents != 0) fed = feed(input, rest);
        const auto now = Clock::now();
        end.timed_out = end.timed_out || (command.timeout && now - started >= *command.timeout);
        end.told_to_end = end.told_to_end || urgency() == Urgency::end;
        if (!kill_at && (end.timed_out || end.told_to_end)) {
            signal_session(child, SIGTERM);
            kill(child, SIGTERM); // before it has its session
            kill_at = now + kill_after;
        }
        if (kill_at && now >= *kill_at) {
            end_session(child);
            kill(child, SIGKILL);
        }
    }
    if (kill_at) end_session(child); // what it left behind when it was told to end
    keeper.ended(child);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    return end;
}

} // namespace rowq::cli
