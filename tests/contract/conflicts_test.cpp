// Serialization failures and deadlocks: done again inside, and nobody hears of them.
#include "support/matrix.hpp"

namespace rowq::test { namespace {

class Conflicts : public QueueTest {
protected:
    // The first two statements of each kind on the table end in a conflict; sequences remember that past the rollback.
    void make_conflicts(const std::string& events) {
        session().run(
            "CREATE SEQUENCE met;"
            "CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "IF nextval('met') % 3 <> 0 THEN RAISE SQLSTATE '40001' USING MESSAGE = 'conflict'; END IF; "
            "RETURN NULL; END $$;"
            "CREATE TRIGGER t BEFORE " +
            events + " ON jobs FOR EACH STATEMENT EXECUTE FUNCTION conflict()");
    }
};

ROWQ_CASES(Conflicts, cases_of(Server::postgres));

TEST_P(Conflicts, of_a_publish_are_retried) {
    make_conflicts("INSERT");
    Broker broker = this->broker();
    Publisher<std::string> publisher(broker, jobs(), "q");
    static_cast<void>(publisher.push("a"));
    EXPECT_EQ(count(), 1);
}

class ConflictsOfLeases : public Conflicts {};

ROWQ_CASES(ConflictsOfLeases, cases_where([](const Case& c) {
               return c.server == Server::postgres && c.form == Form::lease;
           }));

TEST_P(ConflictsOfLeases, of_claims_and_settlements_by_lease_are_retried) {
    make_conflicts("UPDATE OR DELETE");
    add({.id = 1});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {}).poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(recorder->troubles(), "");
    EXPECT_EQ(recorder->count(Event::Kind::started), 1U);
    EXPECT_EQ(count(), 0);
}

class ConflictsOfSessions : public Conflicts {};

ROWQ_CASES(ConflictsOfSessions, cases_where([](const Case& c) {
               return c.server == Server::postgres && c.form != Form::lease;
           }));

TEST_P(ConflictsOfSessions, of_other_settlements_return_the_row) {
    make_conflicts("DELETE");
    add({.id = 1});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {}).poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(recorder->count(Event::Kind::started), 3U);
    EXPECT_EQ(count(), 0);
}

}} // namespace rowq::test
