// Everything that happens in a broker, told to whoever wants to know.
#pragma once

#include <rowq/error.hpp>
#include <rowq/outcome.hpp>
#include <rowq/value.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rowq {

/// One thing that happened. The views and pointers are valid during the call only.
struct Event {
    enum class Kind {
        opened,      ///< a subscription passed its checks
        warning,     ///< something that works but should be mended; text says what and how
        claimed,     ///< count rows were claimed
        started,     ///< a handler is about to run for row
        settled,     ///< row was settled by outcome, committed
        renewed,     ///< count leases got a new end
        lost,        ///< the lease or lock of row is gone while its handler runs
        failed,      ///< the handler threw, or the cap is passed; text says it; outcome follows
        undecodable, ///< row (null: its id too) does not decode; text says why; outcome follows
        error,       ///< a claim, renewal or settlement failed; error says how; the broker goes on
        waiting,     ///< nothing is due; the next look is after the poll interval or a wake-up
        given_back,  ///< row returned unstarted, or its delivery was dropped unsettled
        stopping,    ///< no new claims from here on
        stopped,     ///< count deliveries had to be released unfinished
    };

    Kind kind = Kind::opened;
    std::string_view subscription = {};
    std::string_view table = {};
    const Id* row = nullptr;
    int attempt = 0;
    std::size_t count = 0;
    std::optional<Outcome> outcome = {}; ///< empty after a throw: settled or passed on before
    std::string_view text = {};
    const Error* error = nullptr;
};

/// The kind as written in its enumerator.
[[nodiscard]] std::string_view to_string(Event::Kind kind) noexcept;

/// Gets every event of a broker. Called from several threads at once, on the thread where the thing happened: be quick. What it throws ends
/// the program (noexcept).
class Observer {
public:
    virtual ~Observer() = default;
    virtual void on(const Event& event) noexcept = 0;
};

/// The default: one line on standard error for opened, warning, lost, failed, undecodable and error, and for stopped where deliveries had to be
/// released; nothing for the daily work.
[[nodiscard]] std::shared_ptr<Observer> log_observer();

} // namespace rowq
