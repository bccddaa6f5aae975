#pragma once
/// The routes out of one port. Those that messages use are kept, and the few that were used last:
/// what a lane remembers does not grow with the number of its peers.

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "interconnects/virtual/model/route.hpp"
#include "railyard/fabric.hpp"

namespace railyard::model {

class Routes {
  public:
    static constexpr std::size_t idle_kept = 192;

    /// The route of that name, in use from now on; null if it has to be made.
    Route* find(std::uint64_t key);
    /// Makes it, in use from now on.
    Route& make(std::uint64_t key, fabric::NodeId to, const Path& path,
                std::span<Fifo* const> parts);
    /// One user less.
    void give_back(Route& route);

    std::size_t size() const { return routes_.size(); }

  private:
    struct Destination {
        Deliveries deliveries;
        unsigned routes = 0;  ///< that lead there
    };
    void take_from_idle(Route& route);
    void drop(Route& route);

    std::unordered_map<std::uint64_t, Route> routes_;               ///< looked up only
    std::unordered_map<fabric::NodeId, Destination> destinations_;  ///< likewise
    Route* oldest_idle_ = nullptr;
    Route* newest_idle_ = nullptr;
    std::size_t idle_ = 0;
};

}  // namespace railyard::model
