// The pool: who gets a connection, in which order, and what becomes of those that come back.
#include "db/pool.hpp"
#include "support/eventually.hpp"

#include <rowq/error.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using namespace detail::db;

// What happens to the sessions of one test.
struct Log {
    std::atomic<int> made{0};
    std::atomic<int> open{0};
    std::atomic<int> rollbacks{0};
};

class Session final : public Connection {
public:
    explicit Session(Log& log) : log_(log) {
        ++log_.made;
        ++log_.open;
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() override { --log_.open; }

    std::vector<Result> run(std::span<const Call>, Frame frame) override {
        transaction_ = frame.begin && !frame.commit;
        return {};
    }
    void rollback() noexcept override {
        ++log_.rollbacks;
        transaction_ = false;
    }
    void prepare(const Query&) override {}
    [[nodiscard]] bool in_transaction() const noexcept override { return transaction_; }
    [[nodiscard]] bool usable() const noexcept override { return usable_; }
    [[nodiscard]] int socket() const noexcept override { return -1; }
    void close() noexcept override { usable_ = false; }

private:
    Log& log_;
    bool transaction_ = false;
    std::atomic<bool> usable_{true};
};

Pool::Connect make_in(Log& log) {
    return [&log] { return std::make_unique<Session>(log); };
}

template <class F>
std::optional<Error> error_of(F f) {
    try {
        f();
        return std::nullopt;
    } catch (const Error& error) {
        return error;
    }
}

TEST(Pool, makes_connections_when_needed_and_keeps_them) {
    Log log;
    Pool pool(make_in(log), 3, 1min);
    EXPECT_EQ(log.made, 0);
    {
        const auto a = pool.acquire();
        const auto b = pool.acquire();
        EXPECT_EQ(log.made, 2);
        EXPECT_NE(&*a, &*b);
    }
    const auto c = pool.acquire();
    const auto d = pool.acquire();
    EXPECT_EQ(log.made, 2);
    const auto e = pool.acquire();
    EXPECT_EQ(log.made, 3);
}

TEST(Pool, closes_what_it_holds_when_it_goes) {
    Log log;
    {
        Pool pool(make_in(log), 3, 1min);
        static_cast<void>(pool.acquire());
        EXPECT_EQ(log.open, 1);
    }
    EXPECT_EQ(log.open, 0);
}

TEST(Pool, rolls_back_what_was_left_open) {
    Log log;
    Pool pool(make_in(log), 1, 1min);
    {
        auto connection = pool.acquire();
        static_cast<void>(connection->run({}, {.begin = true}));
    }
    EXPECT_EQ(log.rollbacks, 1);
    EXPECT_FALSE(pool.acquire()->in_transaction());
    EXPECT_EQ(log.rollbacks, 1);
    EXPECT_EQ(log.made, 1);
}

TEST(Pool, replaces_what_broke_in_use_or_while_idle_or_was_discarded) {
    Log log;
    Pool pool(make_in(log), 1, 1min);
    pool.acquire()->close(); // in use
    Connection* idle = &*pool.acquire();
    EXPECT_EQ(log.made, 2);
    idle->close();
    {
        auto connection = pool.acquire();
        EXPECT_EQ(log.made, 3);
        EXPECT_TRUE(connection->usable());
        connection.discard();
        EXPECT_FALSE(connection);
        EXPECT_EQ(log.open, 0);
    }
    EXPECT_TRUE(pool.acquire()->usable());
    EXPECT_EQ(log.made, 4);
}

TEST(Pool, a_loan_moves_and_is_given_back_once) {
    Log log;
    Pool pool(make_in(log), 2, 1min);
    auto a = pool.acquire();
    auto b = std::move(a);
    EXPECT_TRUE(b);
    b = pool.acquire(); // the first goes back
    auto c = pool.acquire();
    b.give_back();
    b.give_back();
    EXPECT_FALSE(b);
    auto d = pool.acquire();
    EXPECT_EQ(log.made, 2);
}

TEST(Pool, tells_its_size_when_waiting_was_in_vain) {
    Log log;
    Pool pool(make_in(log), 2, 20ms);
    const auto a = pool.acquire();
    const auto b = pool.acquire();
    const auto error = error_of([&] { static_cast<void>(pool.acquire()); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_TRUE(error->retryable());
    EXPECT_FALSE(error->connection_lost());
    EXPECT_NE(std::string(error->what()).find("all 2"), std::string::npos) << error->what();
}

TEST(Pool, a_place_is_free_again_after_a_wait_in_vain) {
    Log log;
    Pool pool(make_in(log), 1, 20ms);
    auto a = pool.acquire();
    EXPECT_TRUE(error_of([&] { static_cast<void>(pool.acquire()); }));
    a.give_back();
    EXPECT_FALSE(error_of([&] { static_cast<void>(pool.acquire()); }));
}

// Starts waiters one after the other and lets them in one at a time.
TEST(Pool, serves_who_waits_longest_first) {
    Log log;
    Pool pool(make_in(log), 2, 1min);
    auto kept = pool.acquire(); // with one more place, a spare would be a way past the waiters
    auto busy = pool.acquire();
    std::mutex mutex;
    std::vector<int> order;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        std::promise<void> started;
        threads.emplace_back([&, i, &begun = started] {
            begun.set_value();
            const auto connection = pool.acquire();
            const std::lock_guard lock(mutex);
            order.push_back(i);
        });
        started.get_future().wait();
        std::this_thread::sleep_for(
            20ms); // to be in the queue before the next; the order is judged, not the time
    }
    busy.give_back();
    threads.clear();
    ASSERT_EQ(order.size(), 8U);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(log.made, 2);
}

TEST(Pool, constant_demand_starves_nobody) {
    Log log;
    Pool pool(make_in(log), 2, 1min);
    std::atomic<int> turns{0};
    std::atomic<bool> done{false};
    std::vector<std::jthread> greedy;
    for (int i = 0; i < 4; ++i)
        greedy.emplace_back([&] {
            while (!done) {
                const auto connection = pool.acquire();
                ++turns;
            }
        });
    while (turns == 0) std::this_thread::yield();
    // Under constant demand, whoever asks is served after those before, not at some time.
    for (int i = 0; i < 200; ++i) static_cast<void>(pool.acquire());
    done = true;
    greedy.clear();
    EXPECT_LE(log.made, 2);
}

TEST(Pool, the_last_connection_is_no_spare) {
    Log log;
    Pool pool(make_in(log), 2, 1min);
    auto first = pool.try_acquire_spare();
    ASSERT_TRUE(first);
    EXPECT_FALSE(pool.try_acquire_spare());
    auto last = pool.acquire();
    EXPECT_FALSE(pool.try_acquire_spare());
    first->give_back();
    EXPECT_FALSE(pool.try_acquire_spare());
    last.give_back();
    EXPECT_TRUE(pool.try_acquire_spare());

    Pool single(make_in(log), 1, 1min);
    EXPECT_FALSE(single.try_acquire_spare());
}

TEST(Pool, grows_and_never_shrinks) {
    Log log;
    Pool pool(make_in(log), 1, 1min);
    const auto a = pool.acquire();
    auto waiting = std::async(std::launch::async, [&] { return pool.acquire(); });
    pool.reserve(3);
    const auto b = waiting.get();
    EXPECT_TRUE(b);
    EXPECT_EQ(pool.size(), 3U);
    pool.reserve(2);
    EXPECT_EQ(pool.size(), 3U);
}

TEST(Pool, closing_ends_waits_and_refuses_but_leaves_loans_alone) {
    Log log;
    Pool pool(make_in(log), 1, 1min);
    auto busy = pool.acquire();
    auto waiting = std::async(
        std::launch::async, [&] { return error_of([&] { static_cast<void>(pool.acquire()); }); });
    std::this_thread::sleep_for(10ms); // either way the answer must be the same
    pool.close();
    const auto error = waiting.get();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::closed);
    const auto refused = error_of([&] { static_cast<void>(pool.acquire()); });
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code(), ErrorCode::closed);
    const auto no_spare = error_of([&] { static_cast<void>(pool.try_acquire_spare()); });
    ASSERT_TRUE(no_spare);
    EXPECT_EQ(no_spare->code(), ErrorCode::closed);
    EXPECT_TRUE(busy->usable());
    busy.give_back();
    EXPECT_EQ(log.open, 0);
}

