// A program that a test starts, talks to by lines, stops and kills.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

namespace rowq::test {

// Killed and waited for at the end, whatever the test did. `program` is a name in ROWQ_TEST_BIN_DIR.
class Child {
public:
    Child(const std::string& program, const std::vector<std::string>& arguments) {
        int in[2];
        int out[2];
        if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0)
            throw std::runtime_error("no pipe");
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in[0], 0);
        posix_spawn_file_actions_adddup2(&actions, out[1], 1);
        const std::string path = std::string(ROWQ_TEST_BIN_DIR) + "/" + program;
        std::vector<std::string> words{path};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        const int error =
            ::posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        ::close(in[0]);
        ::close(out[1]);
        to_ = in[1];
        from_ = out[0];
        if (error != 0) throw std::runtime_error("cannot start " + path);
    }
    ~Child() {
        signal(SIGKILL);
        wait();
        close_input();
        ::close(from_);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // -1 once waited for.
    [[nodiscard]] pid_t pid() const { return pid_; }

    [[nodiscard]] pid_t id() const { return pid_; }

    void signal(int number) const {
        if (pid_ > 0) ::kill(pid_, number);
    }

    // The status as waitpid() gives it.
    int wait() {
        if (pid_ > 0) ::waitpid(pid_, &status_, 0);
        pid_ = -1;
        return status_;
    }

    void say(const std::string& line) const {
        const std::string text = line + "\n";
        if (::write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            throw std::runtime_error("the child does not listen");
    }

    void close_input() {
        if (to_ >= 0) ::close(to_);
        to_ = -1;
    }

    // The next line without its end; empty when the child has closed its output or says nothing for a minute.
    std::optional<std::string> line() {
        for (;;) {
            const std::size_t end = buffer_.find('\n');
            if (end != std::string::npos) {
                std::string text = buffer_.substr(0, end);
                buffer_.erase(0, end + 1);
                return text;
            }
            pollfd ready{from_, POLLIN, 0};
            if (::poll(&ready, 1, 60'000) <= 0) return std::nullopt;
            char bytes[4096];
            const ssize_t count = ::read(from_, bytes, sizeof bytes);
            if (count <= 0) return std::nullopt;
            buffer_.append(bytes, static_cast<std::size_t>(count));
        }
    }

private:
    pid_t pid_ = -1;
    int status_ = 0;
    int to_ = -1;
    int from_ = -1;
    std::string buffer_;
};

} // namespace rowq::test
