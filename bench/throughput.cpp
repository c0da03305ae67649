// How many rows a second a subscription works off, by database, form and number of workers. The handler does nothing.
//
//   throughput [ROWS] [ROUNDS]   default: 5000 rows, 3 rounds; prints the median and the spread
//
// Rounds of all cases are interleaved, so that a machine that slows down slows all of them.
#include "support/job_table.hpp"

#include <rowq/rowq.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <vector>

using namespace rowq::test;

namespace {

struct Case {
    Server server;
    Form form;
    std::size_t workers;
    std::vector<double> rates = {}; // rows a second, one a round
};

class Silent final : public rowq::Observer {
public:
    void on(const rowq::Event& event) noexcept override {
        if (event.kind == rowq::Event::Kind::error) ++errors;
    }
    std::atomic<int> errors{0};
};

// A table of its own, filled before the clock starts; the clock stops when the queue is empty.
double run(const Case& each, long long rows) {
    const auto database = make_database(each.server);
    create_table(*database);
    create_claim_index(*database);
    insert_range(database->session(), 1, rows);
    const auto observer = std::make_shared<Silent>();
    rowq::Broker broker(database->url(), rowq::BrokerOptions().observer(observer));
    broker.subscribe(describe(each.form), "q", [](const std::string&) {})
        .workers(each.workers)
        .drain();
    const auto start = std::chrono::steady_clock::now();
    broker.run();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (observer->errors > 0 || database->session().number("SELECT count(*) FROM jobs") > 0)
        throw std::runtime_error("rows are left, or errors were reported: this measures nothing");
    return static_cast<double>(rows) / time.count();
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const Server server : {Server::postgres, Server::sqlite}) {
        if (const auto reason = missing(server)) {
            fmt::print(stderr, "left out: {}\n", *reason);
            continue;
        }
        for (const Form form : {Form::row_lock, Form::lease, Form::advisory})
            for (const std::size_t workers : {1U, 4U, 8U}) all.push_back({server, form, workers});
    }
    return all;
}

} // namespace

int main(int argc, char** argv) try {
    const long long rows = argc > 1 ? std::atoll(argv[1]) : 5'000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
    if (rows < 1 || rounds < 1) {
        fmt::print(stderr, "usage: throughput [ROWS] [ROUNDS]\n");
        return 2;
    }
    auto all = cases();
    for (int round = 0; round < rounds; ++round)
        for (Case& each : all) each.rates.push_back(run(each, rows));
    fmt::print("{} rows, {} rounds, rows a second: median (lowest to highest)\n", rows, rounds);
    for (Case& each : all) {
        std::ranges::sort(each.rates);
        fmt::print(
            "{:<10} {:<9} {} workers {:>8.0f} ({:.0f} to {:.0f})\n",
            each.server == Server::postgres ? "postgresql" : "sqlite", to_string(each.form),
            each.workers, each.rates[each.rates.size() / 2], each.rates.front(), each.rates.back());
    }
} catch (const std::exception& error) {
    fmt::print(stderr, "throughput: {}\n", error.what());
    return 1;
}
