#include "mpi/communicators/hardware_split.hpp"

#include <strings.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "mpi/collectives/collectives.hpp"
#include "mpi/engine/process.hpp"

namespace railyard::mpi {

namespace {

/// MPI's own word for a node, which is the largest kind.
constexpr std::string_view node_kind = "mpi_shared_memory";

/// The same with the provider of the name, as MPI_Get_hw_resource_info has it.
constexpr std::string_view node_uri = "railyard://node";
constexpr std::string_view hwloc_provider = "hwloc://";

bool is_real(Process& process) {
    return process.rank().nic().traits().clock == fabric::Clock::real;
}

Whereabouts whereabouts(Process& process) {
    Whereabouts here;
    here.fill(-1);
    job::Rank& rank = process.rank();
    here[0] = static_cast<int>(rank.node());
    if (!is_real(process)) return here;
    const auto instances = hardware().holding(allowed_cores());
    std::copy(instances.begin(), instances.end(), here.begin() + 1);
    return here;
}

std::vector<Whereabouts> of_all(Comm& comm) {
    const Whereabouts mine = whereabouts(comm.process());
    std::vector<Whereabouts> all(static_cast<std::size_t>(comm.size()));
    const Datatype& integer = *predefined(Basic::c_int);
    allgather(comm.team(), ConstBuffer(mine.data(), mine.size(), integer),
              Buffer{all.data(), mine.size(), &integer});
    return all;
}

/// Colors count instances in the order of their first ranks; -1: none.
std::vector<int> colors(std::span<const Whereabouts> all, std::size_t kind) {
    std::map<std::pair<int, int>, int> numbers;
    std::vector<int> list;
    for (const Whereabouts& at : all)
        list.push_back(
            at[kind] < 0 ? -1
                         : numbers.try_emplace({at[0], at[kind]}, static_cast<int>(numbers.size()))
                               .first->second);
    return list;
}

std::optional<int> own_color(const std::vector<int>& list, const Comm& comm) {
    const int color = list[static_cast<std::size_t>(comm.rank())];
    return color < 0 ? std::nullopt : std::optional(color);
}

std::string_view name_of(std::size_t kind) {
    return kind == 0 ? node_kind : hardware_kinds[kind - 1];
}

bool is_same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string uri_of(std::size_t kind) {
    return kind == 0 ? std::string(node_uri) : std::string(hwloc_provider).append(name_of(kind));
}

}  // namespace

std::vector<Whereabouts> nodes_of_all(const Comm& comm) {
    std::vector<Whereabouts> all(static_cast<std::size_t>(comm.size()));
    for (int rank = 0; rank < comm.size(); ++rank) {
        Whereabouts& at = all[static_cast<std::size_t>(rank)];
        at.fill(-1);
        at[0] = static_cast<int>(comm.process().rank().node_of(comm.world_rank(rank)));
    }
    return all;
}

std::vector<Whereabouts> whereabouts_of_all(Comm& comm) {
    // In virtual time there is nothing more to learn, and to ask would take time.
    return is_real(comm.process()) ? of_all(comm) : nodes_of_all(comm);
}

std::optional<int> hardware_color(Comm& comm, std::string_view kind) {
    for (std::size_t i = 0; i <= hardware_kinds.size(); ++i)
        if (is_same(kind, name_of(i)) || is_same(kind, uri_of(i)))
            return own_color(colors(of_all(comm), i), comm);
    return std::nullopt;
}

std::vector<HardwareResource> hardware_resources(Process& process) {
    const Whereabouts here = whereabouts(process);
    std::vector<HardwareResource> list;
    for (std::size_t i = 0; i < here.size(); ++i)
        if (i == 0 || (is_real(process) && !hardware().parts[i - 1].empty()))
            list.push_back({uri_of(i), here[i] >= 0});
    return list;
}

HardwareSplit hardware_split(Comm& comm) {
    const std::vector<Whereabouts> all = of_all(comm);
    for (std::size_t i = 0; i <= hardware_kinds.size(); ++i) {
        const std::vector<int> list = colors(all, i);
        if (*std::max_element(list.begin(), list.end()) > 0)
            return {own_color(list, comm), std::string(name_of(i))};
    }
    return {};
}

}  // namespace railyard::mpi
