#pragma once
/// How ranks learn where the others' Nics are: each publishes its own before anything else.

#include <algorithm>
#include <string_view>

#include "launch/job/rank.hpp"
#include "railyard/connection.hpp"

namespace railyard::mpi {

/// The first route's; most ranks have no other.
inline constexpr std::string_view address_key = "mpi.address";

/// A rank has an address for each of its routes, each with a key of its own.
inline void publish_address(job::Rank& rank, std::string_view key, const fabric::Address& address) {
    rank.bootstrap().put(key, address.bytes);
}

/// Waits until that rank has published it.
inline fabric::Address address_of(job::Rank& rank, int peer, std::string_view key) {
    const auto bytes = rank.bootstrap().get(peer, key);
    fabric::Address address;
    std::copy_n(bytes.begin(), std::min(bytes.size(), address.bytes.size()), address.bytes.begin());
    return address;
}

}  // namespace railyard::mpi
