#pragma once
/// What ranks did, in equal parts of the time: few enough to be drawn, however long the run was and
/// however many ranks it had.

#include <string>
#include <vector>

#include "mpi/traces/run_record.hpp"

namespace railyard::mpi::traces {

/// What a rank does; the letter by which a lane says so. A space: nothing that is known.
enum class Doing : char {
    starting = 's',    ///< MPI_Init, MPI_Finalize
    computing = 'c',   ///< between calls
    two = 'p',         ///< in a call of one with another
    collective = 'g',  ///< in a call of all
    connecting = 'n',  ///< while a connection was made
    waiting = 'w',     ///< for one who is late (waits.hpp)
};

struct Lane {
    int first = 0;     ///< rank
    int ranks = 1;     ///< so many, side by side
    std::string bins;  ///< what they did most of the time, a letter for each part
};

/// No more than so many lanes, each of so many parts.
std::vector<Lane> lanes_of(const RunRecord& run, int most_lanes, std::size_t parts);

}  // namespace railyard::mpi::traces
