#pragma once
/// A communicator's ranks as collectives see them: the engine's point-to-point messages, in the
/// context that belongs to collectives.

#include <memory>
#include <vector>

#include "mpi/collectives/team.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/engine/shared_hub.hpp"

namespace railyard::mpi {

class EngineTeam final : public Team {
  public:
    EngineTeam(Process& process, Communicator& comm)
        : Team(comm.rank(), comm.size(), process.circumstances(), process.algorithms()),
          process_(process),
          comm_(comm),
          context_(comm.context() + 1) {}

    void send(const ConstBuffer& data, int to) override {
        process_.send_in(context_, data, to, tag, comm_);
    }
    void receive(const Buffer& into, int from) override {
        process_.receive_in(context_, into, from, tag, comm_, nullptr);
    }
    void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) override;
    void start_send(const ConstBuffer& data, int to) override {
        under_way_.push_back(&process_.start_send_in(context_, data, to, tag, comm_));
    }
    void start_receive(const Buffer& into, int from) override {
        under_way_.push_back(&process_.start_receive_in(context_, into, from, tag, comm_));
    }
    void wait_all() override;
    Hub* hub() override {
        if (!hub_) hub_ = std::make_unique<SharedHub>(process_, comm_, context_);
        return hub_.get();
    }
    void charge_bytes(std::size_t bytes) override {
        process_.host().charge(fabric::Work::copied_byte, bytes);
    }

  private:
    /// One for all: between two ranks, collectives come in the same order on both.
    static constexpr int tag = 0;
    void finish(Request& request);

    Process& process_;
    Communicator& comm_;
    std::uint32_t context_;
    std::vector<Request*> under_way_;
    std::unique_ptr<SharedHub> hub_;
};

}  // namespace railyard::mpi
