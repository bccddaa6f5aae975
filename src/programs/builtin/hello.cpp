// Every rank says where it is; rank 0 prints it, in the order of ranks.

#include <mpi.h>

#include <cstring>
#include <string>
#include <vector>

#include "programs/builtin/programs.hpp"
#include "programs/builtin/session.hpp"

namespace railyard::programs {

int hello(int argc, char** argv) {
    Session session(argc, argv, "Every rank says where it is.");
    if (!session.begin()) return session.exit_code();

    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    session.check(length == static_cast<int>(std::strlen(name)));

    constexpr int one = MPI_MAX_PROCESSOR_NAME;
    const auto all = static_cast<std::size_t>(session.rank() == 0 ? session.size() : 0);
    std::vector<char> names(all * one);
    MPI_Gather(name, one, MPI_CHAR, names.data(), one, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (std::size_t rank = 0; rank < all; ++rank)
        session.say("rank %zu of %zu on %s\n", rank, all, &names[rank * one]);
    return session.verdict();
}

}  // namespace railyard::programs
