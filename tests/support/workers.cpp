// Starting and ending worker processes.
#include "support/workers.hpp"

#include <fstream>

namespace rowq::test {

bool Worker::ends_well() {
    while (child_.line()) { // until it closes its output
    }
    const int status = child_.wait();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::int64_t Worker::kill() {
    const auto at = monotonic_ns();
    child_.signal(SIGKILL);
    child_.wait();
    return at;
}

std::unique_ptr<Worker> FaultTest::launch(const WorkerArguments& arguments) {
    std::vector<std::string> words{
        "url=" + database().url(), "form=" + std::string(to_string(form())),
        "history=" + history_file()};
    for (const auto& [name, value] : arguments) words.push_back(name + "=" + value);
    return std::make_unique<Worker>(words);
}

std::unique_ptr<Worker> FaultTest::start(const WorkerArguments& arguments) {
    auto worker = launch(arguments);
    EXPECT_TRUE(worker->opened()) << "a worker did not start";
    return worker;
}

History FaultTest::history() const {
    History history = History::read(history_file());
    for (const auto& [pid, at] : deaths_) history.killed(pid, at);
    return history;
}

void FaultTest::open_gate() const { std::ofstream(gate_file()) << "open"; }

} // namespace rowq::test
