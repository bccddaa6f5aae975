#include "mpi/checking/meetings.hpp"

#include <algorithm>
#include <iterator>

#include "mpi/calls/parameters.hpp"

namespace railyard::mpi::checking {

Together together(Function function) {
    using calls::Chapter;
    switch (calls::chapter(function)) {
        case Chapter::collectives:
        case Chapter::neighbourhoods:
            return Together::blocking;
        case Chapter::nonblocking_collectives:
        case Chapter::nonblocking_neighbourhoods:
        case Chapter::persistent_collectives:
        case Chapter::persistent_neighbourhoods:
            return Together::starting;
        default:
            break;
    }
    switch (function) {
        case Function::Comm_dup:
        case Function::Comm_dup_with_info:
        case Function::Comm_create:
        case Function::Comm_split:
        case Function::Comm_split_type:
        case Function::Intercomm_merge:
        case Function::Cart_create:
        case Function::Cart_sub:
        case Function::Graph_create:
        case Function::Dist_graph_create:
        case Function::Dist_graph_create_adjacent:
        case Function::Win_create:
        case Function::Win_create_c:
        case Function::Win_allocate:
        case Function::Win_allocate_c:
        case Function::Win_allocate_shared:
        case Function::Win_allocate_shared_c:
        case Function::Win_create_dynamic:
        case Function::Win_fence:
            return Together::blocking;
        case Function::Comm_idup:
        case Function::Comm_idup_with_info:
            return Together::starting;
        default:
            return Together::no;
    }
}

const Communicator* met_on(const MadeCall& call, Objects& objects) {
    const auto parameters = calls::parameters(call.function);
    for (std::size_t i = 0; i < std::min(parameters.size(), call.count); ++i) {
        const int handle = static_cast<int>(call.words[i]);
        if (parameters[i].kind == calls::Kind::comm) return objects.comm(handle);
        if (parameters[i].kind == calls::Kind::win) return objects.window_comm(handle);
    }
    return nullptr;
}

std::vector<int> ranks_of(const Communicator& comm) {
    std::vector<int> ranks = comm.group().list_of_world_ranks();
    if (comm.is_inter()) std::ranges::copy(comm.peers().world_ranks(), std::back_inserter(ranks));
    return ranks;
}

std::vector<Meetings::Meeting> Meetings::last() const {
    std::vector<Meeting> all;
    for (const auto& [context, last] : last_)
        all.push_back({context, last.number});
    return all;
}

}  // namespace railyard::mpi::checking
