#pragma once
/// The fabric's tagged port: Elanlib's Tports, on the memory that the program gives. Peers are
/// named by their VPIDs.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/lazy_queue.hpp"
#include "interconnects/quadrics/elanlib/async_tport.hpp"
#include "interconnects/quadrics/fabric/program_memory.hpp"
#include "interconnects/virtual/common/network.hpp"

namespace railyard::quadrics {

class TaggedPort final : public virtual_time::NicTaggedPort, private elanlib::AsyncTport::Host {
  public:
    /// Messages up to that limit travel with their envelopes.
    TaggedPort(std::shared_ptr<virtual_time::NicState> nic, elan::Machine& machine,
               const elan::Job& job, Bytes eager_limit);

    void close() override;
    /// Nothing gets from one of these nodes to the other any more.
    void give_up(fabric::NodeId from, fabric::NodeId to);

    Bytes taken_at_once() const override { return eager_limit_; }
    fabric::TaggedPeer peer(const fabric::Address& address) override;
    Status send(const fabric::TaggedSend& request) override;
    Status receive(const fabric::TaggedReceive& request) override;
    bool cancel(std::uint64_t receive_id) override;
    void cancel_send(std::uint64_t send_id) override;
    std::optional<fabric::TaggedCompletion> probe(fabric::TaggedPeer from, fabric::MatchBits bits,
                                                  fabric::MatchBits mask) override;
    std::size_t poll(std::span<fabric::TaggedCompletion> out) override;

  private:
    using Request = elanlib::AsyncTport::Request;
    /// The first Nics of all nodes are the first processes of the job, in the order of nodes, the
    /// second ones the next, and so on.
    elan::Vpid vpid(const virtual_time::NicName& name) const {
        return name.nic * nodes_ + name.node;
    }
    /// What the program knows of a request.
    struct Open {
        Request request = 0;
        fabric::TaggedCompletion completion{};  ///< as far as it is known
        ProgramMemory::Use use{};
        std::span<std::byte> buffer{};  ///< of a receive; empty: scratch memory
        std::uint64_t order = 0;        ///< of starting
        bool pending = false;           ///< has not been polled for
        bool on_offer = false;          ///< can be asked back
    };
    struct Ended {
        Request request = 0;
        std::optional<fabric::TaggedCompletion> cancelled{};  ///< then the request is forgotten
    };

    void work(Duration work) override;
    void copy(Request receive, Bytes size) override;
    void ended(Request request) override;
    void unexpected() override;

    ProgramMemory::Use take(std::span<const std::byte> buffer, bool scratch);
    Open& open(Request request, std::uint64_t id, fabric::TaggedPeer peer, fabric::MatchBits bits);
    /// Those of that id, oldest first.
    std::vector<Open*> find(std::uint64_t id, bool receive);
    fabric::TaggedCompletion finish(Open& open);
    bool is_open(fabric::TaggedPeer peer) const;

    std::shared_ptr<virtual_time::NicState> nic_;  ///< null once it is closed
    const fabric::NodeId nodes_;
    const Bytes eager_limit_;
    ProgramMemory memory_;
    elanlib::AsyncTport tport_;
    std::deque<Open> open_;  ///< by the request's slot
    std::uint64_t started_ = 0;
    LazyQueue<Ended> ended_;
    bool probing_ = false;  ///< a probe found nothing: say so when that changes
};

}  // namespace railyard::quadrics
