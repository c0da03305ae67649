// A codec of your own for the payload, and what happens to a row that it cannot read.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <atomic>
#include <charconv>
#include <stdexcept>

struct Point {
    int x = 0;
    int y = 0;
};

// "3;4" and back. Any exception from decode() means: this row does not decode.
struct PointCodec {
    [[nodiscard]] Point decode(std::string_view text) const {
        Point point;
        const char* const end = text.data() + text.size();
        const auto x = std::from_chars(text.data(), end, point.x);
        if (x.ec != std::errc{} || x.ptr == end || *x.ptr != ';')
            throw std::invalid_argument("a point is written x;y");
        const auto y = std::from_chars(x.ptr + 1, end, point.y);
        if (y.ec != std::errc{} || y.ptr != end)
            throw std::invalid_argument("a point is written x;y");
        return point;
    }
    [[nodiscard]] std::string encode(const Point& point) const {
        return std::to_string(point.x) + ';' + std::to_string(point.y);
    }
};

constexpr auto jobs = rowq::table("jobs")
                          .id("id", rowq::generated)
                          .group("queue")
                          .attempt("attempt", rowq::generated)
                          .payload("payload");

int main() {
    support::sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, queue TEXT NOT NULL,"
                 " attempt INTEGER NOT NULL DEFAULT 1, payload TEXT NOT NULL);"
                 "CREATE INDEX jobs_claim ON jobs (queue, id);"
                 "INSERT INTO jobs (queue, payload) VALUES ('points', 'nowhere')");

    std::atomic<int> sum = 0;
    rowq::Broker broker{support::url};
    broker
        .subscribe(
            jobs, "points", [&](const Point& p) { sum += p.x * p.y; }, PointCodec{})
        .max_attempts(5)
        .dead_letter("unreadable") // where declared, rows that do not decode go there at once
        .drain();

    rowq::Publisher<Point, PointCodec> publisher{broker, jobs, "points"};
    publisher.push({3, 4});
    broker.run();

    support::expect(sum == 12, "the point was read back");
    support::expect(
        support::sql("SELECT payload FROM jobs WHERE queue = 'unreadable'") == "nowhere",
        "the other row was put aside and blocked nobody");
}
