#include "driver/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <string_view>

#include "base/parse.hpp"
#include "launch/job/job.hpp"
#include "mpi/collectives/algorithms.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/base/error.hpp"
#include "traffic/random.hpp"

namespace railyard::soak {

namespace {

using Words = std::vector<std::string_view>;
using Maker = std::function<std::string(Draw&)>;

Maker one_of(Words words) {
    return [words = std::move(words)](Draw& draw) {
        return std::string(draw.pick<std::string_view>(words));
    };
}
/// About as often of each length in bits.
Maker number(int least_bits, int most_bits) {
    return [=](Draw& draw) {
        const int bits = draw.from_to(least_bits, most_bits);
        return std::to_string((std::uint64_t{1} << bits) +
                              draw.next() % (std::uint64_t{1} << bits));
    };
}
Maker power(int least_bits, int most_bits) {
    return [=](Draw& draw) {
        return std::to_string(std::uint64_t{1} << draw.from_to(least_bits, most_bits));
    };
}
Maker bytes(const Maker& number) {
    return [=](Draw& draw) { return number(draw) + " B"; };
}
Maker cost() {
    return [](Draw& draw) { return std::to_string(draw.below(2000)) + " ns"; };
}
Maker leave_alone() {
    return [](Draw&) { return std::string(); };
}

std::string draw_algorithms(Draw& draw) {
    std::string text;
    for (std::size_t i = 0; i < mpi::collective_count; ++i) {
        const auto collective = static_cast<mpi::Collective>(i);
        const auto all = mpi::algorithms_of(collective);
        if (all.empty() || draw.one_in(2)) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", name(collective),
                            name(draw.pick<mpi::Algorithm>(all)));
    }
    return text;
}

const std::map<std::string, Maker>& setting_makers() {
    static const std::map<std::string, Maker> makers{
        {"library", one_of({"native", "paper"})},
        {"name", leave_alone()},  // what it is called changes nothing
        {"connections", one_of({"on-demand", "static-peer", "static-client-server"})},
        {"receive-connects", one_of({"on", "off"})},
        {"wildcard-connects", one_of({"on", "off"})},
        {"answer-requests", one_of({"on", "off"})},
        {"max-connections", one_of({"2", "3", "4", "6"})},
        {"matching", one_of({"hashed", "list"})},
        {"tagged", one_of({"on", "off"})},
        {"eager-limit", bytes(number(0, 16))},
        {"coalescing", one_of({"on", "off"})},
        {"copied-limit", bytes(number(0, 14))},
        {"watched-rings", number(0, 4)},
        {"ring-cells", power(3, 10)},
        {"ring-bytes", bytes(power(12, 20))},
        {"segment-size", bytes(number(6, 16))},
        {"segmented-eager-limit", bytes(number(0, 17))},
        {"srq-buffers", number(2, 7)},
        {"credits", number(1, 5)},
        {"bulk", one_of({"stream", "read", "write"})},
        {"bulk-depth", number(0, 4)},
        {"bulk-segment", bytes(number(10, 22))},
        {"rails", one_of({"striping", "binding"})},
        {"ports", one_of({"0", "1", "2", "4"})},
        {"striping-threshold", bytes(number(10, 20))},
        {"registration-cache", bytes(number(0, 26))},
        {"unexpected-limit", bytes(number(0, 20))},
        {"shared-memory", one_of({"on", "off"})},
        {"network-barrier", one_of({"on", "off"})},
        {"network-broadcast", one_of({"on", "off"})},
        {"algorithms", draw_algorithms},
        {"progress-thread", one_of({"on", "off"})},
        {"address-exchange", cost()},
        {"payload", leave_alone()},  // every byte is looked at
        {"send-overhead", cost()},
        {"send-rest", cost()},
        {"receive-start", cost()},
        {"receive-overhead", cost()},
        {"posted-entry", cost()},
        {"unexpected-entry", cost()},
        {"rendezvous-overhead", cost()},
        {"check", one_of({"on", "off"})},
        {"deadlock-timeout", one_of({"0 us", "60 s"})},
        {"backtrace", leave_alone()},  // nothing crashes
        {"stats", leave_alone()},      // it prints, and that is all
    };
    return makers;
}

/// The settings of real fabrics, which are variables only.
const std::map<std::string, Maker>& variable_makers() {
    static const std::map<std::string, Maker> makers{
        {"RAILYARD_SHM_USER_MEMORY", one_of({"auto", "bounce"})},
        {"RAILYARD_IWARP_CRC", one_of({"on", "off"})},
        {"RAILYARD_IWARP_MARKERS", one_of({"on", "off"})},
        {"RAILYARD_IWARP_PROGRESS", one_of({"calls", "thread"})},
        {"RAILYARD_IWARP_IRD", number(0, 7)},
        {"RAILYARD_IWARP_ORD", number(0, 7)},
        {"RAILYARD_IWARP_FRAME", bytes(number(7, 14))},
    };
    return makers;
}

void draw_settings(Case& one, Draw& draw) {
    // Both of a pair must take them.
    const auto fabrics = split(one.fabric, '+');
    // Some together make no sense, as the library says: others are drawn then.
    for (int tries = 0; tries < 50; ++tries) {
        mpi::Settings::Named chosen;
        for (const mpi::SettingRow& row : mpi::setting_rows()) {
            const std::string name(row.name);
            const std::string value = draw_setting(name, draw.next());
            if (!value.empty() && draw.one_in(4)) chosen.emplace_back(name, value);
        }
        try {
            for (const std::string_view fabric : fabrics)
                mpi::Settings::choose(*job::find_fabric(fabric), chosen);
        } catch (const UsageError&) {
            continue;
        }
        for (const auto& [name, value] : chosen)
            for (const mpi::SettingRow& row : mpi::setting_rows())
                if (row.name == name) one.variables.emplace_back(row.variable(), value);
        break;
    }
    if (one.is_virtual()) return;
    for (const auto& [name, make] : variable_makers()) {
        const std::string value = make(draw);
        if (draw.one_in(4)) one.variables.emplace_back(name, value);
    }
}

std::vector<std::string> traffic_words(const Case& one) {
    std::vector<std::string> words{
        "--seed",     std::to_string(one.seed),
        "--threads",  std::to_string(one.threads),
        "--messages", std::to_string(one.messages),
        "--burst",    std::to_string(one.burst),
        "--watchdog", std::to_string(one.is_virtual() ? 0 : one.watchdog_seconds)};
    const auto add = [&](bool wanted, const char* word) {
        if (wanted) words.emplace_back(word);
    };
    add(one.large, "--large");
    add(!one.communicators, "--no-communicators");
    add(!one.collectives, "--no-collectives");
    add(!one.windows, "--no-windows");
    add(one.cancel_sends, "--cancel-sends");
    if (one.last_round >= 0) {
        words.emplace_back("--rounds");
        words.push_back(fmt::format("{}:{}", one.first_round, one.last_round));
    }
    if (one.wrong_at >= 0) {
        words.emplace_back("--wrong-at");
        words.push_back(std::to_string(one.wrong_at));
    }
    return words;
}

}  // namespace

