// Handlers that own their delivery: settled later, from anywhere, or dropped.
#include "support/matrix.hpp"

#include <deque>
#include <mutex>
#include <thread>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

// Deliveries on their way from handlers to whoever settles them.
class Shelf {
public:
    void put(Delivery delivery) {
        const std::lock_guard lock(mutex_);
        deliveries_.push_back(std::move(delivery));
    }
    [[nodiscard]] Delivery take() {
        const std::lock_guard lock(mutex_);
        Delivery first = std::move(deliveries_.front());
        deliveries_.pop_front();
        return first;
    }
    [[nodiscard]] std::size_t size() {
        const std::lock_guard lock(mutex_);
        return deliveries_.size();
    }

private:
    std::mutex mutex_;
    std::deque<Delivery> deliveries_;
};

class Deferred : public QueueTest {};

ROWQ_EVERY_CASE(Deferred);

TEST_P(Deferred, deliveries_are_settled_by_another_thread) {
    add({.id = 1});
    Broker broker = this->broker();
    Shelf shelf;
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, Delivery delivery) { shelf.put(std::move(delivery)); })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually([&] { return shelf.size() == 1; }));
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(recorder->count(Event::Kind::settled), 0U);
    Delivery delivery = shelf.take();
    EXPECT_TRUE(delivery);
    EXPECT_EQ(to_string(delivery.id()), "1");
    std::jthread([&] { delivery.settle(ack()); }).join();
    EXPECT_FALSE(delivery);
    EXPECT_EQ(count(), 0) << "settle() returns when it is committed";
    EXPECT_EQ(recorder->settled(Outcome::Kind::ack), 1U);
}

TEST_P(Deferred, deliveries_take_every_outcome) {
    for (int id = 1; id <= 4; ++id) add({.id = id});
    Broker broker = this->broker();
    Shelf shelf;
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, Delivery delivery) { shelf.put(std::move(delivery)); })
        .workers(4)
        .poll_interval(1h)
        .max_attempts(9)
        .dead_letter("failed");
    broker.start();
    ASSERT_TRUE(eventually([&] { return shelf.size() == 4; }));
    for (int i = 0; i < 4; ++i) {
        Delivery delivery = shelf.take();
        const auto id = std::get<std::int64_t>(delivery.id());
        delivery.settle(
            id == 1   ? ack()
            : id == 2 ? drop()
            : id == 3 ? retry_after(1h)
                      : dead_letter());
    }
    EXPECT_EQ(count("id < 3"), 0);
    EXPECT_EQ(count("id = 3 AND attempt = 2"), 1);
    EXPECT_EQ(count("id = 4 AND queue = 'failed'"), 1);
}

TEST_P(Deferred, a_delivery_dropped_unsettled_returns_its_row_at_once) {
    add({.id = 1});
    std::atomic<int> runs{0};
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, Delivery delivery) {
                if (++runs == 2) delivery.settle(ack());
            })
        .poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    EXPECT_EQ(recorder->count(Event::Kind::given_back), 1U);
    EXPECT_EQ(recorder->all(Event::Kind::given_back).at(0).row, "1");
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(recorder->troubles(), "");
}

TEST_P(Deferred, a_handler_that_throws_is_left_to_its_failure_policy) {
    add({.id = 1});
    add({.id = 2});
    std::atomic<int> asked{0};
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, Delivery delivery) {
                if (delivery.id() == Id{std::int64_t{1}}) throw std::runtime_error("early");
                try {
                    const Delivery dropped = std::move(delivery);
                    throw std::runtime_error("caught inside");
                } catch (const std::runtime_error&) {
                }
            })
        .on_failure([&](const std::exception& error, const Delivery& delivery) {
            EXPECT_STREQ(error.what(), "early");
            EXPECT_EQ(delivery.id(), Id{std::int64_t{1}});
            EXPECT_EQ(delivery.group(), "q");
            ++asked;
            return drop();
        })
        .poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::drop)) << recorder->troubles();
    EXPECT_TRUE(eventually_told(Event::Kind::given_back)) << "what the handler let go itself";
    broker.stop();
    EXPECT_EQ(recorder->count(Event::Kind::failed), 1U);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(count("id = 1"), 0);
    EXPECT_EQ(count("id = 2"), 1);
}

TEST_P(Deferred, a_handler_that_always_throws_comes_to_its_cap) {
    add({.id = 1});
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q", [](const std::string&, Delivery) { throw std::runtime_error("always"); })
        .on_failure([](const std::exception&, const Delivery&) { return retry(); })
        .poll_interval(often)
        .max_attempts(3)
        .dead_letter("failed");
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::dead_letter)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(recorder->count(Event::Kind::started), 3U);
    EXPECT_EQ(count("queue = 'failed'"), 1);
}

TEST_P(Deferred, a_delivery_kept_past_the_stop_is_released_and_refused_afterwards) {
    add({.id = 1});
    Broker broker(database().url(), options().grace(100ms));
    Shelf shelf;
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, Delivery delivery) { shelf.put(std::move(delivery)); })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually([&] { return shelf.size() == 1; }));
    broker.stop();
    Delivery delivery = shelf.take();
    EXPECT_TRUE(delivery.stop_token().stop_requested());
    const auto error = error_of([&] { delivery.settle(ack()); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), lease() ? ErrorCode::lease_lost : ErrorCode::lock_lost);
    EXPECT_EQ(error->row(), std::optional<Id>(Id{std::int64_t{1}}));
    EXPECT_EQ(error->table(), "jobs");
    EXPECT_FALSE(delivery);
    EXPECT_EQ(count("locked_until IS NULL"), 1);

    Broker next = this->broker();
    next.subscribe(jobs(), "q", [](const std::string&) {}).poll_interval(often);
    next.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
}

TEST_P(Deferred, a_delivery_settled_within_the_grace_counts) {
    add({.id = 1});
    Broker broker(database().url(), options().grace(soon));
    Shelf shelf;
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, Delivery delivery) { shelf.put(std::move(delivery)); })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually([&] { return shelf.size() == 1; }));
    std::jthread stopping([&] { broker.stop(); });
    Delivery delivery = shelf.take();
    ASSERT_TRUE(eventually([&] { return delivery.stop_token().stop_requested(); }));
    delivery.settle(ack());
    stopping.join();
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(recorder->all(Event::Kind::stopped).at(0).count, 0U);
}

class DeferredLeases : public Deferred {};

ROWQ_CASES(DeferredLeases, cases_of(Form::lease));

// A handler that hands its delivery on is done with it: its worker is free.
TEST_P(DeferredLeases, deliveries_in_work_do_not_keep_a_worker) {
    insert_range(session(), 1, 50);
    Broker broker = this->broker();
    Shelf shelf;
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, Delivery delivery) { shelf.put(std::move(delivery)); })
        .workers(2)
        .max_in_work(50)
        .poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually(10s, [&] { return shelf.size() == 50; })) << shelf.size();
    while (shelf.size() > 0) shelf.take().settle(ack());
    EXPECT_TRUE(eventually([&] {
        while (shelf.size() > 0) shelf.take().settle(ack());
        return count() == 0;
    }));
}

}} // namespace rowq::test
