// The default observer: what an operator wants to read, one line each, on standard error.
#include "table/one_line.hpp"

#include <rowq/observer.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>

namespace rowq {

std::string_view to_string(Event::Kind kind) noexcept {
    static constexpr std::array<std::string_view, 13> names{
        "opened", "warning",     "claimed", "started", "settled",    "renewed", "lost",
        "failed", "undecodable", "error",   "waiting", "given_back", "stopping"};
    const auto index = static_cast<std::size_t>(kind);
    return index < names.size() ? names[index] : "stopped";
}

namespace {

std::string_view outcome_name(const std::optional<Outcome>& outcome) {
    if (!outcome) return "nothing";
    switch (outcome->kind()) {
    case Outcome::Kind::ack: return "ack";
    case Outcome::Kind::drop: return "drop";
    case Outcome::Kind::retry: return "retry";
    case Outcome::Kind::retry_after: return "delayed retry";
    case Outcome::Kind::dead_letter: return "dead letter";
    }
    return "";
}

class LogObserver final : public Observer {
public:
    void on(const Event& event) noexcept override try {
        const std::string text = describe(event);
        if (!text.empty())
            fmt::print(
                stderr, "{}\n",
                detail::on_one_line(fmt::format(
                    "rowq: {}: {}", event.subscription.empty() ? "broker" : event.subscription,
                    text)));
    } catch (...) {
        return; // a log that cannot be written must not stop the work
    }

private:
    static std::string describe(const Event& event) {
        const std::string row = event.row != nullptr ? "row " + to_string(*event.row) : "a row";
        switch (event.kind) {
        case Event::Kind::opened: return fmt::format("reading table {}", event.table);
        case Event::Kind::warning: return fmt::format("warning: {}", event.text);
        case Event::Kind::lost:
            return fmt::format("{} is lost: its lease or lock is gone while its handler runs", row);
        case Event::Kind::failed:
            return fmt::format(
                "{} failed on attempt {}: {} ({} follows)", row, event.attempt, event.text,
                outcome_name(event.outcome));
        case Event::Kind::undecodable:
            return fmt::format(
                "{} does not decode: {} ({} follows)", row, event.text,
                outcome_name(event.outcome));
        case Event::Kind::error:
            return fmt::format(
                "error: {}",
                event.error != nullptr ? std::string_view(event.error->what()) : event.text);
        case Event::Kind::stopped:
            return event.count == 0
                       ? std::string()
                       : fmt::format("stopped; {} rows were released unfinished", event.count);
        default: return {};
        }
    }
};

} // namespace

std::shared_ptr<Observer> log_observer() { return std::make_shared<LogObserver>(); }

} // namespace rowq
