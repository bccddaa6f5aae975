// The Intel MPI Benchmarks' output: "# Benchmarking PingPong", "# #processes = 2", headings
// ("#bytes #repetitions  t[usec]  Mbytes/sec"), and a line a size.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/parse.hpp"
#include "report/foreign.hpp"
#include "report/foreign_text.hpp"

namespace railyard::report {

namespace {

using results::Row;

constexpr std::string_view imb_mark = "# Benchmarking ";
constexpr std::string_view imb_processes_mark = "# #processes";

/// Collectives have one name here and there.
constexpr std::array imb_collectives{std::string_view("allreduce"), std::string_view("bcast"),
                                     std::string_view("reduce"),    std::string_view("barrier"),
                                     std::string_view("allgather"), std::string_view("alltoall")};

struct ImbTable {
    std::string name;  ///< "pingpong"
    std::int64_t processes = 0;
    std::vector<std::string_view> headings;  ///< "#bytes", "#repetitions", "t[usec]", ...

    /// The place of the first heading with this beginning; none: there is no such.
    std::optional<std::size_t> column(std::string_view beginning) const {
        const auto found = std::ranges::find_if(
            headings, [&](std::string_view heading) { return heading.starts_with(beginning); });
        if (found == headings.end()) return std::nullopt;
        return static_cast<std::size_t>(found - headings.begin());
    }
};

class ImbReader {
  public:
    ImbReader(std::string_view text, const Foreign& from) : lines_(text, from), from_(from) {}

    std::vector<Row> read() {
        while (const auto line = lines_.next())
            if (line->starts_with(imb_mark)) read_table(words_of(line->substr(imb_mark.size())));
        if (rows_.empty()) lines_.complain("the file ends, and there was no table of results");
        return std::move(rows_);
    }

  private:
    void read_table(const std::vector<std::string_view>& name) {
        if (name.empty()) lines_.complain("expected the name of a benchmark");
        ImbTable table{.name = slug(name.front()), .headings = {}};
        read_head(table);
        const std::size_t before = count_;
        while (const auto line = lines_.next()) {
            if (!is_numbers(*line)) {
                lines_.again();
                break;
            }
            add(table, numbers_of(lines_, *line, table.headings));
            ++count_;
        }
        if (count_ == before)
            lines_.complain(fmt::format("{}: expected a line of numbers", name.front()));
    }

    void read_head(ImbTable& table) {
        while (const auto line = lines_.next()) {
            if (line->starts_with(imb_processes_mark)) {
                const auto words = words_of(line->substr(imb_processes_mark.size()));
                const auto number = words.size() >= 2 && words[0] == "="
                                        ? parse_number<std::int64_t>(words[1])
                                        : std::nullopt;
                if (!number || *number < 1)
                    lines_.complain(fmt::format("expected '# #processes = 2', found '{}'", *line));
                table.processes = *number;
            } else if (line->starts_with("#bytes") || line->starts_with("#repetitions")) {
                table.headings = words_of(*line);
                if (table.processes == 0)
                    lines_.complain("expected '# #processes = ...' before the headings");
                return;
            } else if (!line->empty() && !line->starts_with('#')) {
                break;
            }
        }
        lines_.complain(
            fmt::format("{}: expected headings such as '#bytes #repetitions t[usec]'", table.name));
    }

    void add(const ImbTable& table, const std::vector<double>& values) {
        Row row;
        row.fabric = from_.label;
        std::int64_t bytes = 0;
        if (const auto at = table.column("#bytes")) {
            bytes = whole(lines_, values[*at], "#bytes");
            row.parameters[results::parameter::message_bytes] = bytes;
        }
        const auto repetitions = table.column("#repetitions");
        const std::uint64_t samples =
            repetitions
                ? static_cast<std::uint64_t>(whole(lines_, values[*repetitions], "#repetitions"))
                : 1;
        const auto push = [&](const char* experiment, std::string_view metric,
                              std::string_view unit, double value) {
            row.experiment = experiment;
            row.metric = metric;
            row.unit = unit;
            row.value = value;
            row.statistics = results::single(value, samples);
            rows_.push_back(row);
        };
        // Rates are made of times or of counts: a megabyte is not the same in all versions.
        namespace metric = results::metric;
        namespace unit = results::unit;
        const auto time = table.column("t[usec]");
        const auto mean = table.column("t_avg");
        const auto rate = table.column("Msg/sec");
        const auto size = static_cast<double>(bytes);
        if (table.name == "pingpong" && time) {
            push("mpi-latency", metric::latency, unit::microseconds, values[*time]);
            if (bytes > 0 && values[*time] > 0)
                push("mpi-bandwidth-pingpong", metric::bandwidth, unit::megabytes_per_second,
                     size / values[*time]);
        } else if ((table.name == "uniband" || table.name == "biband") && rate) {
            row.parameters[results::parameter::window] = std::int64_t{64};
            const bool is_one_way = table.name == "uniband";
            if (bytes > 0)
                push(is_one_way ? "mpi-bandwidth-uni-multiport" : "mpi-bandwidth-bi-multiport",
                     is_one_way ? metric::bandwidth : metric::bandwidth_aggregate,
                     unit::megabytes_per_second, values[*rate] * size / 1e6);
        } else if (mean || time) {
            const bool is_known =
                std::ranges::find(imb_collectives, table.name) != imb_collectives.end();
            row.parameters[results::parameter::processes] = table.processes;
            if (is_known) row.parameters[results::parameter::collective] = table.name;
            const std::string own = "imb-" + table.name;
            push(is_known ? "allreduce-latency" : own.c_str(), metric::latency, unit::microseconds,
                 values[mean ? *mean : *time]);
        } else {
            lines_.complain(
                fmt::format("{}: expected a column t[usec], t_avg[usec] or Msg/sec; there are {}",
                            table.name, fmt::join(table.headings, ", ")));
        }
    }

    Lines lines_;
    const Foreign& from_;
    std::vector<Row> rows_;
    std::size_t count_ = 0;
};

}  // namespace

std::vector<Row> read_imb(std::string_view text, const Foreign& from) {
    return ImbReader(text, from).read();
}

}  // namespace railyard::report