TEST(Pool, a_stop_ends_the_wait_and_leaves_the_queue) {
    Log log;
    Pool pool(make_in(log), 1, 1min);
    auto busy = pool.acquire();
    std::stop_source stop;
    auto waiting = std::async(std::launch::async, [&] {
        return error_of([&] { static_cast<void>(pool.acquire(stop.get_token())); });
    });
    stop.request_stop();
    const auto error = waiting.get();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::closed);
    busy.give_back();
    EXPECT_TRUE(pool.acquire());
}

TEST(Pool, after_a_failure_to_connect_it_fails_at_once_for_a_while) {
    std::atomic<int> attempts{0};
    std::atomic<bool> up{false};
    Log log;
    Pool pool(
        [&]() -> std::unique_ptr<Connection> {
            ++attempts;
            if (!up) throw Error(ErrorCode::connect, "refused");
            return std::make_unique<Session>(log);
        },
        2, 1min);
    const auto acquire = [&] { return error_of([&] { static_cast<void>(pool.acquire()); }); };
    for (int i = 0; i < 50; ++i) {
        const auto error = acquire();
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::connect);
        EXPECT_EQ(error->text(), "refused");
    }
    // 50 attempts in a row would take no time; the pause lets through a few at most.
    EXPECT_LT(attempts, 25);
    up = true;
    EXPECT_TRUE(eventually([&] { return !acquire(); }));
    EXPECT_FALSE(acquire()); // no pause is left over
    EXPECT_EQ(log.made, 1);
}

TEST(Pool, a_failure_to_connect_frees_the_place) {
    Log log;
    std::atomic<bool> up{false};
    Pool pool(
        [&]() -> std::unique_ptr<Connection> {
            if (!up) throw Error(ErrorCode::connect, "refused");
            return std::make_unique<Session>(log);
        },
        1, 50ms);
    for (int i = 0; i < 3; ++i) {
        const auto error = error_of([&] { static_cast<void>(pool.acquire()); });
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::connect); // and not: no connection came free
    }
    up = true;
    EXPECT_TRUE(eventually([&] { return !error_of([&] { static_cast<void>(pool.acquire()); }); }));
}

TEST(Pool, many_threads_share_few_connections) {
    Log log;
    Pool pool(make_in(log), 3, 1min);
    std::atomic<int> in_use{0};
    std::atomic<int> most{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 300; ++i) {
                auto connection = pool.acquire();
                const int now = ++in_use;
                int seen = most;
                while (now > seen && !most.compare_exchange_weak(seen, now)) {
                }
                --in_use;
                if ((i + t) % 17 == 0) connection.discard();
            }
        });
    threads.clear();
    EXPECT_LE(most, 3);
    EXPECT_EQ(in_use, 0);
    EXPECT_LE(log.open, 3);
}

}} // namespace rowq::test
