// Lines: what pid at row rest..
#include "support/history.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace rowq::test {

std::int64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

HistoryWriter::HistoryWriter(const std::string& path)
    : file_(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw std::runtime_error("cannot write " + path);
}

HistoryWriter::~HistoryWriter() { close(file_); }

void HistoryWriter::line(std::string_view what, std::string_view row, std::string_view rest) {
    std::ostringstream text;
    text << what << ' ' << getpid() << ' ' << monotonic_ns() << ' ' << row << ' ';
    for (const char c : rest) text << (c == '\n' ? ' ' : c);
    text << '\n';
    const std::string bytes = text.str();
    if (write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) abort();
}

History History::read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    History history;
    std::istringstream in(text.substr(0, text.rfind('\n') + 1));
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        HistoryLine& next = history.lines_.emplace_back();
        words >> next.what >> next.pid >> next.at >> next.row;
        std::getline(words >> std::ws, next.rest);
    }
    // The order of events, not of writes.
    std::stable_sort(
        history.lines_.begin(), history.lines_.end(),
        [](const HistoryLine& a, const HistoryLine& b) { return a.at < b.at; });
    return history;
}

std::vector<HistoryLine> History::all(std::string_view what) const {
    std::vector<HistoryLine> found;
    std::copy_if(
        lines_.begin(), lines_.end(), std::back_inserter(found),
        [&](const HistoryLine& line) { return line.what == what; });
    return found;
}

std::vector<HistoryLine> History::all(std::string_view what, std::string_view row) const {
    auto found = all(what);
    std::erase_if(found, [&](const HistoryLine& line) { return line.row != row; });
    return found;
}

std::size_t History::running(int pid) const {
    std::size_t running = 0;
    for (const Run& run : runs(lines_)) running += run.pid == pid && !run.ended ? 1U : 0U;
    return running;
}

std::vector<History::Run> History::runs(const std::vector<HistoryLine>& lines) const {
    std::vector<Run> runs;
    std::map<std::pair<int, std::string>, std::size_t> open;
    for (const HistoryLine& line : lines) {
        const std::pair key(line.pid, line.row);
        if (line.what == "start") {
            const auto death = deaths_.find(line.pid);
            const auto end =
                death != deaths_.end() ? death->second : std::numeric_limits<std::int64_t>::max();
            open[key] = runs.size();
            runs.push_back({line.pid, line.row, line.at, end, false});
        } else if (line.what == "end" && open.contains(key)) {
            runs[open[key]].end = line.at;
            runs[open[key]].ended = true;
            open.erase(key);
        }
    }
    return runs;
}

bool History::may_overlap(int pid) const {
    return std::find(stopped_.begin(), stopped_.end(), pid) != stopped_.end();
}

std::string History::overlap_problems(std::vector<Run> runs) const {
    std::string problems;
    std::erase_if(runs, [&](const Run& run) { return may_overlap(run.pid); });
    std::sort(
        runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < runs.size(); ++i) {
        const Run& before = runs[i - 1];
        if (runs[i].begin < before.end)
            problems += "row " + runs[i].row + " started in " + std::to_string(runs[i].pid) +
                        " while row " + before.row + " ran in " + std::to_string(before.pid) + "\n";
    }
    return problems;
}

std::string History::row_problems(
    const std::string& row, const std::vector<HistoryLine>& lines) const {
    std::string problems;
    const auto all_runs = runs(lines);
    if (all_runs.empty()) problems += "row " + row + " never ran\n";
    problems += overlap_problems(all_runs);
    std::size_t finished = 0;
    std::int64_t finished_at = 0;
    for (const HistoryLine& line : lines) {
        if (line.what != "settled" || line.rest.starts_with("retry")) continue;
        ++finished;
        finished_at = line.at;
    }
    for (const Run& run : all_runs) {
        if (!run.ended && !deaths_.contains(run.pid))
            problems += "row " + row + " was left in work by " + std::to_string(run.pid) + "\n";
        if (finished > 0 && run.begin > finished_at)
            problems += "row " + row + " ran again after it was finished\n";
    }
    // A process may die between the commit and its line here; then its last run ended and nothing ran afterwards.
    const bool died_telling = finished == 0 && !all_runs.empty() && all_runs.back().ended &&
                              deaths_.contains(all_runs.back().pid);
    if (finished != 1 && !died_telling)
        problems += "row " + row + " was finished " + std::to_string(finished) + " times\n";
    return problems;
}

std::string History::problems(long long rows) const {
    std::map<std::string, std::vector<HistoryLine>> by_row;
    for (long long row = 1; row <= rows; ++row) by_row[std::to_string(row)];
    for (const HistoryLine& line : lines_) {
        if (line.row != "-") by_row[line.row].push_back(line);
    }
    std::string problems;
    for (const auto& [row, lines] : by_row) {
        problems += row_problems(row, lines);
        if (problems.size() > 4'000) return problems + "..\n";
    }
    return problems;
}

std::string History::overlaps(const std::map<std::string, std::string>& key_of) const {
    std::map<std::string, std::vector<Run>> by_key;
    for (const Run& run : runs(lines_)) by_key[key_of.at(run.row)].push_back(run);
    std::string problems;
    for (const auto& [key, of_key] : by_key) problems += overlap_problems(of_key);
    return problems;
}

} // namespace rowq::test
