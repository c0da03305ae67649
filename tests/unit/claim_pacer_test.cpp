// When a subscription may look for work, step by step and without a clock.
#include "broker/claim_pacer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rowq::detail::broker { namespace {

using namespace std::chrono_literals;

const ClaimPacer::Time start{1'000s};

TEST(ClaimPacer, StartsHotAndClaimsSideBySideUpToTheLimit) {
    const ClaimPacer pacer(1s, 3);
    EXPECT_TRUE(pacer.may_claim(start, 0));
    EXPECT_TRUE(pacer.may_claim(start, 2));
    EXPECT_FALSE(pacer.may_claim(start, 3));
}

TEST(ClaimPacer, AShortClaimWaitsForThePollIntervalLessUpToAQuarter) {
    for (const double share : {0.0, 0.5, 0.999}) {
        ClaimPacer pacer(1s, 3);
        pacer.fell_short(start, pacer.begin(), share);
        EXPECT_FALSE(pacer.may_claim(start + 749ms, 0)) << share;
        EXPECT_TRUE(pacer.may_claim(start + 1s, 0)) << share;
    }
    ClaimPacer early(1s, 1), late(1s, 1);
    early.fell_short(start, early.begin(), 0.9);
    late.fell_short(start, late.begin(), 0.1);
    EXPECT_LT(early.next(), late.next());
}

TEST(ClaimPacer, OneProbeAtATimeWhenCold) {
    ClaimPacer pacer(1s, 3);
    pacer.fell_short(start, pacer.begin(), 0);
    EXPECT_TRUE(pacer.may_claim(start + 2s, 0));
    EXPECT_FALSE(pacer.may_claim(start + 2s, 1));
}

TEST(ClaimPacer, AFullClaimTurnsHot) {
    ClaimPacer pacer(1h, 2);
    pacer.fell_short(start, pacer.begin(), 0);
    pacer.full();
    EXPECT_TRUE(pacer.may_claim(start, 1));
}

TEST(ClaimPacer, RefusedSettlementsPauseLongerUntilOneIsAccepted) {
    ClaimPacer pacer(1h, 2);
    pacer.refused(start, 0);
    pacer.refused(start, 0); // the same trouble, met by another worker
    pacer.full();
    pacer.wake();
    EXPECT_FALSE(pacer.may_claim(start + 99ms, 0));
    EXPECT_EQ(pacer.next(), start + 100ms);
    EXPECT_TRUE(pacer.may_claim(start + 100ms, 1));
    pacer.refused(start + 1s, 0);
    EXPECT_FALSE(pacer.may_claim(start + 1'199ms, 0));
    for (auto time = start + 10s; time < start + 200s; time += 10s) pacer.refused(time, 0);
    EXPECT_FALSE(pacer.may_claim(start + 194'999ms, 0));
    EXPECT_TRUE(pacer.may_claim(start + 195s, 0));
    pacer.accepted();
    pacer.refused(start + 300s, 0);
    EXPECT_TRUE(pacer.may_claim(start + 300s + 100ms, 0));
}

TEST(ClaimPacer, AWakeUpEndsTheWait) {
    ClaimPacer pacer(1h, 1);
    pacer.fell_short(start, pacer.begin(), 0);
    EXPECT_FALSE(pacer.may_claim(start, 0));
    pacer.wake();
    EXPECT_TRUE(pacer.may_claim(start, 0));
}

TEST(ClaimPacer, AWakeUpDuringAClaimIsRemembered) {
    ClaimPacer pacer(1h, 1);
    const auto ticket = pacer.begin();
    pacer.wake();
    pacer.fell_short(start, ticket, 0);
    EXPECT_TRUE(pacer.may_claim(start, 0))
        << "the row that woke us may have come after the claim looked";
    pacer.fell_short(start, pacer.begin(), 0);
    EXPECT_FALSE(pacer.may_claim(start, 0)) << "but once only";
}

TEST(ClaimPacer, FailuresBackOffFrom100MillisecondsTo5Seconds) {
    ClaimPacer pacer(1h, 4);
    auto last = 0ms;
    for (int i = 0; i < 100; ++i) {
        const auto now = std::max(start, pacer.next());
        pacer.failed(now, 0);
        const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(pacer.next() - now);
        EXPECT_GE(wait, last);
        EXPECT_GE(wait, 100ms);
        EXPECT_LE(wait, 5s);
        last = wait;
    }
    EXPECT_EQ(last, 5s);
    const auto now = pacer.next();
    pacer.failed(now, 0.999);
    EXPECT_GE(pacer.next() - now, 2500ms);
}

TEST(ClaimPacer, AWakeUpDoesNotCutABackOffShortAndSuccessEndsIt) {
    ClaimPacer pacer(1h, 4);
    pacer.failed(start, 0);
    pacer.wake();
    EXPECT_FALSE(pacer.may_claim(start + 99ms, 0));
    EXPECT_TRUE(pacer.may_claim(start + 100ms, 0));
    EXPECT_FALSE(pacer.may_claim(start + 100ms, 1));
    pacer.full();
    pacer.failed(start, 0);
    EXPECT_EQ(pacer.next() - start, 100ms) << "counted anew";
}

TEST(ClaimPacer, ClaimsThatFailTogetherCountAsOneFailure) {
    ClaimPacer pacer(1h, 8);
    for (int i = 0; i < 8; ++i) pacer.failed(start, 0);
    EXPECT_EQ(pacer.next() - start, 100ms);
    pacer.failed(start + 100ms, 0);
    EXPECT_EQ(pacer.next() - start, 300ms);
}

}} // namespace rowq::detail::broker
