// The rowq program as a shell would run it.
#include "cli/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace rowq::test {

namespace {

std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

Program::Program(
    const std::string& command_line, const std::vector<std::string>& environment,
    const std::string& folder) {
    static int number = 0;
    const std::string base = folder + "/program" + std::to_string(++number);
    out_ = base + ".out";
    err_ = base + ".err";
    const std::string program = ROWQ_CLI_PATH;
    const std::string path = "PATH=" + program.substr(0, program.rfind('/')) + ":/usr/bin:/bin";
    // A command line that begins with "exec" makes the process that is waited for, and signalled, the program itself.
    const std::string text = "cd '" + folder + "' && " + command_line;
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ > 0) return;
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out = open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int err = open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    putenv(const_cast<char*>(path.c_str())); // NOLINT: exec follows
    for (const auto& variable : environment) putenv(const_cast<char*>(variable.c_str())); // NOLINT
    execl("/bin/bash", "bash", "-c", text.c_str(), nullptr);
    _exit(127);
}

Program::~Program() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

void Program::signal(int number) const {
    if (pid_ > 0) kill(pid_, number);
}

Ended Program::wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return {
        WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), content(out_),
        content(err_)};
}

} // namespace rowq::test
