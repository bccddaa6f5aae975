#pragma once
/// A Hub of a communicator, where ranks map each other's memory: in a region of the first rank,
/// which tells the others its name when it first has need of it.

#include <memory>
#include <vector>

#include "mpi/collectives/hub.hpp"
#include "mpi/engine/waiting.hpp"
#include "railyard/memory.hpp"

namespace railyard::mpi {

class Communicator;
class Process;
class Request;

class SharedHub final : private Hub::Bell, private SleepWatch {
  public:
    /// Both outlive it.
    SharedHub(Process& process, Communicator& comm, const Hub::Shape& shape, int tag);
    ~SharedHub();
    SharedHub(const SharedHub&) = delete;
    SharedHub& operator=(const SharedHub&) = delete;

    Hub& hub() { return hub_; }
    /// Goes on with opening it; all ranks do, in whatever call. True: it is open.
    bool open() { return is_ready_ || go_on_opening(); }

  private:
    bool go_on_opening();
    void begin_opening();
    void ring(int rank) override;
    void falls_asleep() override;
    void wakes_up() override;

    Process& process_;
    Communicator& comm_;
    Hub hub_;
    int tag_;  ///< of the messages that carry its name
    bool is_ready_ = false;
    bool has_begun_ = false;
    bool is_asleep_ = false;
    /// The region's name, while messages carry it.
    std::unique_ptr<fabric::RegionBlob> name_;
    std::vector<Request*> messages_;
    std::unique_ptr<fabric::Region> own_;           ///< the first rank's
    std::unique_ptr<fabric::RemoteRegion> theirs_;  ///< as others see it
};

}  // namespace railyard::mpi
