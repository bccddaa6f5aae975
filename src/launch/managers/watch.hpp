#pragma once
/// Notices that a rank has gone, for process managers that do not tell (srun without -K): a thread
/// of each rank watches the next rank of its node, and those of the first ranks each the next
/// node's, by a connection that carries nothing else. Each also watches the process that has
/// started its own.

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "launch/managers/card.hpp"
#include "launch/managers/node_share.hpp"
#include "railyard/base/time.hpp"

namespace railyard::managers {

/// Where the first rank of another node connects to.
class WatchPort {
  public:
    /// At any address and port. Throws Error.
    static WatchPort open();

    const Listening& listening() const { return listening_; }
    int get() const { return socket_.get(); }

  private:
    WatchPort() = default;
    Descriptor socket_;
    Listening listening_;
};

class Watch {
  public:
    /// Called by the watch's thread, once: "rank 3 (process 4711) has ended without MPI_Finalize".
    using Lost = std::function<void(const std::string& what)>;

    struct Node {
        NodeShare share;
        int member = 0;
        std::vector<int> ranks;  ///< of the members
    };
    struct Others {
        WatchPort port;
        Listening next;
        std::string name_of_next;
        std::string name_of_previous;
    };
    /// A host that says nothing for so long is gone.
    Watch(std::optional<Node> node, std::optional<Others> others, Duration heartbeat, Lost lost);
    /// Takes leave of who watches this rank from another node.
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Waits until the next node's watch knows of this one: from then on its end is noticed there.
    /// Not for long where that cannot be reached.
    void await_next() const;

  private:
    class Rounds;
    Descriptor stop_;
    std::future<void> called_;
    std::thread thread_;
};

}  // namespace railyard::managers
