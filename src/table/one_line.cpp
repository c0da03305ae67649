// Text from outside, made fit for a log.
#include "table/one_line.hpp"

namespace rowq::detail {

std::string on_one_line(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) c = ' ';
    }
    return text;
}

std::string shortened(std::string_view text, std::size_t longest) {
    std::string start(text.substr(0, longest));
    if (start.size() == text.size()) return start;
    while (!start.empty() && (static_cast<unsigned char>(text[start.size()]) & 0xC0U) == 0x80U)
        start.pop_back();
    return start + "...";
}

} // namespace rowq::detail
