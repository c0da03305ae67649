// Cases, and the way into a test.
#include "support/matrix.hpp"

#include "support/required.hpp"

#include <algorithm>
#include <iterator>

namespace rowq::test {

std::string to_string(const Case& c) {
    return (c.server == Server::postgres ? "postgres_" : "sqlite_") +
           std::string(to_string(c.form));
}

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << to_string(c); }

std::string name_of(const testing::TestParamInfo<Case>& info) { return to_string(info.param); }

std::vector<Case> every_case() {
    std::vector<Case> cases;
    for (const Server server : {Server::postgres, Server::sqlite}) {
        for (const Form form : {Form::row_lock, Form::lease, Form::advisory})
            cases.push_back({server, form});
    }
    return cases;
}

std::vector<Case> cases_where(const std::function<bool(const Case&)>& wanted) {
    auto cases = every_case();
    std::erase_if(cases, [&](const Case& c) { return !wanted(c); });
    return cases;
}

std::vector<Case> cases_of(Server server) {
    return cases_where([&](const Case& c) { return c.server == server; });
}

std::vector<Case> cases_of(Form form) {
    return cases_where([&](const Case& c) { return c.form == form; });
}

void QueueTest::SetUp() {
    ROWQ_SKIP_IF(missing(GetParam().server));
    database_ = make_database(GetParam().server);
    create_table(*database_);
}

BrokerOptions QueueTest::options() const {
    BrokerOptions options;
    options.observer(recorder).grace(std::chrono::seconds(5));
    return options;
}

} // namespace rowq::test
