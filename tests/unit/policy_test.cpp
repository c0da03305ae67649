// Delays and defaults after failures.
#include "broker/policy.hpp"
#include "claim/holding.hpp"

#include <rowq/table.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace rowq::detail::broker { namespace {

using namespace std::chrono_literals;

const Table with_delay{rowq::table("t").id("id").retry_after("due").payload("p").description()};
const Table without_delay{rowq::table("t").id("id").payload("p").description()};

TEST(Backoff, NeverFallsIsCappedAndFiniteForAnyAttempt) {
    auto last = 0ms;
    for (int attempt = -3; attempt <= 100'000; ++attempt) {
        const auto delay = backoff(attempt, 1s, 300s);
        ASSERT_GE(delay, last) << attempt;
        ASSERT_LE(delay, 300s) << attempt;
        last = delay;
    }
    EXPECT_EQ(backoff(1, 1s, 300s), 1s);
    EXPECT_EQ(backoff(2, 1s, 300s), 2s);
    EXPECT_EQ(backoff(9, 1s, 300s), 256s);
    EXPECT_EQ(last, 300s);
    EXPECT_EQ(backoff(100'000, 0ms, 300s), 0ms);
}

TEST(AfterFailure, DelaysWithUpToHalfTakenAwayWhereTheTableCanHoldADelay) {
    const SubscriptionOptions options;
    EXPECT_EQ(after_failure(with_delay, options, 3, 0), retry_after(4s));
    EXPECT_EQ(after_failure(with_delay, options, 3, 0.5), retry_after(3s));
    EXPECT_EQ(after_failure(without_delay, options, 3, 0.5), retry());
}

TEST(AfterUndecodable, DeadLetterElseDelayElseDropUnlessTold) {
    SubscriptionOptions options;
    EXPECT_EQ(after_undecodable(with_delay, options, 1, 0), retry_after(1s));
    EXPECT_EQ(after_undecodable(without_delay, options, 1, 0), drop());
    options.dead_letter = "failed";
    EXPECT_EQ(after_undecodable(without_delay, options, 1, 0), dead_letter());
    options.on_undecodable = ack();
    EXPECT_EQ(after_undecodable(with_delay, options, 1, 0), ack());
}

TEST(Capped, MovesRetriesFromTheLastAttemptOn) {
    SubscriptionOptions options;
    EXPECT_EQ(capped(retry(), options, 1'000), retry());
    options.max_attempts = 2;
    EXPECT_EQ(capped(retry(), options, 1), retry());
    EXPECT_EQ(capped(retry(), options, 2), dead_letter());
    EXPECT_EQ(capped(retry_after(1h), options, 3), dead_letter());
    EXPECT_EQ(capped(ack(), options, 3), ack());
    EXPECT_EQ(capped(drop(), options, 3), drop());
    options.max_attempts = 1;
    EXPECT_EQ(capped(retry(), options, 1), dead_letter());
}

TEST(RetryAfter, ClampsWhatNobodyCanMean) {
    EXPECT_EQ(retry_after(-5s).delay(), 0us);
    EXPECT_EQ(retry_after(std::chrono::hours::max()).delay(), std::chrono::hours(24 * 36'525));
    EXPECT_EQ(retry_after(1.5s).delay(), 1'500ms);
}

TEST(HoldNumber, IsTheSameForeverAndTellsRowsKeysAndTextsApart) {
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 200'000; ++i)
        seen.insert(claim::hold_number("row", "t\n" + std::to_string(i)));
    EXPECT_EQ(seen.size(), 200'000U);
    EXPECT_NE(claim::hold_number("row", "a"), claim::hold_number("key", "a"));
    EXPECT_EQ(claim::hold_number("key", "accounts-7") >> 63U, 0U);
    EXPECT_EQ(claim::hold_number("key", "accounts-7"), claim::hold_number("key", "accounts-7"));
}

}} // namespace rowq::detail::broker
