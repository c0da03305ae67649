// Row mode: the handler takes the row itself, by its columns. Here ack marks the row instead of deleting it.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <array>
#include <atomic>
#include <optional>

struct Transfer {
    std::int64_t id = 0;
    std::string account;
    std::int64_t cents = 0;
    std::optional<std::string> note; // the column is nullable
};

constexpr auto transfers = rowq::table<Transfer>("transfers")
                               .id("id", &Transfer::id, rowq::generated)
                               .column("account", &Transfer::account)
                               .column("cents", &Transfer::cents)
                               .column("note", &Transfer::note)
                               .processed_at("booked_at"); // ack fills it

int main() {
    support::sql("CREATE TABLE transfers (id INTEGER PRIMARY KEY, account TEXT NOT NULL,"
                 " cents INTEGER NOT NULL, note TEXT, booked_at TEXT)");

    std::atomic<std::int64_t> booked = 0;
    rowq::Broker broker{support::url};
    broker
        .subscribe(
            transfers,
            [&](const Transfer& transfer) {
                std::cout << transfer.id << ": " << transfer.cents << " to " << transfer.account
                          << " (" << transfer.note.value_or("no note") << ")\n";
                booked += transfer.cents;
            })
        .workers(2)
        .drain();

    rowq::Publisher<Transfer> publisher{broker, transfers};
    publisher.push_many(std::to_array<Transfer>({
        {.account = "ada", .cents = 1250, .note = "rent"},
        {.account = "grace", .cents = 300, .note = {}},
    }));
    // Any program that can write SQL can publish.
    support::sql("INSERT INTO transfers (account, cents) VALUES ('alan', 50)");
    broker.run();

    support::expect(booked == 1600, "every transfer was booked once");
    support::expect(
        support::sql("SELECT count(*) FROM transfers WHERE booked_at IS NOT NULL") == "3",
        "the rows are still there, marked");
}
