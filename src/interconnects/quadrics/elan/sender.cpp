#include "interconnects/quadrics/elan/sender.hpp"

#include <algorithm>
#include <utility>

namespace railyard::elan {

void Sender::send(const ParcelHandle& parcel) {
    send_instead(parcel, unsettled_.next_serial());
}

void Sender::send_instead(const ParcelHandle& parcel, std::uint64_t serial) {
    parcel->serial = serial;
    parcel->job = parcel->context->job->key;
    unsettled_.add(serial, parcel);
    try_now(parcel);
}

bool Sender::is_here(const Parcel& parcel) const {
    return !parcel.broadcast && parcel.context->job->processes[parcel.to].node == chip_.node;
}

std::optional<elite::Route> Sender::route(const Parcel& parcel) {
    elite::RoutingTable& table = parcel.context->routes();
    if (parcel.broadcast)
        return elite::find_broadcast(network_.tree(), chip_.node, table.node_of(parcel.to),
                                     table.node_of(parcel.last_to),
                                     parcel.rounds > 0 ? parcel.avoided : table.avoided());
    if (parcel.rounds > 0)
        return elite::find_route(network_.tree(), chip_.node, table.node_of(parcel.to),
                                 elite::Routing::adaptive, parcel.avoided);
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
            return transaction + Bytes(parcel.size);
        case Transaction::set_event:
        case Transaction::test:
            return transaction * 2;
    }
    return transaction;
}

void Sender::try_now(const ParcelHandle& parcel) {
    if (chip_.is_away()) {
        chip_.engine.schedule(chip_.back_at, [this, parcel] { try_now(parcel); });
        return;
    }
    parcel->verdict = Verdict::taken;
    parcel->oldest = unsettled_.oldest();
    if (is_here(*parcel)) {
        chip_.engine.schedule(chip_.engine.now(), [this, parcel] { loopback_(parcel); });
        return;
    }
    elite::Packet packet;
    auto way = route(*parcel);
    if (!way && parcel->rounds < chip_.parameters.rounds) {
        ++parcel->rounds;
        parcel->failures = 0;
        parcel->avoided.clear();
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
    parcel->packet = network_.send(packet);
}

void Sender::settled(elite::PacketId id, const elite::Outcome& outcome) {
    const ParcelHandle parcel = under_way(outcome.cookie);
    if (!parcel || parcel->packet != id) return;
    if (outcome.kind == elite::Outcome::Kind::failed) return failed(parcel, outcome.fault);
    const bool accepted = outcome.kind == elite::Outcome::Kind::accepted;
    told(parcel, accepted ? Verdict::taken : parcel->verdict);
}

void Sender::settled_here(const ParcelHandle& parcel) {
    told(parcel, parcel->verdict);
}

void Sender::told(const ParcelHandle& parcel, Verdict verdict) {
    if (verdict != Verdict::later) return end(parcel, verdict);
    ++retries_;
    chip_.engine.schedule(chip_.engine.now() + chip_.parameters.backoff,
                          [this, parcel] { try_now(parcel); });
}

/// The same way some times more; then the part that was blamed is avoided.
void Sender::failed(const ParcelHandle& parcel, const elite::Fault& fault) {
    ++retries_;
    parcel->tried = true;
    if (chip_.is_away()) return try_now(parcel);  // no way is to blame
    if (++parcel->failures > retries_of(*parcel)) {
        parcel->failures = 0;
        ++ways_changed_;
        avoid(*parcel, fault.part);
        if (network_.watched_by() && route(*parcel)) network_.watched_by()->rerouted();
    }
    chip_.engine.schedule(chip_.engine.now() + delay_of(*parcel),
                          [this, parcel] { try_now(parcel); });
}

/// By all tables here; by this parcel alone where they know no way for it, so that it comes to an
/// end whatever others find.
void Sender::avoid(Parcel& parcel, elite::Part part) {
    if (parcel.rounds > 0) {
        parcel.avoided.push_back(part);
        return;
    }
    for (const auto& context : chip_.contexts)
        if (context)
            for (elite::RoutingTable& table : context->tables)
                table.avoid(part);
}

unsigned Sender::retries_of(const Parcel& parcel) const {
    const unsigned own = parcel.retries;
    return own != 0 ? own : chip_.parameters.retries;
}

/// None on a new way, then twice as long each time; so it goes on from round to round.
Duration Sender::delay_of(const Parcel& parcel) const {
    constexpr unsigned most_doublings = 10;
    if (parcel.failures == 0) return {};
    const unsigned doublings = parcel.failures - 1 + retries_of(parcel) * parcel.rounds;
    return chip_.parameters.fault_delay * (std::int64_t{1} << std::min(doublings, most_doublings));
}

void Sender::forget_faults() {
    for (const auto& context : chip_.contexts)
        if (context)
            for (elite::RoutingTable& table : context->tables)
                table.forget_faults();
}

void Sender::end(const ParcelHandle& parcel, Verdict verdict) {
    // It got through where the tables knew no way: what they avoid has been mended.
    if (parcel->rounds > 0 && verdict != Verdict::unreachable) forget_faults();
    unsettled_.remove(parcel->serial);
    if (parcel->sender) parcel->sender->settled(parcel, verdict);
    if (verdict == Verdict::unreachable && network_.watched_by()) tell_unreachable(*parcel);
}

void Sender::tell_unreachable(const Parcel& parcel) const {
    elite::FaultWatch::Lost lost{chip_.node, {}, parcel.serial, unsettled_.coming(), parcel.tried};
    for (Vpid to = parcel.to; to <= (parcel.broadcast ? parcel.last_to : parcel.to); ++to)
        lost.to.push_back(parcel.context->job->processes[to].node);
    network_.watched_by()->unreachable(lost);
}

}  // namespace railyard::elan
