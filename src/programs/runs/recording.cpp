#include "programs/runs/recording.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"
#include "results/gzip.hpp"
#include "results/json.hpp"

namespace railyard::runs {

namespace {

using results::Json;
using results::Reader;

constexpr std::string_view format_name = "railyard-compute";
constexpr std::uint64_t version = 2;
constexpr std::string_view last_line = "end";
constexpr std::uint64_t most_ranks = 1 << 20;
constexpr std::uint64_t most_calls = 1 << 28;
constexpr std::uint64_t most_memory = std::uint64_t{1} << 40;

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

std::uint64_t bounded(const Reader& number, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t value = number.count();
    if (value < least || value > most)
        number.complain(fmt::format("expected a number from {} to {}", least, most));
    return value;
}

/// What the first line says, and how many calls and ranks there are lines of.
struct Head {
    Recording recording;
    std::uint64_t calls;
    std::uint64_t ranks;
};

Head parse_head(std::string_view line, const std::string& file) {
    const Json value = Reader::parse(line, file);
    const Reader head(value, file);
    const Reader format = head.field("format");
    if (format.text() != format_name)
        format.complain(fmt::format("expected '{}': this is no recording", format_name));
    const Reader its_version = head.field("version");
    if (its_version.count() != version)
        its_version.complain(fmt::format(
            "this program reads version {}; record it anew with --compute record:FILE", version));
    Recording recording;
    recording.program = head.field("program").text();
    for (const Reader& argument : head.field("arguments").elements())
        recording.arguments.push_back(argument.text());
    recording.processor = head.field("processor").text();
    recording.date = head.field("date").text();
    recording.medians = head.field("medians").truth();
    return {std::move(recording), bounded(head.field("calls"), 0, most_calls),
            bounded(head.field("ranks"), 1, most_ranks)};
}

/// Numbers below `limit`, one space between them.
template <class Number>
std::vector<Number> parse_numbers(std::string_view line, std::uint64_t limit, const char* what,
                                  const Lines& lines) {
    std::vector<Number> numbers;
    while (!line.empty()) {
        const auto number = take_number<std::uint64_t>(line);
        if (!number || *number >= limit)
            lines.complain(
                fmt::format("expected {} less than {}, place {}", what, limit, numbers.size() + 1));
        numbers.push_back(static_cast<Number>(*number));
        if (line.empty()) break;
        if (line.size() < 2 || line.front() != ' ')
            lines.complain(
                fmt::format("expected one space between numbers, place {}", numbers.size() + 1));
        line.remove_prefix(1);
    }
    return numbers;
}

template <class Number>
std::uint64_t sum_below(std::uint64_t limit, const std::vector<Number>& numbers, std::uint64_t sum,
                        const char* too_much, const Lines& lines) {
    for (const Number number : numbers) {
        sum += number;
        if (sum >= limit) lines.complain(fmt::format("{} than {}", too_much, limit));
    }
    return sum;
}

/// A rank can make its calls: they lie within the memory that it has.
void check_memory(const Recording& recording, const Recording::Rank& rank, std::size_t ranks,
                  const Lines& lines) {
    std::vector<bool> seen(recording.calls.size());
    for (const std::uint32_t index : rank.calls) {
        if (seen[index]) continue;
        seen[index] = true;
        const RecordedCall& call = recording.calls[index];
        if (!call.whole) continue;
        const auto complain = [&](const char* what) {
            lines.complain(fmt::format("'{}' {}", to_string(call), what));
        };
        const auto uses = memory_of(call, ranks);
        if (!uses) complain("has not one count and one place for each rank");
        for (const MemoryUse& use : *uses) {
            const std::int64_t piece = call.arguments[use.at];
            if (piece < 0) continue;
            const auto offset = static_cast<std::uint64_t>(call.arguments[use.at + 1]);
            const auto place = static_cast<std::size_t>(piece);
            if (place >= rank.memory.size() || offset > rank.memory[place] ||
                use.length > rank.memory[place] - offset)
                complain("names memory that this line does not have");
        }
    }
}

template <class Numbers>
void append_line(std::string& text, const Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
        fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? "" : " ", numbers[i]);
    text += '\n';
}

}  // namespace

