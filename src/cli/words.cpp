#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

constexpr std::array ops{fabric::Op::send,      fabric::Op::rdma_write, fabric::Op::rdma_write_imm,
                         fabric::Op::rdma_read, fabric::Op::fetch_add,  fabric::Op::compare_swap};

/// Networks that people ask for by name and that nobody has modelled.
struct Modern {
    std::string_view word;     ///< in lower case; a part of what is typed
    std::string_view name;     ///< as people write it
    std::string_view nearest;  ///< the model to start a profile from
};
constexpr std::array modern_networks{
    Modern{"xdr", "InfiniBand XDR", "infiniband-pcie"},
    Modern{"ndr", "InfiniBand NDR", "infiniband-pcie"},
    Modern{"hdr", "InfiniBand HDR", "infiniband-pcie"},
    Modern{"edr", "InfiniBand EDR", "infiniband-pcie"},
    Modern{"fdr", "InfiniBand FDR", "infiniband-pcie"},
    Modern{"qdr", "InfiniBand QDR", "infiniband-pcie"},
    Modern{"connectx", "ConnectX adapters", "infiniband-pcie"},
    Modern{"mlx5", "ConnectX adapters", "infiniband-pcie"},
    Modern{"roce", "RoCE", "infiniband-pcie"},
    Modern{"slingshot", "Slingshot", "quadrics"},
    Modern{"cxi", "Slingshot", "quadrics"},
    Modern{"efa", "EFA", "neteffect-iwarp"},
    Modern{"omnipath", "Omni-Path", "infiniband-pcie"},
    Modern{"omni-path", "Omni-Path", "infiniband-pcie"},
    Modern{"opa", "Omni-Path", "infiniband-pcie"},
    Modern{"aries", "Aries", "quadrics"},
    Modern{"gemini", "Gemini", "quadrics"},
    Modern{"tofu", "Tofu", "quadrics"},
    Modern{"bxi", "BXI", "quadrics"},
    Modern{"nvlink", "NVLink", "ideal"},
    Modern{"ultraethernet", "Ultra Ethernet", "neteffect-iwarp"},
    Modern{"ethernet", "plain Ethernet", "neteffect-iwarp"},
};

/// What is between hyphens, digits and the like: "infiniband-ndr400" has "ndr", "sandra" has not.
bool has_as_word(std::string_view text, std::string_view word) {
    const auto is_letter = [&](std::size_t at) {
        return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
    };
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
        if ((at == 0 || !is_letter(at - 1)) &&
            (!is_letter(at + word.size()) || text.substr(at + word.size()).starts_with('v')))
            return true;
    return false;
}

/// Null: nobody would mean such a one.
const Modern* modern_network(std::string_view typed) {
    std::string text(typed);
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto found = std::ranges::find_if(
        modern_networks, [&](const Modern& one) { return has_as_word(text, one.word); });
    return found != modern_networks.end() ? &*found : nullptr;
}

}  // namespace

std::vector<std::string> split_list(std::string_view option, std::string_view text) {
    std::vector<std::string> items;
    for (const std::string_view item : split(text, ',')) {
        if (item.empty())
            throw UsageError(
                fmt::format("{}: expected a list such as 'a,b', found '{}'", option, text));
        items.emplace_back(item);
    }
    return items;
}

unsigned parse_count(std::string_view option, std::string_view text, unsigned least,
                     unsigned most) {
    const auto value = parse_number<unsigned>(text);
    if (!value || *value < least || *value > most)
        throw UsageError(fmt::format("{}: expected a whole number from {} to {}, found '{}'",
                                     option, least, most, text));
    return *value;
}

Duration parse_time(std::string_view option, const std::string& text) {
    if (const auto seconds = parse_number<double>(text); seconds && *seconds >= 0 && *seconds < 1e6)
        return Duration::from_seconds(*seconds);
    try {
        return parse_duration(text);
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
}

void add_time_budget(CLI::App& app, std::string& word, const char* help) {
    app.add_option("--time-budget", word, help)->type_name("TIME");
}

std::optional<Duration> time_budget(const std::string& word) {
    if (word.empty()) return std::nullopt;
    const Duration time = parse_time("--time-budget", word);
    if (time <= Duration())
        throw UsageError(fmt::format(
            "--time-budget: expected a time such as 30s, or seconds, found '{}'", word));
    return time;
}

std::string unknown(std::string_view what, std::string_view wrong,
                    std::span<const std::string> names, std::string_view see) {
    return fmt::format("unknown {} '{}'; {}`{}` lists all", what, wrong,
                       did_you_mean(wrong, names, "", " "), see);
}

std::string count_of(std::uint64_t n, std::string_view one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

const fabric::Traits& fabric_named(std::string_view name) {
    if (const fabric::Traits* traits = job::find_fabric(name)) return *traits;
    if (const Modern* const modern = modern_network(name))
        throw UsageError(fmt::format(
            "no model of {} yet (asked for as '{}'); a profile of your own: `railyard fabrics {} "
            "--toml > mine.toml`, change its values, and name it with --on ./mine.toml; an adapter "
            "that is in this machine: --on ofi",
            modern->name, name, modern->nearest));
    std::vector<std::string> names;
    for (const fabric::Traits& traits : job::fabrics())
        names.push_back(traits.name);
    throw UsageError(unknown("fabric", name, names, "railyard fabrics"));
}

const experiments::Experiment& experiment_named(std::string_view name) {
    if (const experiments::Experiment* experiment = experiments::find(name)) return *experiment;
    std::vector<std::string> names;
    for (const auto& experiment : experiments::all())
        names.emplace_back(experiment.name);
    throw UsageError(unknown("experiment", name, names, "railyard experiments"));
}

fabric::Op op_named(std::string_view name) {
    std::vector<std::string> names;
    for (const fabric::Op op : ops) {
        if (fabric::name(op) == name) return op;
        names.emplace_back(fabric::name(op));
    }
    throw UsageError(fmt::format("--ops: unknown operation '{}'; {}there are {}", name,
                                 did_you_mean(name, names, "", " "), fmt::join(names, ", ")));
}

experiments::Library library_named(std::string_view name) {
    if (name == "native") return experiments::Library::native;
    if (name == "paper") return experiments::Library::paper;
    throw UsageError(fmt::format("--mpi: expected native or paper, found '{}'", name));
}

experiments::Memory memory_named(std::string_view name) {
    if (name == "nic") return experiments::Memory::nic;
    if (name == "user") return experiments::Memory::user;
    throw UsageError(fmt::format("--memory: expected nic or user, found '{}'", name));
}

void apply_twin(std::string_view option, const std::string& word, const char* variable,
                std::span<const std::string_view> allowed) {
    const char* set = std::getenv(variable);
    const std::string_view name = word.empty() ? variable : option;
    const std::string_view value = !word.empty() ? word : set != nullptr ? set : allowed.front();
    if (std::ranges::find(allowed, value) == allowed.end())
        throw UsageError(fmt::format("{}: expected one of {}, found '{}'", name,
                                     fmt::join(allowed, ", "), value));
    if (!word.empty()) ::setenv(variable, word.c_str(), 1);
}

}  // namespace railyard::cli
