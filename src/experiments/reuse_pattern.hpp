#pragma once
/// Which buffer each message uses when only some of them use the common one.

#include <vector>

#include "railyard/base/bytes.hpp"

namespace railyard::experiments {

/// The places of `messages` buffers of `size`, in the order of use. So many percent are the common
/// one, at nought; each of the others is used once, and they are spread evenly (Bresenham).
inline std::vector<Bytes> reuse_pattern(unsigned messages, unsigned reuse_percent, Bytes size) {
    std::vector<Bytes> places;
    places.reserve(messages);
    unsigned fresh = 0;
    unsigned owed = 0;  // hundredths of a fresh buffer
    for (unsigned i = 0; i < messages; ++i) {
        owed += 100 - reuse_percent;
        if (owed < 100) {
            places.push_back(Bytes(0));
            continue;
        }
        owed -= 100;
        places.push_back(++fresh * size);
    }
    return places;
}

}  // namespace railyard::experiments
