// Every role, each form and both modes as constants.
#include <rowq/table.hpp>

#include <string>

struct Transfer {
    long long id = 0;
    long long cents = 0;
    std::string note;
};

constexpr auto leases = rowq::table("app.jobs")
                            .id("id", rowq::generated)
                            .group("queue")
                            .priority("priority", rowq::generated)
                            .retry_after("retry_after", rowq::generated)
                            .attempt("attempt", rowq::generated)
                            .locked_until("locked_until")
                            .processed_at("processed_at")
                            .headers("headers", rowq::generated)
                            .payload("payload");

constexpr auto rows = rowq::table<Transfer>("transfers")
                          .id("id", &Transfer::id, rowq::generated)
                          .column("cents", &Transfer::cents)
                          .column("note", &Transfer::note, rowq::generated);

constexpr auto keys = rowq::table("jobs").id("id").payload("payload").lock_key("{a}-{b}");

static_assert(leases.description().count == 9);
static_assert(rows.row_mode && !keys.row_mode);
