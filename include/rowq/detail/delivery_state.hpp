// What stands behind a Delivery: the claimed row and the way to settle it.
#pragma once

#include <rowq/outcome.hpp>
#include <rowq/value.hpp>

#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

namespace rowq::detail {

struct Content {
    Id id;
    int attempt = 0;
    std::string group;
    std::string headers = "{}";
    Value payload;
    std::vector<Value>
        row; // row mode: the values of the bound columns, in the order of the description
};

class DeliveryState {
public:
    explicit DeliveryState(Content c) : content(std::move(c)) {}
    virtual ~DeliveryState() = default;
    DeliveryState(const DeliveryState&) = delete;
    DeliveryState& operator=(const DeliveryState&) = delete;

    virtual void settle(Outcome outcome) = 0;
    virtual void give_up() noexcept = 0; // dropped unsettled: the row returns

    [[nodiscard]] virtual std::stop_token stop_token() const noexcept = 0;
    [[nodiscard]] virtual bool lost() const noexcept = 0;

    Content content;
};

// The payload or row cannot be turned into what the handler takes.
class Undecodable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace rowq::detail
