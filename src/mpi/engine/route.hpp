#pragma once
/// A fabric as messages use it: one Nic of the rank's, and what all channels over it share. A rank
/// has one route to all peers, or, where its fabric ends at the node, one to the ranks of its own
/// node and one to all others. Which, is decided once a channel.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "mpi/engine/mail.hpp"
#include "mpi/engine/registration_cache.hpp"
#include "mpi/engine/ring.hpp"
#include "mpi/engine/settings.hpp"
#include "mpi/engine/transport.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

/// By which ranks of one job know each other where strangers can connect, too.
using Token = std::array<std::uint32_t, 4>;

struct Route {
    Route(fabric::Nic& its_nic, const Settings& its_settings, Counters& counters,
          std::string_view key);

    fabric::Nic& nic;
    const Settings& settings;  ///< as they suit this fabric
    std::unique_ptr<fabric::CompletionQueue> completions;
    PostOffice office;
    RegistrationCache registrations;
    RingGeometry geometry;
    std::uint32_t rings = 0;  ///< offered or in use
    /// Under which its Nic's address is found.
    const std::string_view address_key;
    Token token{};  ///< nought where nobody else gets in
};

class Routes {
  public:
    explicit Routes(const Ground& ground);

    Route& to(int peer) { return far_ && rank_.node_of(peer) != rank_.node() ? *far_ : near_; }
    template <class Do>
    void for_each(Do&& each) {
        each(near_);
        if (far_) [[unlikely]]
            each(*far_);
    }
    template <class Do>
    void for_each(Do&& each) const {
        each(near_);
        if (far_) each(*far_);
    }

  private:
    job::Rank& rank_;
    Route near_;
    // In this order: a route goes before its Nic.
    std::unique_ptr<fabric::Nic> far_nic_;
    std::optional<Settings> far_settings_;
    std::optional<Route> far_;
};

}  // namespace railyard::mpi
