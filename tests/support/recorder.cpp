// Keeps copies, since an event's views end with its call.
#include "support/recorder.hpp"

#include <algorithm>
#include <iterator>

namespace rowq::test {

void Recorder::on(const Event& event) noexcept {
    Told told;
    told.kind = event.kind;
    told.subscription = event.subscription;
    told.table = event.table;
    if (event.row != nullptr) told.row = to_string(*event.row);
    told.attempt = event.attempt;
    told.count = event.count;
    told.outcome = event.outcome;
    told.text = event.text;
    if (event.error != nullptr) told.error = *event.error;
    const std::lock_guard lock(mutex_);
    told_.push_back(std::move(told));
}

std::vector<Told> Recorder::all() const {
    const std::lock_guard lock(mutex_);
    return told_;
}

std::vector<Told> Recorder::all(Kind kind) const {
    const std::lock_guard lock(mutex_);
    std::vector<Told> found;
    std::copy_if(told_.begin(), told_.end(), std::back_inserter(found), [&](const Told& told) {
        return told.kind == kind;
    });
    return found;
}

std::size_t Recorder::settled(Outcome::Kind outcome) const {
    const auto settled = all(Kind::settled);
    return static_cast<std::size_t>(
        std::count_if(settled.begin(), settled.end(), [&](const Told& told) {
            return told.outcome && told.outcome->kind() == outcome;
        }));
}

std::vector<Told> Recorder::errors(ErrorCode code) const {
    auto errors = all(Kind::error);
    std::erase_if(
        errors, [&](const Told& told) { return !told.error || told.error->code() != code; });
    return errors;
}

std::string Recorder::troubles() const {
    std::string text;
    for (const Told& told : all()) {
        if (told.kind == Kind::error || told.kind == Kind::failed || told.kind == Kind::lost ||
            told.kind == Kind::undecodable)
            text.append(to_string(told.kind))
                .append(" ")
                .append(told.row)
                .append(": ")
                .append(told.text.substr(0, 300) + "\n");
    }
    return text;
}

} // namespace rowq::test
