#include <fmt/format.h>

#include "base/quantity.hpp"
#include "cli/run_summary.hpp"
#include "cli/words.hpp"

namespace railyard::cli {

namespace {

std::string cost(const runs::Summary& summary) {
    if (!summary.without_faults) return "";
    const Duration without = *summary.without_faults;
    const double longer = without > Duration() ? summary.virtual_time / without : 1;
    return fmt::format("  time: {:.3f} us, {:.3f} us without faults: {:.3f} times as long\n",
                       summary.virtual_time.microseconds(), without.microseconds(), longer);
}

}  // namespace

std::string fault_summary(const runs::Summary& summary) {
    if (!summary.faults) return "";
    const fabric::FaultReport& report = *summary.faults;
    std::string text =
        fmt::format("faults: {} of {} struck\n", report.struck(), report.faults.size());
    for (const fabric::FaultReport::Fault& fault : report.faults)
        text += fmt::format("  {}: {}\n", fault.what, count_of(fault.packets, "packet"));
    text += fmt::format("  lost: {} and {}; dropped: {} out of order, {}\n",
                        count_of(report.lost, "packet"),
                        count_of(report.acknowledgments, "acknowledgment"), report.out_of_order,
                        count_of(report.duplicates, "duplicate"));
    text += fmt::format(
        "  made good: {} sent again, {}, {}\n", count_of(report.retransmitted, "packet"),
        count_of(report.timeouts, "time-out"), count_of(report.rerouted, "other way"));
    if (report.unreachable > 0)
        text += fmt::format("  given up: a peer, {}\n", count_of(report.unreachable, "time"));
    return text + cost(summary);
}

}  // namespace railyard::cli
