// The OSU micro-benchmarks' output: a title ("# OSU MPI Latency Test v7.3"), headings
// ("# Size          Latency (us)"), and a line a size.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "report/foreign.hpp"
#include "report/foreign_text.hpp"

namespace railyard::report {

namespace {

using results::Row;

constexpr std::string_view osu_mark = "# OSU ";

/// What a test is called here: the same thing has the same name, so that it stands beside ours.
struct OsuTest {
    std::string_view name;
    const char* experiment;
    std::string_view metric;
    const char* collective = nullptr;
    std::int64_t window = 0;  ///< as it is if nobody says otherwise; the output does not tell
};
constexpr std::array osu_tests{
    OsuTest{"Latency", "mpi-latency", results::metric::latency},
    OsuTest{"Bandwidth", "mpi-bandwidth-uni-multiport", results::metric::bandwidth, nullptr, 64},
    OsuTest{"Bi-Directional Bandwidth", "mpi-bandwidth-bi-multiport",
            results::metric::bandwidth_aggregate, nullptr, 64},
    OsuTest{"Allreduce Latency", "allreduce-latency", results::metric::latency, "allreduce"},
    OsuTest{"Broadcast Latency", "allreduce-latency", results::metric::latency, "bcast"},
    OsuTest{"Reduce Latency", "allreduce-latency", results::metric::latency, "reduce"},
    OsuTest{"Barrier Latency", "allreduce-latency", results::metric::latency, "barrier"},
    OsuTest{"Allgather Latency", "allreduce-latency", results::metric::latency, "allgather"},
    OsuTest{"All-to-All Personalized Exchange Latency", "allreduce-latency",
            results::metric::latency, "alltoall"},
};

/// "# OSU MPI Bi-Directional Bandwidth Test v7.3" is about "Bi-Directional Bandwidth".
std::string_view test_of(const Lines& lines, std::string_view title) {
    std::string_view name = title.substr(osu_mark.size());
    const auto end = name.find(" Test");
    if (end == std::string_view::npos)
        lines.complain(
            fmt::format("expected a title such as '# OSU MPI Latency Test v7.3', "
                        "found '{}'",
                        title));
    name = name.substr(0, end);
    if (name.starts_with("MPI ")) name.remove_prefix(4);
    return name;
}

/// Of a heading such as "Avg Latency(us)"; none: a count, or a share.
std::optional<std::string_view> unit_of(std::string_view heading) {
    if (heading.find("(us)") != std::string_view::npos) return results::unit::microseconds;
    if (heading.find("MB/s") != std::string_view::npos) return results::unit::megabytes_per_second;
    if (heading.find("essages/s") != std::string_view::npos)
        return results::unit::messages_per_second;
    return std::nullopt;
}

class OsuReader {
  public:
    OsuReader(std::string_view text, const Foreign& from) : lines_(text, from), from_(from) {}

    std::vector<Row> read() {
        while (const auto line = lines_.next())
            if (line->starts_with(osu_mark)) read_test(*line);
        if (rows_.empty()) lines_.complain("the file ends, and there was no table of results");
        return std::move(rows_);
    }

  private:
    void read_test(std::string_view title) {
        const std::string_view test = test_of(lines_, title);
        const auto headings = read_headings(test);
        const std::size_t before = rows_.size();
        while (const auto line = lines_.next()) {
            if (line->empty() && rows_.size() == before) continue;
            if (!is_numbers(*line)) {
                lines_.again();
                break;
            }
            add(test, headings, numbers_of(lines_, *line, headings));
        }
        if (rows_.size() == before) lines_.complain(fmt::format("'{}' has no results", title));
    }

    /// "# Size  Latency (us)"; of a barrier, "# Avg Latency(us)". Other remarks stand before it.
    std::vector<std::string_view> read_headings(std::string_view test) {
        while (const auto line = lines_.next()) {
            if (line->empty()) continue;
            if (!line->starts_with('#') || line->starts_with(osu_mark)) break;
            const auto headings = headings_of(line->substr(1));
            if (headings.empty()) continue;
            if (headings.front() == "Size" && headings.size() > 1) return headings;
            if (unit_of(headings.front())) return headings;
        }
        lines_.complain(fmt::format("{}: expected headings such as '# Size  Latency (us)'", test));
    }

    void add(std::string_view test, const std::vector<std::string_view>& headings,
             const std::vector<double>& values) {
        Row row;
        std::size_t at = 0;
        if (headings.front() == "Size") {
            row.parameters[results::parameter::message_bytes] = whole(lines_, values[0], "Size");
            at = 1;
        }
        const auto unit = unit_of(headings[at]);
        if (!unit)
            lines_.complain(fmt::format(
                "{}: expected a column in us, MB/s or Messages/s, found '{}'", test, headings[at]));
        row.fabric = from_.label;
        row.unit = *unit;
        row.value = values[at];
        name(row, test);
        row.statistics = results::single(row.value);
        for (std::size_t i = at + 1; i < headings.size(); ++i) {
            if (headings[i].starts_with("Min ")) row.statistics.min = values[i];
            if (headings[i].starts_with("Max ")) row.statistics.max = values[i];
            if (headings[i].starts_with("Iterations"))
                row.statistics.iterations =
                    static_cast<std::uint64_t>(whole(lines_, values[i], headings[i]));
        }
        rows_.push_back(std::move(row));
    }

    static void name(Row& row, std::string_view test) {
        const auto found = std::ranges::find(osu_tests, test, &OsuTest::name);
        if (found == osu_tests.end()) {
            row.experiment = "osu-" + slug(test);
            row.metric = row.unit == results::unit::microseconds ? results::metric::latency
                         : row.unit == results::unit::megabytes_per_second
                             ? results::metric::bandwidth
                             : std::string_view("message_rate");
            return;
        }
        row.experiment = found->experiment;
        row.metric = found->metric;
        if (found->collective != nullptr)
            row.parameters[results::parameter::collective] = std::string(found->collective);
        if (found->window > 0) row.parameters[results::parameter::window] = found->window;
    }

    Lines lines_;
    const Foreign& from_;
    std::vector<Row> rows_;
};

}  // namespace

std::vector<Row> read_osu(std::string_view text, const Foreign& from) {
    return OsuReader(text, from).read();
}

}  // namespace railyard::report
