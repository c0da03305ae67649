// One exception type with a code: what is wrong is found when the broker starts, and the message says what to mend.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

constexpr auto jobs = rowq::table("jobs")
                          .id("id", rowq::generated)
                          .attempt("attempt", rowq::generated) // the table below has none yet
                          .payload("payload");

int main() {
    support::sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, payload TEXT NOT NULL)");

    rowq::Broker broker{support::url};
    broker.subscribe(jobs, [](const std::string&) {}).drain();

    bool refused = false;
    try {
        broker.start();
    } catch (const rowq::Error& error) {
        std::cout << to_string(error.code()) << ": " << error.what() << '\n';
        refused = error.code() == rowq::ErrorCode::schema && error.table() == "jobs";
    }
    support::expect(refused, "the missing column is found before anything runs");

    support::sql("ALTER TABLE jobs ADD COLUMN attempt INTEGER NOT NULL DEFAULT 1");
    broker.run(); // a broker whose start was refused can be started again

    // A description built at run time throws what the compiler says about a constant.
    try {
        static_cast<void>(rowq::table("jobs").id("id").attempt("id"));
        support::expect(false, "a column plays one role");
    } catch (const rowq::Error& error) {
        std::cout << to_string(error.code()) << ": " << error.what() << '\n';
        support::expect(error.code() == rowq::ErrorCode::declaration, "a column plays one role");
    }
}
