// Ownership of one hold.
#include "db/holds.hpp"

#include <utility>

namespace rowq::detail::db {

Hold::Hold(Hold&& other) noexcept
    : holds_(std::exchange(other.holds_, nullptr)), number_(other.number_) {}

Hold& Hold::operator=(Hold&& other) noexcept {
    if (this != &other) {
        release();
        holds_ = std::exchange(other.holds_, nullptr);
        number_ = other.number_;
    }
    return *this;
}

Hold::~Hold() { release(); }

void Hold::release() noexcept {
    if (Holds* const holds = std::exchange(holds_, nullptr)) holds->release(number_);
}

} // namespace rowq::detail::db
