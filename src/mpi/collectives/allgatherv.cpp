#include "mpi/collectives/allgatherv.hpp"

#include "mpi/collectives/allgather.hpp"
#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"

namespace railyard::mpi {

void allgatherv(Party& party, const ConstBuffer& mine, const Blocks& all) {
    std::size_t total = 0;
    for (int i = 0; i < party.size(); ++i)
        total += bytes_of(all[i]);
    if (total == 0) return;
    if (!is_in_place(mine)) copy(party, mine, all[party.rank()]);
    if (party.size() == 1) return;
    switch (choose(Collective::allgatherv, party, total)) {
        case Algorithm::bruck:
            return allgather_bruck(party, all);
        case Algorithm::flat:
            return allgather_flat(party, all);
        default:
            return allgather_ring(party, all);
    }
}

}  // namespace railyard::mpi
