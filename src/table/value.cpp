// rowq::to_string(Id).
#include <rowq/value.hpp>

namespace rowq {

std::string to_string(const Id& id) {
    if (const auto* number = std::get_if<std::int64_t>(&id)) return std::to_string(*number);
    return std::get<std::string>(id);
}

} // namespace rowq
