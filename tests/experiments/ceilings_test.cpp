// No rate exceeds what the links and buses carry that it crosses: every row of every experiment on
// every model, whose bounds come out of the profile's own numbers. A sample, or with
// RAILYARD_CEILINGS=all everything that the experiments measure when nobody says otherwise.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "experiments/core/sampling.hpp"
#include "experiments/measure.hpp"
#include "interconnects/quadrics/fabric/machine_parameters.hpp"
#include "interconnects/registry.hpp"
#include "profiles/profile.hpp"

namespace railyard::experiments {
namespace {

/// What a row counts: payload that crosses the wire between two nodes, or to one.
struct Traffic {
    double bytes = 0;  ///< of a message
    bool both_ways = false;
    bool whole_messages = true;  ///< each in packets of its own; a library may put several in one
    unsigned ports = 1;
    bool from_host = true;  ///< or from the adapter's memory
    bool to_host = true;
};

constexpr double unbounded = std::numeric_limits<double>::infinity();

double rate_or_none(Rate rate) {
    return rate.bytes_per_second() == 0 ? unbounded : rate.megabytes_per_second();
}

/// What a model's parts carry, in MB/s of payload.
class Ceilings {
  public:
    explicit Ceilings(const std::string& fabric) {
        const auto profile = profiles::shipped_profile(interconnects::language(), fabric);
        numbers_ = quadrics::read(profile);
    }

    unsigned ports() const { return numbers_.adapter.ports; }

    double of(const Traffic& traffic) const {
        return std::min({links(traffic), buses(traffic), inside(traffic)});
    }

  private:
    /// Each port has a link of its own, one way each.
    double links(const Traffic& traffic) const {
        const hardware::Link& link = numbers_.link;
        const auto packet = static_cast<double>(link.packet.count());
        const double bytes = traffic.whole_messages ? traffic.bytes : packet;
        const double full = std::floor(bytes / packet);
        const double rest = bytes - full * packet;
        double wire = full * wire_bytes(packet) + (rest > 0 ? wire_bytes(rest) : 0);
        const double packets = full + (rest > 0 ? 1 : 0);
        if (traffic.both_ways) wire += packets * static_cast<double>(link.acknowledgment.count());
        const double time =
            wire / link.rate.megabytes_per_second() + packets * link.gap.microseconds();
        return bytes / time * traffic.ports * (traffic.both_ways ? 2 : 1);
    }
    double wire_bytes(double payload) const {
        const hardware::Link& link = numbers_.link;
        const double block = std::max(1.0, static_cast<double>(link.block.count()));
        const double blocks = std::ceil(payload / block);
        // On Elan's link each block is a transaction.
        const auto transaction = static_cast<double>(numbers_.elan.transaction.count());
        return blocks * (block + transaction) + static_cast<double>(link.header.count());
    }

    /// A message is read over the bus of its source and written over that of its destination.
    double buses(const Traffic& traffic) const {
        const hardware::Bus& bus = numbers_.bus;
        const bool read = traffic.from_host &&
                          traffic.bytes > static_cast<double>(numbers_.adapter.max_inline.count());
        const double reads = read ? rate_or_none(bus.read_rate) : unbounded;
        const double writes = traffic.to_host ? rate_or_none(bus.write_rate) : unbounded;
        if (!traffic.both_ways) return std::min(reads, writes);
        // Either node reads what it sends and writes what it receives.
        if (bus.duplex == hardware::Duplex::half) return 2 / (1 / reads + 1 / writes);
        return 2 * std::min(reads, writes) / (1 + bus.opposite);
    }

    double inside(const Traffic& traffic) const {
        const double internal = rate_or_none(numbers_.adapter.internal);
        const double memory = rate_or_none(numbers_.memory.rate);
        // Both ways, its memory gives what is sent and takes what is received.
        const bool all_memory = !traffic.from_host && !traffic.to_host;
        const bool some_memory = !traffic.from_host || !traffic.to_host;
        if (traffic.both_ways && some_memory)
            return std::min(internal, memory * (all_memory ? 1 : 2));
        return std::min(internal, some_memory ? memory : unbounded);
    }

