#pragma once
/// How ranks learn where the others' Nics are: each publishes its own before anything else.

#include <algorithm>
#include <string_view>

#include "fabric/connection.hpp"
#include "job/rank.hpp"

namespace railyard::mpi {

inline constexpr std::string_view address_key = "mpi.address";

inline void publish_address(job::Rank& rank, const fabric::Address& address) {
    rank.bootstrap().put(address_key, address.bytes);
}

/// Waits until that rank has published it.
inline fabric::Address address_of(job::Rank& rank, int peer) {
    const auto bytes = rank.bootstrap().get(peer, address_key);
    fabric::Address address;
    std::copy_n(bytes.begin(), std::min(bytes.size(), address.bytes.size()), address.bytes.begin());
    return address;
}

}  // namespace railyard::mpi
