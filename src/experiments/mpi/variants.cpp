#include "experiments/mpi/variants.hpp"

#include <array>
#include <string>
#include <utility>

#include "experiments/mpi/applications.hpp"

namespace railyard::experiments {

namespace {

namespace parameter = results::parameter;

/// How connections are made: as rows call it, and as the library's setting does.
struct ConnectionMode {
    const char* name;
    const char* setting;
};
constexpr std::array modes{ConnectionMode{"static", "static-peer"},
                           ConnectionMode{"on-demand", "on-demand"}};

Variant with_mode(const ConnectionMode& mode) {
    return {.parameters = {{parameter::mode, std::string(mode.name)}},
            .settings = {{"connections", mode.setting}}};
}

Variant with_processes(Variant variant, int processes) {
    variant.parameters[parameter::processes] = std::int64_t{processes};
    variant.ranks = processes;
    return variant;
}

/// With the paper's library: its algorithms, and no memory that goes round connections.
Variant with_application(Variant variant, const char* application, int processes) {
    variant = with_processes(std::move(variant), processes);
    variant.parameters[parameter::application] = application;
    variant.settings.emplace_back("algorithms", table_two_algorithms);
    variant.settings.emplace_back("wildcard-connects", "on");
    variant.settings.emplace_back("shared-memory", "off");
    return variant;
}

/// Ranks cost little in virtual time; for real, those beyond the cores are slow.
std::vector<int> rank_counts(const fabric::Traits& traits, std::optional<int> ranks,
                             std::vector<int> in_virtual_time, std::vector<int> for_real) {
    if (ranks) return {*ranks};
    return traits.clock == fabric::Clock::virtual_time ? in_virtual_time : for_real;
}

std::vector<unsigned> port_counts(const fabric::Traits& traits) {
    return traits.ports >= 2 ? std::vector{1U, 2U} : std::vector{1U};
}

}  // namespace

std::vector<Variant> one_or_two_ports(const fabric::Traits& traits, std::optional<int>) {
    std::vector<Variant> all;
    for (const unsigned ports : port_counts(traits))
        all.push_back({.parameters = {{parameter::ports, std::int64_t{ports}}},
                       .settings = {{"ports", std::to_string(ports)}}});
    return all;
}

std::vector<Variant> striping(const fabric::Traits& traits, std::optional<int> ranks) {
    std::vector<Variant> all = one_or_two_ports(traits, ranks);
    if (all.size() == 2) {
        all[1].parameters[parameter::mode] = "striping";
        all[1].settings.emplace_back("rails", "striping");
    }
    return all;
}

std::vector<Variant> registration_cache(const fabric::Traits&, std::optional<int>) {
    return {{.parameters = {{parameter::registration_cache, "yes"}}},
            {.parameters = {{parameter::registration_cache, "no"}},
             .settings = {{"registration-cache", "0"}}}};
}

std::vector<Variant> connections(const fabric::Traits&, std::optional<int>) {
    std::vector<Variant> all;
    for (const ConnectionMode& mode : modes)
        all.push_back(with_mode(mode));
    return all;
}

std::vector<Variant> policies(const fabric::Traits& traits, std::optional<int> ranks) {
    std::vector<ConnectionMode> offered{{"on-demand", "on-demand"},
                                        {"static peer-to-peer", "static-peer"}};
    if (traits.client_server) offered.push_back({"static client-server", "static-client-server"});
    std::vector<Variant> all;
    for (const int processes : rank_counts(traits, ranks, {2, 4, 8, 16, 32}, {2, 4, 8}))
        for (const ConnectionMode& mode : offered)
            all.push_back(with_processes(with_mode(mode), processes));
    return all;
}

std::vector<Variant> applications(const fabric::Traits& traits, std::optional<int> ranks) {
    std::vector<Variant> all;
    const auto add = [&](const char* application, int processes) {
        for (const ConnectionMode& mode : modes)
            all.push_back(with_application(with_mode(mode), application, processes));
    };
    for (const MpiProgram& program : mpi_programs())
        for (const int processes : rank_counts(traits, ranks, {16, 32}, {16}))
            add(program.name, processes);
    for (const MpiKernel& kernel : mpi_kernels())
        for (const int processes : rank_counts(traits, ranks, {16, kernel.square ? 36 : 32}, {16}))
            if (runs_on(kernel, processes)) add(kernel.application, processes);
    return all;
}

std::vector<Variant> kernels_on_demand(const fabric::Traits& traits, std::optional<int> ranks) {
    const ConnectionMode on_demand = modes[1];
    std::vector<Variant> all;
    for (const MpiKernel& kernel : mpi_kernels()) {
        // CG is the one kernel that wu02's Table 1 has, and the table goes to 1024.
        const bool tabled = std::string_view(kernel.application) == "CG";
        const auto usual = tabled ? std::vector{64, 1024} : std::vector{64};
        for (const int processes : rank_counts(traits, ranks, usual, {16}))
            if (runs_on(kernel, processes))
                all.push_back(
                    with_application(with_mode(on_demand), kernel.application, processes));
    }
    return all;
}

std::vector<Variant> kernels_both_ways(const fabric::Traits& traits, std::optional<int> ranks) {
    std::vector<Variant> all;
    for (const MpiKernel& kernel : mpi_kernels())
        for (const int processes : rank_counts(
                 traits, ranks, kernel.square ? std::vector{4, 16} : std::vector{8, 16, 32}, {4}))
            for (const ConnectionMode& mode : modes)
                if (runs_on(kernel, processes))
                    all.push_back(with_application(with_mode(mode), kernel.application, processes));
    return all;
}

std::vector<Variant> collectives(const fabric::Traits& traits, std::optional<int> ranks) {
    std::vector<Variant> all;
    for (const char* collective :
         {"allreduce", "bcast", "reduce", "barrier", "allgather", "alltoall"})
        for (const int processes : rank_counts(traits, ranks, {2, 4, 8}, {2, 4}))
            for (const ConnectionMode& mode : modes) {
                Variant variant = with_processes(with_mode(mode), processes);
                variant.parameters[parameter::collective] = collective;
                all.push_back(std::move(variant));
            }
    return all;
}

}  // namespace railyard::experiments
