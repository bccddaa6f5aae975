#pragma once
/// A barrier that the network carries out by itself: no member has to pass anything on.

#include <optional>

#include "railyard/base/status.hpp"

namespace railyard::fabric {

class Barrier {
  public:
    virtual ~Barrier() = default;
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;

    /// This member has come.
    virtual void arrive() = 0;
    /// Nothing until all have come, or it is known that they cannot; then this member may arrive
    /// again.
    virtual std::optional<Status> poll() = 0;

  protected:
    Barrier() = default;
};

}  // namespace railyard::fabric
