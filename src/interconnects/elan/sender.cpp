#include "interconnects/elan/sender.hpp"

#include <algorithm>
#include <utility>

namespace railyard::elan {

void Sender::send(const std::shared_ptr<Parcel>& parcel) {
    send_instead(parcel, next_serial_++);
}

void Sender::send_instead(const std::shared_ptr<Parcel>& parcel, std::uint64_t serial) {
    parcel->serial = serial;
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
    if (parcel.broadcast)
        return elite::find_broadcast(network_.tree(), chip_.node, table.node_of(parcel.to),
                                     table.node_of(parcel.last_to),
                                     parcel.anew ? parcel.avoided : table.avoided());
    if (parcel.anew)
        return elite::find_route(network_.tree(), chip_.node, table.node_of(parcel.to),
                                 elite::Ways::adaptive, parcel.avoided);
    const elite::Route* const known = table.to(parcel.to);
    return known ? std::optional(*known) : std::nullopt;
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
    auto way = route(*parcel);
    if (!way && !std::exchange(parcel->anew, true)) {
        parcel->failures = 0;
        way = route(*parcel);
    }
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

/// The same way some times more; then the part that was blamed is avoided.
void Sender::failed(const std::shared_ptr<Parcel>& parcel, const elite::Fault& fault) {
    ++retries_;
    if (++parcel->failures > retries_of(*parcel)) {
        parcel->failures = 0;
        ++ways_changed_;
        avoid(*parcel, fault.part);
    }
    chip_.engine.schedule(chip_.engine.now() + delay_of(*parcel),
                          [this, parcel] { try_now(parcel); });
}

/// By all tables here; by this parcel alone where they know no way for it, so that it comes to an
/// end whatever others find.
void Sender::avoid(Parcel& parcel, elite::Part part) {
    if (parcel.anew) {
        parcel.avoided.push_back(part);
        return;
    }
    for (const auto& context : chip_.contexts)
        if (context)
            for (elite::RoutingTable& table : context->tables)
                table.avoid(part);
}

unsigned Sender::retries_of(const Parcel& parcel) const {
    const unsigned own = parcel.descriptor.retries;
    return own != 0 ? own : chip_.parameters.retries;
}

/// None on a new way, then twice as long each time; from there on twice that if it tries all anew.
Duration Sender::delay_of(const Parcel& parcel) const {
    constexpr unsigned most_doublings = 10;
    if (parcel.failures == 0) return {};
    const unsigned doublings = parcel.failures - 1 + (parcel.anew ? retries_of(parcel) : 0);
    return chip_.parameters.fault_delay * (std::int64_t{1} << std::min(doublings, most_doublings));
}

void Sender::forget_faults() {
    for (const auto& context : chip_.contexts)
        if (context)
            for (elite::RoutingTable& table : context->tables)
                table.forget_faults();
}

void Sender::end(const std::shared_ptr<Parcel>& parcel, Verdict verdict) {
    // It got through where the tables knew no way: what they avoid has been mended.
    if (parcel->anew && verdict != Verdict::unreachable) forget_faults();
    unsettled_.erase(parcel->serial);
    if (parcel->sender) parcel->sender->settled(parcel, verdict);
}

}  // namespace railyard::elan
