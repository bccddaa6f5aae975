#pragma once
/// What every process manager offers its ranks, however they talk to it: who they are, values that
/// are found after a barrier, and an end of the whole job.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"

namespace railyard::managers {

/// For one thread, but for abort(). Its functions throw Error when the manager is gone.
class Manager {
  public:
    virtual ~Manager() = default;

    /// As the user knows it, for messages: "hydra or another PMI-1 server".
    virtual std::string_view name() const = 0;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// The node of each rank, numbered densely from 0 in the order of ranks; empty: it does not
    /// say.
    virtual std::vector<fabric::NodeId> nodes() { return {}; }

    /// A value of this rank's, under a key of a few letters; others find it after a barrier.
    virtual void put(std::string_view key, std::span<const std::byte> value) = 0;
    /// None: that rank has put none before the last barrier.
    virtual std::optional<std::vector<std::byte>> get(int rank, std::string_view key) = 0;

    /// Whether something holds, as some ranks say; one of them suffices. All of them say it, once,
    /// and all ranks may ask after a barrier.
    virtual void say(std::string_view what, bool holds);
    virtual bool holds(std::string_view what, std::span<const int> said_by);

    /// The two halves of a barrier. Between them nothing else is asked of the manager.
    virtual void enter_barrier() = 0;
    /// Whether all have entered; waits for that no longer than `patience`.
    virtual bool passed_barrier(Duration patience) = 0;
    void barrier();

    /// Asks for the end of all ranks, this one included, and may return before that. Any thread may
    /// call it, at any time.
    virtual void abort(int code, const std::string& why) noexcept = 0;
    /// This rank has ended well. The last call.
    virtual void finalize() noexcept = 0;
};

}  // namespace railyard::managers
