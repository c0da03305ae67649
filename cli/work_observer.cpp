// Events as text, as JSON and as counts.
#include "work_observer.hpp"

#include "common.hpp"
#include "table/one_line.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace rowq::cli {

namespace {

std::string_view outcome_name(Outcome outcome) {
    switch (outcome.kind()) {
    case Outcome::Kind::ack: return "ack";
    case Outcome::Kind::drop: return "drop";
    case Outcome::Kind::retry: return "retry";
    case Outcome::Kind::retry_after: return "retry_after";
    case Outcome::Kind::dead_letter: return "dead_letter";
    }
    return "";
}

bool concerns_a_delivery(Event::Kind kind) {
    return kind == Event::Kind::started || kind == Event::Kind::settled ||
           kind == Event::Kind::lost || kind == Event::Kind::failed ||
           kind == Event::Kind::undecodable || kind == Event::Kind::given_back;
}

} // namespace

WorkObserver::WorkObserver(Detail detail, bool json)
    : detail_(detail),
      json_(json),
      progress_(detail == Detail::usual && isatty(STDERR_FILENO) != 0) {
    if (detail != Detail::everything) return;
    spdlog::drop("rowq");
    spdlog::stderr_logger_mt("rowq")->set_level(spdlog::level::debug);
}

void WorkObserver::on(const Event& event) noexcept try {
    count(event);
    if (json_ && concerns_a_delivery(event.kind)) print_json(event);
    print(event);
} catch (...) {
    return; // what cannot be written must not stop the work
}

void WorkObserver::count(const Event& event) noexcept {
    if (event.kind != Event::Kind::settled || !event.outcome) return;
    switch (event.outcome->kind()) {
    case Outcome::Kind::ack: ++done_; break;
    case Outcome::Kind::drop: ++dropped_; break;
    case Outcome::Kind::retry:
    case Outcome::Kind::retry_after: ++retried_; break;
    case Outcome::Kind::dead_letter: ++dead_; break;
    }
}

void WorkObserver::print(const Event& event) const {
    if (detail_ == Detail::everything) {
        auto text = fmt::format("{} {}", event.subscription, to_string(event.kind));
        if (event.row != nullptr)
            text += fmt::format(" row {} attempt {}", to_string(*event.row), event.attempt);
        if (event.count > 0) text += fmt::format(" {}", event.count);
        if (event.outcome) text += fmt::format(" {}", outcome_name(*event.outcome));
        if (!event.text.empty()) text += fmt::format(": {}", event.text);
        spdlog::get("rowq")->info(detail::on_one_line(std::move(text)));
    } else if (detail_ == Detail::usual || event.kind == Event::Kind::error) {
        if (event.kind != Event::Kind::opened) log_->on(event);
    }
    if (progress_ && event.kind == Event::Kind::settled) fmt::print(stderr, "\r{}   ", summary());
}

void WorkObserver::print_json(const Event& event) {
    const std::lock_guard lock(mutex_);
    if (output_error_) return;
    nlohmann::json object{{"event", to_string(event.kind)}};
    if (event.row != nullptr) std::visit([&](const auto& id) { object["id"] = id; }, *event.row);
    if (event.attempt > 0) object["attempt"] = event.attempt;
    if (event.outcome) object["outcome"] = outcome_name(*event.outcome);
    if (!event.text.empty()) object["text"] = event.text;
    try {
        rowq::cli::print_json(object);
        flush_output();
    } catch (...) {
        output_error_ = std::current_exception();
        if (output_failed_) output_failed_();
    }
}

void WorkObserver::check_output() const {
    const std::lock_guard lock(mutex_);
    if (output_error_) std::rethrow_exception(output_error_);
}

std::string WorkObserver::summary() const {
    return fmt::format(
        "{} done, {} dropped, {} retried, {} dead", done_.load(), dropped_.load(), retried_.load(),
        dead_.load());
}

} // namespace rowq::cli
