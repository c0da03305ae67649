// Every step that a lease can take, and those it must not.
#include "claim/lease_book.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rowq::detail::claim { namespace {

using namespace std::chrono_literals;

const Timestamp start{1'000'000s};

struct Book : testing::Test {
    LeaseBook book{40s};
    LeaseBook::Number add(std::int64_t id, Timestamp token = start + 40s) {
        return book.add(id, token);
    }
};

TEST_F(Book, RenewsHalfALeaseBeforeTheEnd) {
    EXPECT_FALSE(book.next_round());
    add(1);
    EXPECT_EQ(book.next_round(), start + 20s);
}

TEST_F(Book, ARoundTakesAllThatArePastAQuarter) {
    add(1);
    add(2, start + 49s); // due for renewal at 29 s, but at 20 s it is old enough to come along
    add(3, start + 51s); // at 31 s: too fresh
    const auto round = book.begin_round(start + 20s);
    EXPECT_EQ(round.size(), 2U);
    EXPECT_TRUE(book.begin_round(start + 20s).empty()) << "a lease is in one round at a time";
}

TEST_F(Book, ARenewedLeaseHasItsNewToken) {
    const auto number = add(1);
    static_cast<void>(book.begin_round(start + 20s));
    EXPECT_FALSE(book.next_round()) << "nothing to renew while renewing";
    book.renewed(number, start + 60s);
    EXPECT_EQ(book.next_round(), start + 40s);
    EXPECT_EQ(book.tokens(number), std::vector{start + 60s});
}

TEST_F(Book, SettlingWaitsForTheRoundOrGoesFirst) {
    const auto number = add(1);
    static_cast<void>(book.begin_round(start + 20s));
    EXPECT_FALSE(book.begin_settling(number));
    book.renewed(number, start + 60s);
    EXPECT_TRUE(book.begin_settling(number));
    EXPECT_TRUE(book.begin_round(start + 60s).empty()) << "a lease being settled is not renewed";
    EXPECT_FALSE(book.next_round());
}

TEST_F(Book, AFailedRenewalKeepsTheOldTokenAndIsTriedAgain) {
    const auto number = add(1);
    static_cast<void>(book.begin_round(start + 20s));
    book.failed(number, start + 21s, std::nullopt);
    EXPECT_EQ(book.next_round(), start + 21s);
    EXPECT_EQ(book.tokens(number), std::vector{start + 40s});
}

TEST_F(Book, AnUnknownOutcomeLeavesTwoPossibleTokens) {
    const auto number = add(1);
    static_cast<void>(book.begin_round(start + 20s));
    book.failed(number, start + 21s, start + 60s);
    EXPECT_EQ(book.tokens(number), (std::vector{start + 40s, start + 60s}));
    EXPECT_EQ(book.begin_round(start + 21s).size(), 2U) << "asked for by either";
    book.renewed(number, start + 61s);
    EXPECT_EQ(book.tokens(number), std::vector{start + 61s});
}

TEST_F(Book, ALostLeaseIsRenewedNoMoreAndItsSettlementFindsOut) {
    const auto number = add(1);
    static_cast<void>(book.begin_round(start + 20s));
    book.lost(number);
    EXPECT_FALSE(book.next_round());
    EXPECT_TRUE(book.begin_settling(number));
    EXPECT_EQ(book.tokens(number), std::vector{start + 40s});
}

TEST_F(Book, ARowClaimedAgainLosesItsOlderLease) {
    const auto older = add(1);
    const auto other = add(2);
    static_cast<void>(book.begin_round(start + 20s));
    EXPECT_EQ(book.supersede(Id{std::int64_t{1}}), std::vector{older});
    EXPECT_TRUE(book.supersede(Id{std::int64_t{1}}).empty());
    book.renewed(older, start + 60s);
    EXPECT_EQ(book.tokens(older), std::vector{start + 40s}) << "what comes late changes nothing";
    book.renewed(other, start + 60s);
    EXPECT_EQ(book.next_round(), start + 40s);
}

TEST_F(Book, ForgetsWhatIsRemoved) {
    const auto number = add(1);
    book.remove(number);
    book.renewed(number, start + 60s);
    book.lost(number);
    book.failed(number, start, std::nullopt);
    EXPECT_EQ(book.size(), 0U);
    EXPECT_FALSE(book.next_round());
    EXPECT_TRUE(book.begin_settling(number));
}

}} // namespace rowq::detail::claim