    quadrics::Parameters numbers_;
};

bool has_parameter(const results::Row& row, const char* parameter) {
    return row.parameters.contains(parameter);
}

bool is_two_way(const results::Row& row) {
    const auto named = [&](std::string_view part) {
        return row.experiment.find(part) != std::string::npos;
    };
    return row.metric == results::metric::throughput ||
           row.metric == results::metric::bandwidth_per_direction || named("-bi-") ||
           named("-bothway");
}

/// All that the row speaks of, where it gives a part of that.
double total(const results::Row& row) {
    if (row.metric == results::metric::bandwidth_per_direction) return 2 * row.value;
    if (row.metric == results::metric::bandwidth_per_node)
        return row.value * static_cast<double>(integer(row, results::parameter::nodes));
    return row.value;
}

Traffic traffic_of(const results::Row& row, bool mpi, const Ceilings& ceilings) {
    const auto at_host = [&](const char* end) {
        return !has_parameter(row, end) || text(row, end) == "main";
    };
    Traffic out;
    out.bytes = static_cast<double>(integer(row, results::parameter::message_bytes));
    out.both_ways = is_two_way(row);
    out.whole_messages = !mpi;
    if (has_parameter(row, results::parameter::ports))
        out.ports = static_cast<unsigned>(integer(row, results::parameter::ports));
    else if (mpi)
        out.ports = ceilings.ports();
    out.from_host = at_host(results::parameter::source);
    out.to_host = at_host(results::parameter::destination);
    // Many at one: they share its bus alone.
    if (has_parameter(row, results::parameter::nodes) &&
        integer(row, results::parameter::nodes) > 1) {
        out.from_host = text(row, results::parameter::access) == "read";
        out.to_host = !out.from_host;
    }
    return out;
}

/// Where the sample looks: streams of large messages, which come nearest.
Wishes sample_of(const Experiment& experiment, bool all) {
    Wishes wishes;
    if (all) return wishes;
    wishes.quick = true;
    if (!experiment.defaults.sizes.empty()) wishes.sizes = {Bytes(16 << 10)};
    return wishes;
}

/// Whole programs have no rates.
bool has_messages(const Experiment& experiment) {
    return !experiment.defaults.sizes.empty() || !experiment.defaults.queues.empty();
}

bool is_in_sample(const Experiment& experiment) {
    const auto named = [&](std::string_view part) {
        return experiment.name.find(part) != std::string_view::npos;
    };
    // Those that measure rates, but not the same streams with many more parameters.
    return (named("bandwidth") || named("throughput") || named("quadrics") || named("pingpong")) &&
           !named("overhead") && !named("mvich");
}

class CeilingsOfModels : public testing::TestWithParam<std::string> {};

TEST_P(CeilingsOfModels, AreNeverExceeded) {
    const std::string& fabric = GetParam();
    const Ceilings ceilings(fabric);
    const char* how = std::getenv("RAILYARD_CEILINGS");
    const bool everything = how != nullptr && std::string_view(how) == "all";
    double nearest = 0;
    for (const Experiment& experiment : all()) {
        if (experiment.raw || !has_messages(experiment)) continue;
        if (!everything && !is_in_sample(experiment)) continue;
        for (const results::Row& row :
             measure(experiment.name, fabric, sample_of(experiment, everything))) {
            if (row.unit != results::unit::megabytes_per_second) continue;
            const double bound = ceilings.of(traffic_of(row, experiment.mpi, ceilings));
            nearest = std::max(nearest, total(row) / bound);
            // As exact as rates are measured.
            EXPECT_LE(total(row), bound * (1 + steady_within)) << results::to_json_line(row);
        }
    }
    EXPECT_GT(nearest, 0.9) << "the bound is of this model: something comes near it";
}

std::vector<std::string> shipped_models() {
    std::vector<std::string> names;
    for (const profiles::Shipped& shipped : profiles::shipped_texts())
        names.emplace_back(shipped.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(All, CeilingsOfModels, testing::ValuesIn(shipped_models()),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace railyard::experiments
