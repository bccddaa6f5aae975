#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/parse.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

constexpr std::array ops{fabric::Op::send,      fabric::Op::rdma_write, fabric::Op::rdma_write_imm,
                         fabric::Op::rdma_read, fabric::Op::fetch_add,  fabric::Op::compare_swap};

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
