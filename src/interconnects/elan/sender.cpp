#include "interconnects/elan/sender.hpp"

#include <algorithm>

namespace railyard::elan {

void Sender::send(const std::shared_ptr<Parcel>& parcel) {
    parcel->serial = next_serial_++;
    parcel->job = parcel->context->job->key;
    unsettled_.emplace(parcel->serial, parcel);
    try_now(parcel);
}

std::shared_ptr<Parcel> Sender::under_way(std::uint64_t serial) const {
    const auto found = unsettled_.find(serial);
    return found == unsettled_.end() ? nullptr : found->second;
}

bool Sender::is_here(const Parcel& parcel) const {
    return !parcel.broadcast && parcel.context->job->processes[parcel.to].node == chip_.node;
}

std::optional<elite::Route> Sender::route(const Parcel& parcel) {
    elite::RoutingTable& table = parcel.context->routes();
    if (!parcel.broadcast) {
        const elite::Route* const known = table.to(parcel.to);
        return known ? std::optional(*known) : std::nullopt;
    }
    return elite::find_broadcast(network_.tree(), chip_.node, table.node_of(parcel.to),
                                 table.node_of(parcel.last_to), table.avoided());
}

/// Data go in whole blocks, each a transaction.
Bytes Sender::wire_size(const Parcel& parcel) const {
    const Bytes transaction = chip_.parameters.transaction;
    switch (parcel.kind) {
        case Transaction::write_blocks: {
            const std::uint64_t blocks = (parcel.size + block_size - 1) / block_size;
            return (transaction + Bytes(block_size)) * blocks + transaction * (parcel.last ? 1 : 0);
        }
        case Transaction::read_request:
            return transaction + Bytes(sizeof(Descriptor));
        case Transaction::enqueue:
            return transaction + Bytes(parcel.data.size());
        case Transaction::set_event:
        case Transaction::test:
            return transaction * 2;
    }
    return transaction;
}

void Sender::try_now(const std::shared_ptr<Parcel>& parcel) {
    parcel->verdict = Verdict::taken;
    parcel->oldest = unsettled_.begin()->first;
    if (is_here(*parcel)) {
        chip_.engine.schedule(chip_.engine.now(), [this, parcel] { loopback_(parcel); });
        return;
    }
    elite::Packet packet;
    const auto way = route(*parcel);
    if (!way) {
        chip_.engine.schedule(chip_.engine.now(),
                              [this, parcel] { end(parcel, Verdict::unreachable); });
        return;
    }
    packet.source = chip_.node;
    packet.route = *way;
    packet.payload = wire_size(*parcel);
    packet.channel = parcel->channel;
    packet.priority = parcel->priority;
    packet.cookie = parcel->serial;
    packets_.emplace(network_.send(packet).sequence, parcel->serial);
}

void Sender::settled(elite::PacketId id, const elite::Outcome& outcome) {
    const auto packet = packets_.find(id.sequence);
    if (packet == packets_.end()) return;
    const std::shared_ptr<Parcel> parcel = under_way(packet->second);
    packets_.erase(packet);
    if (outcome.kind == elite::Outcome::Kind::failed) return failed(parcel, outcome.fault);
    const bool accepted = outcome.kind == elite::Outcome::Kind::accepted;
    told(parcel, accepted ? Verdict::taken : parcel->verdict);
}

void Sender::settled_here(const std::shared_ptr<Parcel>& parcel) {
    told(parcel, parcel->verdict);
}

void Sender::told(const std::shared_ptr<Parcel>& parcel, Verdict verdict) {
    if (verdict != Verdict::later) return end(parcel, verdict);
    ++retries_;
    chip_.engine.schedule(chip_.engine.now() + chip_.parameters.backoff,
                          [this, parcel] { try_now(parcel); });
}

/// The same way some times more; then the part that was blamed is avoided by all tables here.
void Sender::failed(const std::shared_ptr<Parcel>& parcel, const elite::Fault& fault) {
    ++retries_;
    const unsigned own = parcel->descriptor.retries;
    if (++parcel->failures > (own != 0 ? own : chip_.parameters.retries)) {
        parcel->failures = 0;
        ++ways_changed_;
        for (const auto& context : chip_.contexts)
            for (elite::RoutingTable& table : context->tables)
                table.avoid(fault.part);
    }
    const Duration delay =
        chip_.parameters.fault_delay * (parcel->failures == 0 ? 0 : 1 << (parcel->failures - 1));
    chip_.engine.schedule(chip_.engine.now() + delay, [this, parcel] { try_now(parcel); });
}

void Sender::end(const std::shared_ptr<Parcel>& parcel, Verdict verdict) {
    // What is sent there next tries all ways anew: a part may have come back.
    if (verdict == Verdict::unreachable)
        for (elite::RoutingTable& table : parcel->context->tables)
            table.forget_faults();
    unsettled_.erase(parcel->serial);
    if (parcel->sender) parcel->sender->settled(parcel, verdict);
}

}  // namespace railyard::elan
