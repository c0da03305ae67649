// The example of the README. Its table is in welcome.sql; welcome.sh runs it as a test.
#include <rowq/rowq.hpp>

#include <iostream>

using namespace std::chrono_literals;

struct Email {
    std::string to, subject;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Email, to, subject)

constexpr auto email_jobs = rowq::table("email_jobs") // your table, your DDL
                                .id("job_id", rowq::generated)
                                .group("queue")
                                .retry_after("retry_after", rowq::generated)
                                .attempt("attempt", rowq::generated)
                                .locked_until("locked_until") // this column selects the lease form
                                .payload("payload");

bool send(const Email& email) {
    std::cout << email.subject << " to " << email.to << std::endl;
    return true;
}

int main() {
    rowq::Broker broker{"sqlite:app.db"}; // or postgresql://localhost/app

    broker
        .subscribe(
            email_jobs, "welcome",
            [](const Email& email, const rowq::Delivery& delivery) {
                return send(email) ? rowq::ack() : rowq::retry_after(1min * delivery.attempt());
            })
        .workers(8)
        .lease(60s)
        .max_attempts(5)
        .dead_letter("failed")
        .drain(); // ends when the queue is empty; a service leaves this out

    rowq::Publisher<Email> welcome{broker, email_jobs, "welcome"};
    welcome.push({"ada@example.org", "Hello"});
    broker.run(); // until SIGINT or SIGTERM, or until drained
}