std::string to_text(const Recording& recording) {
    Json head;
    head["format"] = format_name;
    head["version"] = version;
    head["program"] = recording.program;
    head["arguments"] = recording.arguments;
    head["processor"] = recording.processor;
    head["date"] = recording.date;
    head["medians"] = recording.medians;
    head["calls"] = recording.calls.size();
    head["ranks"] = recording.ranks.size();
    std::string text = dump(head) + "\n";
    for (const RecordedCall& call : recording.calls)
        text += to_string(call) + "\n";
    for (const Recording::Rank& rank : recording.ranks) {
        append_line(text, rank.times);
        append_line(text, rank.calls);
        append_line(text, rank.memory);
    }
    return text.append(last_line) + "\n";
}

Recording parse_recording(std::string_view text, const std::string& file) {
    Lines lines(text, file);
    Head head = parse_head(lines.next(), file);
    Recording& recording = head.recording;
    // Room is made as lines come: what the head says may be wrong.
    for (std::uint64_t i = 0; i < head.calls; ++i) {
        const std::string_view line = lines.next();
        auto call = parse_call(line);
        if (!call) lines.complain(fmt::format("'{}' is no MPI call of a recording", line));
        recording.calls.push_back(*std::move(call));
    }
    std::uint64_t memory = 0;
    for (std::uint64_t i = 0; i < head.ranks; ++i) {
        Recording::Rank rank;
        rank.times =
            parse_numbers<Nanoseconds>(lines.next(), Recording::limit, "nanoseconds", lines);
        sum_below(Recording::limit, rank.times, 0, "this rank computes longer", lines);
        rank.calls = parse_numbers<std::uint32_t>(lines.next(), head.calls, "calls", lines);
        if (rank.calls.size() != rank.times.size())
            lines.complain(fmt::format("expected as many calls as there are times, {}, found {}",
                                       rank.times.size(), rank.calls.size()));
        rank.memory = parse_numbers<std::uint64_t>(lines.next(), most_memory, "bytes", lines);
        memory = sum_below(most_memory, rank.memory, memory, "more bytes in all", lines);
        check_memory(recording, rank, head.ranks, lines);
        recording.ranks.push_back(std::move(rank));
    }
    if (lines.next() != last_line || !lines.at_end())
        lines.complain(fmt::format(
            "expected '{}' and nothing more, behind three lines for each rank", last_line));
    return std::move(recording);
}

Recording read_recording(std::string_view bytes, const std::string& file) {
    if (!results::is_gzip(bytes)) return parse_recording(bytes, file);
    return parse_recording(results::gunzip(bytes, file), file);
}

Recording read_recording(const std::filesystem::path& file) {
    return read_recording(results::read_file(file), file.string());
}

void write_recording(const Recording& recording, const std::filesystem::path& file) {
    const std::string text = to_text(recording);
    results::write_file(file, file.extension() == ".gz" ? results::gzip(text) : text);
}

std::string as_recorded(const std::string& word) {
    return Json::parse(dump(Json(word))).get<std::string>();
}

std::string this_processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            return as_recorded(std::string(trim(line.substr(line.find(':') + 1))));
    return {};
}

std::string today() {
    const time_t now = ::time(nullptr);
    tm date{};
    gmtime_r(&now, &date);
    return fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

Duration scaled(Nanoseconds time, double factor) {
    if (factor == 1) return Duration::ns(static_cast<std::int64_t>(time));
    return Duration::ps(std::llround(static_cast<double>(time) * 1e3 * factor));
}

void take_medians(Recording& recording) {
    constexpr std::size_t behind = 8;
    for (Recording::Rank& rank : recording.ranks) {
        std::map<std::array<std::uint32_t, behind + 1>, std::vector<Nanoseconds>> alike;
        std::vector<std::vector<Nanoseconds>*> of_call;
        std::array<std::uint32_t, behind + 1> last;
        last.fill(~std::uint32_t{0});
        for (std::size_t i = 0; i < rank.times.size(); ++i) {
            std::rotate(last.begin(), last.begin() + 1, last.end());
            last.back() = rank.calls[i];
            of_call.push_back(&alike[last]);
            of_call.back()->push_back(rank.times[i]);
        }
        for (auto& [calls, times] : alike) {
            const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
            std::ranges::nth_element(times, middle);
            times = {*middle};
        }
        for (std::size_t i = 0; i < rank.times.size(); ++i)
            rank.times[i] = of_call[i]->front();
    }
    recording.medians = true;
}

}  // namespace railyard::runs
