// Serves one queue and writes what it does into a history, until it is told to stop, drains, or is killed.
//
//   worker NAME=VALUE..
//     url=, form=, history=        required: the database, row_lock|lease|advisory, the history's path
//     table=jobs queue=q           what to read
//     workers=1 poll_ms=20 lease_ms=30000 grace_ms=30000 pool=0
//     max_attempts= dead_letter=   the cap
//     sleep_us=0                   how long each handler works
//     until=PATH                   handlers wait until this file exists, or until they are asked to stop if heed_stop=1
//     abort_on=ID                  the handler of this row kills the process
//     fail_on=ID                   the handler of this row throws
//     drain=1                      end when the queue is empty
//
// Prints "opened" once it works. Ends with 0 after a stop.
#include "support/history.hpp"
#include "support/job_table.hpp"

#include <rowq/rowq.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Arguments {
public:
    explicit Arguments(std::span<char*> words) {
        for (const std::string word : words) {
            const auto equals = word.find('=');
            if (equals == std::string::npos) throw std::runtime_error("NAME=VALUE, not " + word);
            values_[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
    [[nodiscard]] std::string text(
        const std::string& name, const std::string& otherwise = "") const {
        const auto found = values_.find(name);
        return found == values_.end() ? otherwise : found->second;
    }
    [[nodiscard]] int number(const std::string& name, int otherwise) const {
        return std::stoi(text(name, std::to_string(otherwise)));
    }

private:
    std::map<std::string, std::string> values_;
};

class Writer final : public Observer {
public:
    explicit Writer(HistoryWriter& history) : history_(history) {}

    void on(const Event& event) noexcept override {
        const std::string row = event.row != nullptr ? to_string(*event.row) : "-";
        switch (event.kind) {
        case Event::Kind::opened: std::cout << "opened" << std::endl; break;
        case Event::Kind::settled: history_.line("settled", row, name(event)); break;
        case Event::Kind::given_back: history_.line("given_back", row, ""); break;
        case Event::Kind::lost: history_.line("lost", row, ""); break;
        case Event::Kind::error: history_.line("error", row, event.error->what()); break;
        default: break;
        }
    }

private:
    static std::string_view name(const Event& event) {
        switch (event.outcome->kind()) {
        case Outcome::Kind::ack: return "ack";
        case Outcome::Kind::drop: return "drop";
        case Outcome::Kind::retry: return "retry";
        case Outcome::Kind::retry_after: return "retry_after";
        case Outcome::Kind::dead_letter: return "dead_letter";
        }
        return "";
    }
    HistoryWriter& history_;
};

class Handler {
public:
    Handler(const Arguments& arguments, HistoryWriter& history)
        : sleep_(arguments.number("sleep_us", 0)),
          until_(arguments.text("until")),
          abort_on_(arguments.text("abort_on")),
          fail_on_(arguments.text("fail_on")),
          heed_stop_(arguments.number("heed_stop", 0) == 1),
          history_(&history) {}

    void operator()(const std::string&, const Delivery& delivery) const {
        const std::string id = to_string(delivery.id());
        const std::string attempt = std::to_string(delivery.attempt());
        history_->line("start", id, attempt);
        if (id == abort_on_) std::raise(SIGKILL);
        if (sleep_ > 0us) std::this_thread::sleep_for(sleep_);
        while (!until_.empty() && access(until_.c_str(), F_OK) != 0 &&
               !(heed_stop_ && delivery.stop_token().stop_requested()))
            std::this_thread::sleep_for(5ms);
        history_->line("end", id, attempt);
        if (id == fail_on_) throw std::runtime_error("asked to fail");
    }

private:
    std::chrono::microseconds sleep_;
    std::string until_;
    std::string abort_on_;
    std::string fail_on_;
    bool heed_stop_;
    HistoryWriter* history_;
};

void serve(const Arguments& arguments) {
    HistoryWriter history(arguments.text("history"));
    BrokerOptions options;
    options.observer(std::make_shared<Writer>(history))
        .grace(std::chrono::milliseconds(arguments.number("grace_ms", 30'000)))
        .pool_size(static_cast<std::size_t>(arguments.number("pool", 0)));
    Broker broker(arguments.text("url"), options);
    const Form form = form_named(arguments.text("form"));
    auto subscription = broker.subscribe(
        describe(form, {}, arguments.text("table", "jobs")), arguments.text("queue", "q"),
        Handler(arguments, history));
    subscription.workers(static_cast<std::size_t>(arguments.number("workers", 1)))
        .poll_interval(std::chrono::milliseconds(arguments.number("poll_ms", 20)))
        .drain(arguments.number("drain", 0) == 1);
    if (form == Form::lease)
        subscription.lease(std::chrono::milliseconds(arguments.number("lease_ms", 30'000)));
    if (const int cap = arguments.number("max_attempts", 0); cap > 0)
        subscription.max_attempts(cap).dead_letter(arguments.text("dead_letter"));
    broker.run();
}

}} // namespace rowq::test

int main(int argc, char** argv) try {
    const std::span<char*> words(argv, static_cast<std::size_t>(argc));
    rowq::test::serve(rowq::test::Arguments(words.subspan(1)));
} catch (const std::exception& error) {
    std::cerr << "worker: " << error.what() << std::endl;
    return 1;
}
