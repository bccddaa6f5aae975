#include "launch/agents/agent_setup.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/topology.hpp"
#include "launch/job/fabrics.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cluster {

AgentCall read_call(int input) {
    std::string text;
    char byte = 0;
    // Byte by byte: what follows the empty line, if anything, is not ours.
    while (!text.ends_with("\n\n") && text.size() < 65536 && ::read(input, &byte, 1) == 1)
        text += byte;
    const auto call = AgentCall::parse(text);
    if (!call)
        throw UsageError(
            "an agent is told by its launcher, on standard input, whom to call; it is not for "
            "people: see `mpiexec --hosts`");
    return *call;
}

std::string machine_id() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
}

void take_environment(const std::vector<std::string>& theirs) {
    const auto is_hosts_own = [](std::string_view entry) {
        return entry.starts_with("HOSTNAME=") || entry.starts_with("SSH_");
    };
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (is_hosts_own(*entry)) all.emplace_back(*entry);
    for (const std::string& entry : theirs)
        if (!is_hosts_own(entry)) all.push_back(entry);
    ::clearenv();
    for (const std::string& entry : all)
        if (const auto equals = entry.find('='); equals != std::string::npos)
            ::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
}

void choose_address(const std::string& address) {
    constexpr int keep_what_is_there = 0;
    ::setenv("RAILYARD_IWARP_ADDRESS", address.c_str(), keep_what_is_there);
}

job::Plan plan_of(const Start& start, const std::vector<int>& here) {
    job::Plan plan;
    plan.ranks = static_cast<int>(start.nodes.size());
    const job::FabricPair fabrics = job::FabricPair::parse(start.fabric);
    plan.fabric = fabrics.inside;
    plan.fabric_between = fabrics.between;
    plan.nodes = start.nodes;
    const auto together = static_cast<int>(start.ranks_on_machine);
    plan.shares_core = start.ranks_on_machine > allowed_cores().size();
    const std::vector<int> cores = start.pin ? spread(together) : std::vector<int>{};
    if (cores.size() < start.first_on_machine + here.size()) return plan;
    plan.cores.resize(start.nodes.size());
    for (std::size_t i = 0; i < here.size(); ++i)
        plan.cores[static_cast<std::size_t>(here[i])] = cores[start.first_on_machine + i];
    return plan;
}

}  // namespace railyard::cluster
