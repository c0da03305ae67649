// Everything that worker processes did with rows, in one file that outlives them, and what must be true of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::test {

// Written by any number of processes at once: each line is one write to a file opened for appending.
class HistoryWriter {
public:
    explicit HistoryWriter(const std::string& path);
    ~HistoryWriter();
    HistoryWriter(const HistoryWriter&) = delete;
    HistoryWriter& operator=(const HistoryWriter&) = delete;

    // what: "start", "end", "settled", "error", "given_back". row: the id, or "-". rest: attempt, outcome, or error text.
    void line(std::string_view what, std::string_view row, std::string_view rest);

private:
    int file_ = -1;
};

// Nanoseconds that all processes of a host agree on.
[[nodiscard]] std::int64_t monotonic_ns();

struct HistoryLine {
    std::string what;
    int pid = 0;
    std::int64_t at = 0;
    std::string row;
    std::string rest;
};

class History {
public:
    // What the file holds now; a line that is still being written is left out.
    static History read(const std::string& path);

    // The process died, so runs that it had begun ended then. Taken just before the signal.
    void killed(int pid, std::int64_t at) { deaths_[pid] = at; }

    // A run of this process may overlap others' from then on: it was stopped past its lease.
    void stopped(int pid) { stopped_.push_back(pid); }

    [[nodiscard]] std::vector<HistoryLine> all(std::string_view what) const;
    [[nodiscard]] std::vector<HistoryLine> all(std::string_view what, std::string_view row) const;
    [[nodiscard]] std::size_t count(std::string_view what) const { return all(what).size(); }
    // Rows in work of this process now.
    [[nodiscard]] std::size_t running(int pid) const;

    // Everything that breaks a promise, one a line; empty if nothing does. For every row of 1..rows: it ran; no two runs overlap; it was
    // finished exactly once and never ran afterwards; a run that did not end belongs to a process that died.
    [[nodiscard]] std::string problems(long long rows) const;

    // Runs of rows with one key never overlap. key_of: row -> key.
    [[nodiscard]] std::string overlaps(const std::map<std::string, std::string>& key_of) const;

private:
    struct Run {
        int pid = 0;
        std::string row;
        std::int64_t begin = 0;
        std::int64_t end = 0;
        bool ended = false;
    };
    [[nodiscard]] std::vector<Run> runs(const std::vector<HistoryLine>& lines) const;
    [[nodiscard]] std::string row_problems(
        const std::string& row, const std::vector<HistoryLine>& lines) const;
    [[nodiscard]] std::string overlap_problems(std::vector<Run> runs) const;
    [[nodiscard]] bool may_overlap(int pid) const;

    std::vector<HistoryLine> lines_;
    std::map<int, std::int64_t> deaths_;
    std::vector<int> stopped_;
};

} // namespace rowq::test
