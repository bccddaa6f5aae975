#include "interconnects/real/ofi/module/shared.hpp"

#include <rdma/fi_errno.h>

#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/link.hpp"
#include "interconnects/real/ofi/module/nic.hpp"

namespace railyard::ofi {

namespace {

// Buffers for whatever comes, from whomever.
constexpr std::uint32_t pool = 32;
// How long a peer may hear nothing.
constexpr Duration between_signs = Duration::s(1);

}  // namespace

// From a number by chance: where a Nic was before, one that comes to the same address does not take
// for its own what was meant for the other.
SharedEndpoint::SharedEndpoint(Nic& nic, Port& port)
    : nic_(nic), port_(port), last_number_(std::random_device()()) {}

fi_addr_t SharedEndpoint::address_of(const NicName& peer) {
    const auto known = peers_.find(peer.id);
    if (known != peers_.end()) return known->second.address;
    fi_addr_t address = FI_ADDR_UNSPEC;
    const int inserted = fi_av_insert(&port_.device().addresses(),
                                      peer.where(port_.number()).data(), 1, &address, 0, nullptr);
    if (inserted != 1) {
        log_error("ofi: provider {} does not know the address of {}", port_.device().provider(),
                  peer.host());
        return FI_ADDR_UNSPEC;
    }
    Sockets& sockets = port_.sockets();
    const bool can_ask = sockets.is_on_tcp();
    peers_.emplace(peer.id, Peer{address, ListenerTest(can_ask ? peer.where(port_.number())
                                                               : std::span<const std::byte>())});
    sockets.expect(peer.where(port_.number()));
    return address;
}

bool SharedEndpoint::is_gone(const Link& link, Time now) {
    const auto found = peers_.find(link.peer());
    return found != peers_.end() && found->second.listener.is_gone(now, nic_.patience() / 2);
}

std::uint32_t SharedEndpoint::add(Link& link) {
    do
        ++last_number_;
    while (last_number_ == 0 || links_.contains(last_number_));
    links_.emplace(last_number_, &link);
    return last_number_;
}

Link* SharedEndpoint::find(std::uint32_t number) const {
    const auto found = links_.find(number);
    return found != links_.end() ? found->second : nullptr;
}

/// Of one that went before it knew our number.
Link* SharedEndpoint::find_of(std::uint64_t peer, std::uint64_t peers_number) const {
    for (const auto& [number, link] : links_)
        if (link->is_to(peer, peers_number)) return link;
    return nullptr;
}

void SharedEndpoint::post_receives() {
    while (posted_ < pool) {
        Operation& buffer = port_.buffers().take();
        buffer.type = Operation::Type::receive;
        const long error =
            fi_recv(port_.device().endpoint(), buffer.data, port_.device().longest_message(),
                    buffer.descriptor, FI_ADDR_UNSPEC, &buffer.context);
        if (error != 0) {
            port_.buffers().give_back(buffer);
            if (error != -FI_EAGAIN) log_error("ofi: a receive is refused: {}", error_text(error));
            return;
        }
        ++posted_;
    }
}

void SharedEndpoint::failed(Operation& buffer) {
    --posted_;
    port_.buffers().give_back(buffer);
}

void SharedEndpoint::received(Operation& buffer, std::size_t length) {
    --posted_;
    buffer.length = length;
    deliver(buffer, length);
    post_receives();
}

void SharedEndpoint::deliver(Operation& buffer, std::size_t length) {
    Header header;
    if (length >= sizeof header) {
        std::memcpy(&header, buffer.data, sizeof header);
        Link* link = nullptr;
        if (header.link != 0)
            link = find(header.link);
        else if (header.kind == Kind::hello)
            link = nic_.greeted(port_, header, buffer);
        else if (header.kind == Kind::gone)
            link = find_of(header.number, header.region);
        else if (TaggedPort* const port = nic_.tagged_port())
            port->heard(header, {buffer.data + sizeof header, length - sizeof header});
        if (link != nullptr && link->heard(buffer)) return;
    }
    port_.buffers().give_back(buffer);
}

void SharedEndpoint::tick(Time now) {
    if (now < next_sign_) return;
    next_sign_ = now + between_signs;
    std::vector<Link*> all;
    for (const auto& [number, link] : links_)
        all.push_back(link);
    for (Link* link : all)
        link->give_a_sign();
}

}  // namespace railyard::ofi
