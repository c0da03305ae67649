// rowq work: a shell command for each row.
#include "commands.hpp"
#include "exec.hpp"
#include "work_observer.hpp"

#include <rowq/broker.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

namespace rowq::cli {

namespace {

using namespace std::chrono_literals;

struct WorkCommand {
    std::string exec;
    std::optional<std::string> group;
    std::size_t workers = 1;
    std::optional<int> max_attempts;
    std::string dead_letter;
    std::string lease;
    std::string timeout;
    std::string poll;
    std::string grace = "30s";
    std::optional<std::string> key;
    bool drain = false;
};

// Exit codes of a command, after sysexits.h: EX_DATAERR drops, EX_TEMPFAIL retries.
constexpr int drop_code = 65;
constexpr int retry_code = 75;

// Runs the command for each delivery; shared by the workers.
class Runner {
public:
    Runner(const CommandKeeper& keeper, const WorkCommand& command, bool json)
        : keeper_(keeper),
          text_(command.exec),
          grace_(duration("--grace", command.grace)),
          json_(json) {
        if (!command.timeout.empty()) timeout_ = duration("--timeout", command.timeout);
    }

    Outcome operator()(const std::string& payload, const Delivery& delivery) const {
        const Command command{
            text_,
            payload,
            {{"ROWQ_ID", to_string(delivery.id())},
             {"ROWQ_ATTEMPT", std::to_string(delivery.attempt())},
             {"ROWQ_GROUP", delivery.group()},
             {"ROWQ_HEADERS", delivery.headers()}},
            timeout_,
            json_};
        std::optional<std::chrono::steady_clock::time_point> last_moment;
        const auto stop = delivery.stop_token();
        const auto end = run_command(keeper_, command, [&] {
            if (delivery.lost()) return Urgency::end; // another may run the row already
            if (stop.stop_requested() && !last_moment)
                last_moment = std::chrono::steady_clock::now() + grace_;
            return last_moment && std::chrono::steady_clock::now() >= *last_moment ? Urgency::end
                                                                                   : Urgency::none;
        });
        return outcome_of(end);
    }

private:
    [[nodiscard]] Outcome outcome_of(const CommandEnd& end) const {
        if (end.timed_out)
            throw std::runtime_error(fmt::format("timed out after {} ms", timeout_->count()));
        if (end.told_to_end) throw std::runtime_error("ended before it was done");
        if (end.signal != 0)
            throw std::runtime_error(fmt::format("killed by signal {}", end.signal));
        if (end.exit_code == 0) return ack();
        if (end.exit_code == drop_code) return drop();
        if (end.exit_code == retry_code) return retry();
        throw std::runtime_error(fmt::format("exit status {}", end.exit_code));
    }

    const CommandKeeper& keeper_;
    std::string text_;
    std::chrono::milliseconds grace_;
    std::optional<std::chrono::milliseconds> timeout_;
    bool json_; // standard output is ours
};

void set_options(Subscription& subscription, const WorkCommand& command) {
    subscription.workers(command.workers).drain(command.drain);
    if (!command.lease.empty()) subscription.lease(duration("--lease", command.lease));
    if (!command.poll.empty()) subscription.poll_interval(duration("--poll", command.poll));
    if (command.max_attempts) subscription.max_attempts(*command.max_attempts);
    if (!command.dead_letter.empty()) subscription.dead_letter(command.dead_letter);
}

void run(const Globals& globals, const WorkCommand& command) {
    using Detail = WorkObserver::Detail;
    if (command.exec.find_first_not_of(" \t\n") == std::string::npos)
        throw UsageError("--exec: the command is empty");
    if (command.key && command.key->empty()) throw UsageError("--key: the key is empty");
    if (command.max_attempts.has_value() == command.dead_letter.empty())
        throw UsageError(
            "--max-attempts and --dead-letter come together: after how many runs, and where the row goes then");
    const CommandKeeper keeper;
    const Runner runner(keeper, command, globals.json);
    const auto description = describe(globals, command.key.value_or(""));
    const auto detail = globals.quiet     ? Detail::errors_only
                        : globals.verbose ? Detail::everything
                                          : Detail::usual;
    const auto observer = std::make_shared<WorkObserver>(detail, globals.json);
    // The runner ends commands when the grace period is over; the broker waits for that.
    const auto grace = duration("--grace", command.grace) + 3'500ms;
    Broker broker(existing(globals.db), BrokerOptions().observer(observer).grace(grace));
    const Table<void> table(description, {});
    const auto group = group_to_use(description, command.group);
    auto subscription =
        group.empty() ? broker.subscribe(table, runner) : broker.subscribe(table, group, runner);
    set_options(subscription, command);
    observer->when_output_fails([&broker] { broker.request_stop(); });
    broker.run();
    observer->check_output();
    if (!globals.quiet)
        print_error(fmt::format(
            "{}rowq: {}\n", isatty(STDERR_FILENO) != 0 ? "\r" : "", observer->summary()));
}

} // namespace

void add_work(CLI::App& app, const Globals& globals) {
    const auto command = std::make_shared<WorkCommand>();
    auto* work = app.add_subcommand("work", "Run a command for each row, until stopped");
    work->footer(
        "The command gets the payload on standard input and ROWQ_ID, ROWQ_ATTEMPT, ROWQ_GROUP and ROWQ_HEADERS in its\n"
        "environment. Exit 0: done. 65: dropped. 75: retried at once. Anything else, or a signal: retried with back-off.\n"
        "Example:\n  rowq work --exec './resize.sh' --group images --workers 4 --max-attempts 5 --dead-letter failed");
    work->add_option("--exec", command->exec, "The command, run by sh -c")->required();
    work->add_option("--group", command->group, "The group to read. Default: default");
    work->add_option("--workers", command->workers, "Commands at once. Default: 1")
        ->check(CLI::Range(1, 10'000));
    work->add_option(
            "--max-attempts", command->max_attempts,
            "Runs of a row before it moves to the dead letter")
        ->check(CLI::Range(1, 1'000'000));
    work->add_option(
        "--dead-letter", command->dead_letter,
        "The group (or, in a table without groups, the table) it moves to");
    work->add_option(
        "--lease", command->lease,
        "Lease form: how long a dead worker's rows stay taken. Default: 30s");
    work->add_option("--timeout", command->timeout, "End a command that runs longer");
    work->add_option(
        "--poll", command->poll, "How often to look for work when there is none. Default: 1s");
    work->add_option(
        "--grace", command->grace,
        "How long running commands may go on after SIGINT or SIGTERM. Default: 30s");
    work->add_option(
        "--key", command->key,
        "Advisory lock form: what rows exclude each other by, e.g. \"account-{account}\"");
    work->add_flag(
        "--drain", command->drain,
        "Stop when no row of the group is left, delayed ones and those in work elsewhere included");
    work->callback([&globals, command] { run(globals, *command); });
}

} // namespace rowq::cli
