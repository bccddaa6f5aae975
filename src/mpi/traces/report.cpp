#include "mpi/traces/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "mpi/recording/store.hpp"
#include "mpi/traces/otf2.hpp"
#include "mpi/traces/perfetto.hpp"
#include "mpi/traces/run_record.hpp"
#include "mpi/traces/summary.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi::traces {

namespace {

std::ofstream opened(const std::string& path) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file) throw system_error(fmt::format("--trace: cannot write {}", path));
    return file;
}

}  // namespace

std::string prepared_memory(const Wanted& wanted) {
    if (is_otf2(wanted.trace))
        expect_otf2();
    else if (!wanted.trace.empty())
        opened(wanted.trace);
    // A summary is of the whole run.
    const bool may_stop = wanted.to != Duration::forever() && wanted.summary == SummaryForm::none;
    const std::vector<std::byte> header = recording::prepared_header(
        may_stop ? static_cast<std::uint64_t>(wanted.to.picoseconds() / 1000) : 0);
    return {reinterpret_cast<const char*>(header.data()), header.size()};
}

std::string report(const Wanted& wanted, std::span<const std::string> kept) {
    const RunRecord run = read_run(kept);
    if (std::ranges::none_of(run.ranks, &RankRecord::is_present))
        return "nothing was recorded: no rank has called MPI_Init of this library\n";
    if (is_otf2(wanted.trace)) {
        write_otf2(run, {wanted.from, wanted.to}, wanted.trace);
    } else if (!wanted.trace.empty()) {
        std::ofstream file = opened(wanted.trace);
        file << perfetto_file(run, {wanted.from, wanted.to});
        if (!file.flush())
            throw system_error(fmt::format("--trace: cannot write {}", wanted.trace));
    }
    if (wanted.summary == SummaryForm::none) return "";
    const Summary summary = summarise(run);
    return wanted.summary == SummaryForm::json ? json_of(summary) + "\n" : text_of(summary);
}

}  // namespace railyard::mpi::traces
