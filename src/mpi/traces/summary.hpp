#pragma once
/// What a recorded run came to: who sent how much to whom, where ranks spent their time, who waited
/// for whom, and which algorithms carried collectives out.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/traces/run_record.hpp"
#include "mpi/traces/waits.hpp"
#include "railyard/base/time.hpp"

namespace railyard::mpi::traces {

struct Amount {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

/// From one rank to another.
struct Pair {
    int from = 0;
    int to = 0;
    Amount users;     ///< point to point, and one-sided operations
    Amount librarys;  ///< what collectives and windows were made of
};

struct SizeClass {
    std::uint64_t least = 0;  ///< a power of two; 0: no bytes
    Amount amount;
};

/// Where the time of a rank went. Start-up and the end are apart from the rest.
struct RankTime {
    Duration start_up;    ///< MPI_Init
    Duration shut_down;   ///< MPI_Finalize
    Duration computing;   ///< outside MPI, between the two
    Duration in_mpi;      ///< inside, between the two; of which ...
    Duration connecting;  ///< ... while a connection was made
    Duration late_sender;
    Duration late_receiver;
    Duration collective;
    Duration caused;  ///< what others lost by this rank
};

struct WaitPair {
    Wait::Why why{};
    int rank = 0;
    int by = 0;
    std::uint64_t times = 0;
    Duration lost;
};

struct FunctionTime {
    std::string_view function;
    std::uint64_t calls = 0;
    Duration time;  ///< of all ranks together
};

struct CollectiveTime {
    std::string_view function;
    std::string algorithm;  ///< "network", or empty where nobody chose
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
    Duration time;
    Duration waited;  ///< of it, for those who came later
};

struct Summary {
    int hosts = 0;
    Duration elapsed;
    std::vector<Pair> pairs;  ///< with messages, by ranks
    std::vector<SizeClass> sizes;
    std::vector<RankTime> ranks;
    std::vector<WaitPair> waits;  ///< the longest first
    std::vector<FunctionTime> functions;
    std::vector<CollectiveTime> collectives;
    std::vector<int> incomplete;   ///< ranks whose memory was full
    std::vector<int> ended_early;  ///< ranks that never came to MPI_Finalize

    double imbalance() const;  ///< the longest computing, to the mean; 1 is best
};

/// A call of all ranks of a communicator, or of all neighbours.
bool is_collective(calls::Function function);

Summary summarise(const RunRecord& run);

/// For people.
std::string text_of(const Summary& summary);
/// The same without the time, and what each function took: where others say that.
std::string details_of(const Summary& summary);
/// An object, without a newline behind it.
std::string json_of(const Summary& summary);

}  // namespace railyard::mpi::traces
