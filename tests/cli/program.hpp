// The rowq program as a shell would run it.
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace rowq::test {

struct Ended {
    int status = 0; // exit status; 128 + the signal that ended it
    std::string out;
    std::string err;
};

// A shell command line; "rowq" is the program, `environment` holds NAME=VALUE. Standard error and output end up in files, so nothing blocks.
class Program {
public:
    Program(
        const std::string& command_line, const std::vector<std::string>& environment,
        const std::string& folder);
    ~Program(); // killed if it still runs
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void signal(int number) const;
    [[nodiscard]] Ended wait();

private:
    pid_t pid_ = -1;
    std::string out_;
    std::string err_;
};

} // namespace rowq::test