bool Case::is_virtual() const {
    if (is_pair()) return false;
    const fabric::Traits* const traits = job::find_fabric(fabric);
    if (traits == nullptr)
        throw UsageError(fmt::format("no fabric is called '{}'; `railyard list` has them", fabric));
    return traits->clock == fabric::Clock::virtual_time;
}

std::string draw_setting(const std::string& name, std::uint64_t seed) {
    const auto found = setting_makers().find(name);
    if (found == setting_makers().end())
        throw Error(fmt::format("the soak has no values for setting '{}'; add them", name));
    Draw draw(seed);
    return found->second(draw);
}

Case draw_case(std::uint64_t seed, const std::string& fabric, const CaseLimits& limits) {
    Draw draw(mix(seed, 0x50AC));
    Case one;
    one.seed = seed;
    one.fabric = fabric;
    const bool is_virtual = one.is_virtual();
    // Mostly few, so that most of the time goes into messages and not into taking turns.
    one.ranks =
        std::min(limits.most_ranks, draw.one_in(3) ? draw.from_to(2, 12) : draw.from_to(2, 4));
    one.threads =
        is_virtual || draw.one_in(2) ? 1 : draw.from_to(1, std::max(1, limits.most_threads));
    one.messages = limits.messages;
    one.large = limits.large;
    one.burst = limits.large || one.ranks > 6 ? 1 : 1 << draw.below(6);
    one.cancel_sends = limits.cancel_sends;
    if (one.is_pair()) one.nodes = 2;
    if (is_virtual && draw.one_in(3)) one.nodes = draw.from_to(1, one.ranks);
    if (is_virtual && draw.one_in(2)) one.faults = limits.faults;
    if (limits.settings && !draw.one_in(4)) draw_settings(one, draw);
    return one;
}

std::vector<std::string> command(const Case& one) {
    std::vector<std::string> words;
    const std::string ranks = std::to_string(one.ranks);
    if (one.is_virtual() || one.is_pair()) {
        words = {SOAK_PROGRAM, "play", "--on", one.fabric, "-n", ranks};
        if (one.nodes > 0) words.insert(words.end(), {"--nodes", std::to_string(one.nodes)});
        if (!one.faults.empty()) words.insert(words.end(), {"--faults", one.faults});
        words.emplace_back("--");
    } else {
        words = {SOAK_MPIEXEC, "--on", one.fabric, "-n", ranks, SOAK_TRAFFIC};
    }
    const std::vector<std::string> more = traffic_words(one);
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::string shell_command(const Case& one) {
    std::string text;
    for (const auto& [name, value] : one.variables)
        text += fmt::format("{}='{}' ", name, value);
    for (const std::string& word : command(one))
        text += word + " ";
    text.pop_back();
    return text;
}

}  // namespace railyard::soak
