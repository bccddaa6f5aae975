#include "programs/runs/compute_log.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <utility>

#include "railyard/base/error.hpp"
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
        ComputeLog::Nanoseconds time = 0;
        const char* const end = line.data() + line.size();
        const auto [stop, error] = std::from_chars(line.data(), end, time);
        if (error != std::errc{} || time >= ComputeLog::limit)
            lines.complain(fmt::format("expected nanoseconds less than {}, call {}",
                                       ComputeLog::limit, times.size() + 1));
        sum += time;
        if (sum >= ComputeLog::limit)
            lines.complain(fmt::format("this rank computes longer than {} ns", ComputeLog::limit));
        times.push_back(time);
        line.remove_prefix(static_cast<std::size_t>(stop - line.data()));
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

}  // namespace railyard::runs
