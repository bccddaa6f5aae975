#include "programs/runs/computation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/parse.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"
#include "results/json.hpp"

namespace railyard::runs {

namespace {

using results::Json;
using results::Reader;

constexpr std::string_view format_name = "railyard-compute";
constexpr std::uint64_t version = 1;
constexpr std::string_view last_line = "end";
constexpr std::uint64_t most_ranks = 1 << 20;

std::string dump(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The lines of a text, one after the other.
class Lines {
  public:
    Lines(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

    std::string_view next() {
        ++number_;
        const auto end = rest_.find('\n');
        if (end == std::string_view::npos)
            complain("the file ends here, before its last line; it was cut off: record it anew");
        const std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return line;
    }
    bool at_end() const { return rest_.empty(); }
    [[noreturn]] void complain(const std::string& what) const {
        throw Error(fmt::format("{}:{}: {}", file_, number_, what));
    }

  private:
    std::string_view rest_;
    const std::string& file_;
    std::size_t number_ = 0;
};

/// What the first line says, and of how many ranks there are lines.
std::pair<ComputeLog, std::uint64_t> parse_head(std::string_view line, const std::string& file) {
    const Json value = Reader::parse(line, file);
    const Reader head(value, file);
    const Reader format = head.field("format");
    if (format.text() != format_name)
        format.complain(fmt::format("expected '{}': this is no recording", format_name));
    const Reader its_version = head.field("version");
    if (its_version.count() != version)
        its_version.complain(fmt::format(
            "this program reads version {}; record it anew with --compute record:FILE", version));
    ComputeLog log;
    log.program = head.field("program").text();
    for (const Reader& argument : head.field("arguments").elements())
        log.arguments.push_back(argument.text());
    const Reader ranks = head.field("ranks");
    const std::uint64_t count = ranks.count();
    if (count < 1 || count > most_ranks)
        ranks.complain(fmt::format("expected a number from 1 to {}", most_ranks));
    return {std::move(log), count};
}

void parse_times(std::vector<ComputeLog::Nanoseconds>& times, std::string_view line,
                 const Lines& lines) {
    ComputeLog::Nanoseconds sum = 0;
    while (!line.empty()) {
        const auto time = take_number<ComputeLog::Nanoseconds>(line);
        if (!time || *time >= ComputeLog::limit)
            lines.complain(fmt::format("expected nanoseconds less than {}, call {}",
                                       ComputeLog::limit, times.size() + 1));
        sum += *time;
        if (sum >= ComputeLog::limit)
            lines.complain(fmt::format("this rank computes longer than {} ns", ComputeLog::limit));
        times.push_back(*time);
        if (line.empty()) return;
        if (line.size() < 2 || line.front() != ' ')
            lines.complain(
                fmt::format("expected one space between numbers, call {}", times.size() + 1));
        line.remove_prefix(1);
    }
}

}  // namespace

std::string to_text(const ComputeLog& log) {
    Json head;
    head["format"] = format_name;
    head["version"] = version;
    head["program"] = log.program;
    head["arguments"] = log.arguments;
    head["ranks"] = log.ranks.size();
    std::string text = dump(head) + "\n";
    for (const auto& times : log.ranks) {
        for (std::size_t i = 0; i < times.size(); ++i)
            fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? "" : " ", times[i]);
        text += '\n';
    }
    return text.append(last_line) + "\n";
}

ComputeLog parse_log(std::string_view text, const std::string& file) {
    Lines lines(text, file);
    auto [log, count] = parse_head(lines.next(), file);
    // Room is made as lines come: what the head says may be wrong.
    for (std::uint64_t rank = 0; rank < count; ++rank)
        parse_times(log.ranks.emplace_back(), lines.next(), lines);
    if (lines.next() != last_line || !lines.at_end())
        lines.complain(
            fmt::format("expected '{}' and nothing more, behind a line for each rank", last_line));
    return std::move(log);
}

std::string as_logged(const std::string& word) {
    return Json::parse(dump(Json(word))).get<std::string>();
}

namespace {

using From = ComputeChoice::From;

constexpr double largest_factor = 1e6;

/// What stands behind one of the signs for "times"; nothing if none stands there.
std::optional<double> parse_factor(std::string_view text) {
    for (const std::string_view sign : {"\u00d7", "x", "*"}) {
        if (!text.starts_with(sign)) continue;
        text.remove_prefix(sign.size());
        if (const auto factor = parse_number<double>(text);
            factor && *factor > 0 && *factor <= largest_factor)
            return factor;
    }
    return std::nullopt;
}

std::optional<ComputeChoice> parse(std::string_view text) {
    if (text == "none") return ComputeChoice{};
    struct Word {
        std::string_view name;
        From from;
        bool has_file;
        bool has_factor;
    };
    for (const Word& word :
         {Word{"measured", From::measurement, false, true},
          Word{"record", From::recording, true, false}, Word{"replay", From::file, true, true}}) {
        if (!text.starts_with(word.name)) continue;
        ComputeChoice choice{.from = word.from, .factor = 1, .file = {}};
        std::string_view rest = text.substr(word.name.size());
        if (word.has_file) {
            const auto colon = rest.find(':');
            if (colon == std::string_view::npos || colon + 1 == rest.size()) return std::nullopt;
            choice.file = rest.substr(colon + 1);
            rest = rest.substr(0, colon);
        }
        if (rest.empty()) return choice;
        const auto factor = word.has_factor ? parse_factor(rest) : std::nullopt;
        if (!factor) return std::nullopt;
        choice.factor = *factor;
        return choice;
    }
    return std::nullopt;
}

/// As a user would call it.
std::string call(const std::string& program, const std::vector<std::string>& arguments,
                 std::size_t ranks) {
    std::string text = fmt::format("-n {} {}", ranks, program);
    for (const std::string& argument : arguments)
        text += ' ' + argument;
    return text;
}

ComputeLog empty_log(const std::vector<std::string>& words, int ranks) {
    ComputeLog log;
    for (const std::string& word : words)
        log.arguments.push_back(as_logged(word));
    log.program = log.arguments.front();
    log.arguments.erase(log.arguments.begin());
    log.ranks.resize(static_cast<std::size_t>(ranks));
    return log;
}

}  // namespace

ComputeChoice parse_compute(std::string_view option, std::string_view text) {
    if (const auto choice = parse(text)) return *choice;
    throw UsageError(
        fmt::format("{}: expected none, measured, measured×FACTOR, record:FILE, replay:FILE or "
                    "replay×FACTOR:FILE, found '{}'; a factor is a number over 0 and up to {:.0f}, "
                    "and x or * stand for ×",
                    option, text, largest_factor));
}

std::string to_string(const ComputeChoice& choice) {
    const std::string times = choice.factor == 1 ? "" : fmt::format("×{}", choice.factor);
    switch (choice.from) {
        case From::nowhere:
            return "none";
        case From::measurement:
            return "measured" + times;
        case From::recording:
            return "record:" + choice.file.string();
        case From::file:
            return "replay" + times + ":" + choice.file.string();
    }
    return "?";
}

Computation::Computation(const ComputeChoice& choice, const std::vector<std::string>& words,
                         int ranks)
    : choice_(choice) {
    const auto count = static_cast<std::size_t>(ranks);
    calls_.resize(count);
    switch (choice_.from) {
        case From::nowhere:
            return;
        case From::file:
            read(words, ranks);
            return;
        case From::recording:
            results::check_writable(choice_.file);
            log_ = empty_log(words, ranks);
            [[fallthrough]];
        case From::measurement:
            began_.resize(count);
            cost_of_reading_ = thread_clock::cost();
    }
}

void Computation::read(const std::vector<std::string>& words, int ranks) {
    const std::string file = choice_.file.string();
    log_ = parse_log(results::read_file(choice_.file), file);
    const ComputeLog ours = empty_log(words, ranks);
    if (log_.program != ours.program || log_.arguments != ours.arguments ||
        log_.ranks.size() != ours.ranks.size())
        throw UsageError(fmt::format(
            "{}: recorded by `railyard run {}`, and this is `railyard run {}`; call it the same, "
            "or record this one with --compute record:FILE",
            file, call(log_.program, log_.arguments, log_.ranks.size()),
            call(ours.program, ours.arguments, ours.ranks.size())));
    double longest = 0;
    for (const auto& times : log_.ranks) {
        double sum = 0;
        for (const ComputeLog::Nanoseconds time : times)
            sum += static_cast<double>(time);
        longest = std::max(longest, sum);
    }
    if (longest * choice_.factor >= static_cast<double>(ComputeLog::limit))
        throw UsageError(
            fmt::format("{}: a rank would compute for {:.0f} days; take a factor "
                        "less than {}",
                        file, longest * choice_.factor / 86'400e9, choice_.factor));
}

void Computation::begin(std::size_t rank) {
    if (!choice_.repeats()) began_[rank] = thread_clock::now();
}

Duration Computation::end(std::size_t rank) {
    const std::size_t call = calls_[rank]++;
    switch (choice_.from) {
        case From::nowhere:
            break;
        case From::file: {
            const auto& times = log_.ranks[rank];
            return call < times.size() ? scaled(times[call]) : Duration();  // see check_calls()
        }
        case From::measurement:
        case From::recording: {
            const Duration span = thread_clock::now() - began_[rank] - cost_of_reading_;
            const auto time =
                static_cast<ComputeLog::Nanoseconds>(std::max(0.0, std::round(span.nanoseconds())));
            if (choice_.from == From::recording) log_.ranks[rank].push_back(time);
            return scaled(time);
        }
    }
    return {};
}

Duration Computation::scaled(ComputeLog::Nanoseconds time) const {
    if (choice_.factor == 1) return Duration::ns(static_cast<std::int64_t>(time));
    return Duration::ps(std::llround(static_cast<double>(time) * 1e3 * choice_.factor));
}

void Computation::finish() const {
    if (choice_.from == From::recording) results::write_file(choice_.file, to_text(log_));
    if (choice_.from == From::file) check_calls();
}

/// Only now, as a program that is stopped in the middle of a call may have no way out.
void Computation::check_calls() const {
    for (std::size_t rank = 0; rank < calls_.size(); ++rank)
        if (calls_[rank] != log_.ranks[rank].size())
            throw Error(fmt::format(
                "{}: rank {} has made {} MPI calls, and {} when this was recorded, so the times "
                "are of another program, or of one that polls (MPI_Test, MPI_Iprobe) as often as "
                "it has time; record it anew with --compute record:{}, or take --compute measured",
                choice_.file.string(), rank, calls_[rank], log_.ranks[rank].size(),
                choice_.file.string()));
}

}  // namespace railyard::runs
