#include "driver/ledger.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"

namespace railyard::soak {

void Ledger::add(const Case& one, const Outcome& outcome) const {
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    std::ofstream file(file_, std::ios::app);
    // In one piece, so that two that write at once do not mix their lines.
    file << fmt::format("{} {} {}{} {} {} {} {} {} {:.1f}\n", results::revision(), one.seed,
                        one.fabric, one.faults.empty() ? "" : "!faults", one.ranks, one.threads,
                        outcome.messages, outcome.bytes, outcome.verdict, outcome.seconds);
    file.close();
    if (!file)
        throw Error(
            fmt::format("cannot write {}; name another file with --ledger", file_.string()));
}

std::map<std::string, Ledger::Sum> Ledger::sums() const {
    std::map<std::string, Sum> sums;
    std::ifstream file(file_);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string commit, seed, fabric, ranks, threads, verdict;
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
        if (!(words >> commit >> seed >> fabric >> ranks >> threads >> messages >> bytes >>
              verdict))
            continue;
        Sum& sum = sums[fabric];
        ++sum.runs;
        sum.failed += verdict == "ok" || verdict == "slow" ? 0 : 1;
        sum.messages += messages;
        sum.bytes += bytes;
    }
    return sums;
}

std::string to_text(const std::map<std::string, Ledger::Sum>& sums) {
    std::string text =
        fmt::format("{:<28}{:>8}{:>8}{:>14}{:>12}\n", "fabric", "runs", "failed", "messages", "GB");
    Ledger::Sum all;
    const auto line = [&](const std::string& name, const Ledger::Sum& sum) {
        text += fmt::format("{:<28}{:>8}{:>8}{:>14}{:>12.3f}\n", name, sum.runs, sum.failed,
                            sum.messages, static_cast<double>(sum.bytes) / 1e9);
    };
    for (const auto& [fabric, sum] : sums) {
        line(fabric, sum);
        all.runs += sum.runs;
        all.failed += sum.failed;
        all.messages += sum.messages;
        all.bytes += sum.bytes;
    }
    line("all", all);
    return text;
}

}  // namespace railyard::soak
