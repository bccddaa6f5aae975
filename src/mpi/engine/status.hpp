#pragma once
/// What is known of a message that was received, or found by a probe.

#include <cstddef>

#include "mpi/types/error.hpp"

namespace railyard::mpi {

// Ranks and tags that mean no rank and no tag. Other binary interfaces may have other values; their
// skins translate.
inline constexpr int no_rank = -1;  ///< a partner that is not there: nothing is sent or received
inline constexpr int any_source = -2;
inline constexpr int any_tag = -1;
inline constexpr int max_tag = 0x3fffffff;

struct Status {
    int source = any_source;
    int tag = any_tag;
    ErrorClass error = ErrorClass::success;
    bool cancelled = false;
    std::size_t bytes = 0;
};

}  // namespace railyard::mpi
