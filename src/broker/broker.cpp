// rowq::Broker: the public face of BrokerCore.
#include "broker/core.hpp"

#include <rowq/broker.hpp>

#include <utility>

namespace rowq {

Broker::Broker(std::string_view url, const BrokerOptions& options)
    : core_(std::make_unique<detail::BrokerCore>(url, options)) {}
Broker::Broker(Broker&&) noexcept = default;
Broker& Broker::operator=(Broker&&) noexcept = default;
Broker::~Broker() = default;

void Broker::start() { core_->start(); }
void Broker::run() { core_->run(); }
void Broker::stop() { core_->stop(); }
void Broker::request_stop() noexcept { core_->request_stop(); }
void Broker::wake(std::string_view table, std::string_view group) { core_->wake(table, group); }

Subscription Broker::add(
    const detail::Description& table, std::string group, bool row_mode, detail::Handler handler) {
    auto options = std::make_shared<detail::SubscriptionOptions>();
    core_->add({detail::Table(table), std::move(group), row_mode, std::move(handler), options});
    return Subscription(std::move(options));
}

namespace detail {
db::Database& database_of(Broker& broker) { return broker.core().database(); }
const Clock& clock_of(Broker& broker) { return broker.core().clock(); }
void wake_process(std::string_view table, std::string_view group) {
    BrokerCore::wake_all(table, group);
}
} // namespace detail

} // namespace rowq
