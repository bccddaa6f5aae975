#pragma once
/// The one endpoint of a Nic whose provider has endpoints for all peers at once (RDM): where peers
/// are, for which link a message is, and the pool of buffers that messages come to lie in.
///
/// Such an endpoint knows no connections. A link has a number at either end, which messages carry,
/// and a count of its messages: those of different lengths may come in another order, and some
/// providers lose what was on its way when they connect anew.
/// The last message of a link is `gone`. Of a peer that dies nobody tells, so who has nothing to
/// say says that now and then; what cannot be said for too long means that nobody is there.

#include <rdma/fi_domain.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "interconnects/real/ofi/module/buffers.hpp"
#include "interconnects/real/ofi/module/names.hpp"
#include "interconnects/real/ofi/module/sockets.hpp"
#include "railyard/base/time.hpp"

namespace railyard::ofi {

class Link;
class Nic;
class Port;

class SharedEndpoint {
  public:
    SharedEndpoint(Nic& nic, Port& port);

    /// FI_ADDR_UNSPEC, with the reason in the log, if the provider does not take its name.
    fi_addr_t address_of(const NicName& peer);

    /// The link's number here.
    std::uint32_t add(Link& link);
    void remove(std::uint32_t number) { links_.erase(number); }
    bool empty() const { return links_.empty(); }

    void received(Operation& buffer, std::size_t length);
    /// What waits for a message has failed.
    void failed(Operation& buffer);
    void post_receives();

    /// Whether nobody is there to whom a link is that has no room. True as soon as it is sure.
    bool is_gone(const Link& link, Time now);
    /// Says something to those who have heard nothing for a while.
    void tick(Time now);
    Time next_timer() const { return links_.empty() ? Time::never() : next_sign_; }

  private:
    Link* find(std::uint32_t number) const;
    Link* find_of(std::uint64_t peer, std::uint64_t peers_number) const;
    void deliver(Operation& buffer, std::size_t length);

    Nic& nic_;
    Port& port_;
    std::unordered_map<std::uint32_t, Link*> links_;
    struct Peer {
        fi_addr_t address = FI_ADDR_UNSPEC;
        ListenerTest listener;
    };
    std::unordered_map<std::uint64_t, Peer> peers_;  ///< by the Nic's id
    std::uint32_t last_number_;
    std::uint32_t posted_ = 0;
    Time next_sign_{};
};

}  // namespace railyard::ofi
