#include "mpi/collectives/allgatherv.hpp"

#include "mpi/collectives/allgather.hpp"
#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"

namespace railyard::mpi {

void allgatherv(Team& team, const ConstBuffer& mine, const Blocks& all) {
    std::size_t total = 0;
    for (int i = 0; i < team.size(); ++i)
        total += bytes_of(all[i]);
    if (total == 0) return;
    if (!is_in_place(mine)) copy(team, mine, all[team.rank()]);
    if (team.size() == 1) return;
    switch (choose(Collective::allgatherv, team, total)) {
        case Algorithm::bruck:
            return allgather_bruck(team, all);
        case Algorithm::flat:
            return allgather_flat(team, all);
        default:
            return allgather_ring(team, all);
    }
}

}  // namespace railyard::mpi
