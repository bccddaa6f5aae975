#pragma once
/// By what the checks' own messages are told from others. They travel in the contexts of
/// collectives, where tags of persistent ones come last and never so far.

#include <cstdint>

#include "mpi/engine/communicator.hpp"
#include "mpi/engine/request.hpp"

namespace railyard::mpi::checking {

inline constexpr int told_tag = max_tag;             ///< collective calls, to the judge
inline constexpr int verdict_tag = max_tag - 1;      ///< the judge's word
inline constexpr int description_tag = max_tag - 2;  ///< of a message
inline constexpr int partitioned_tag = max_tag - 3;  ///< the same, of a partitioned one

inline std::uint32_t check_context(const Communicator& comm) {
    return comm.context() + 1;
}

}  // namespace railyard::mpi::checking
