#include "interconnects/quadrics/elan/adapter.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace railyard::elan {

void CommandProcessor::command(Context& context, const Command& command, DmaId id) {
    if (chip_.is_away()) {  // the write is not taken before it is back
        chip_.engine.schedule(
            chip_.back_at, [this, &context, command, id] { this->command(context, command, id); });
        return;
    }
    chip_.microcode.run(Role::command, chip_.parameters.microcode.check, "check",
                        [this, &context, command, id] {
                            switch (command.kind) {
                                case Command::Kind::run_dma:
                                    return run(context, command.address, id);
                                case Command::Kind::set_event:
                                    return events_.set_anywhere(Role::command, context,
                                                                command.vpid, command.address);
                                case Command::Kind::arm:
                                    return events_.arm(context, command.address);
                                case Command::Kind::interrupt:
                                    return events_.interrupt(context, command.address);
                            }
                        });
}

/// A descriptor that makes no sense goes no further than this (RD-5).
Status CommandProcessor::check(const Context& context, const Descriptor& descriptor) const {
    const bool is_read = descriptor.direction == Direction::read;
    if (descriptor.direction > Direction::message || descriptor.priority > elite::Priority::high)
        return Code::invalid;
    if (!context.knows(descriptor.source) || !context.knows(descriptor.destination))
        return Code::invalid;
    if ((is_read ? descriptor.destination : descriptor.source) != context.self)
        return Code::invalid;
    const Address end = descriptor.source_address + descriptor.size;
    if (end < descriptor.source_address) return Code::out_of_bounds;
    if (descriptor.direction == Direction::message && descriptor.size > packet_data)
        return Code::too_long;
    if (!is_read && descriptor.size > 0 && !context.space.home_of(descriptor.source_address))
        return Code::out_of_bounds;
    const Address event = is_read ? descriptor.destination_event : descriptor.source_event;
    for (const Address own : {event, descriptor.failure_event})
        if (own != null_address && !context.events.contains(own)) return Code::bad_key;
    if (!descriptor.broadcast) return {};
    if (is_read || !context.knows(descriptor.last_destination)) return Code::invalid;
    const auto& processes = context.job->processes;
    for (Vpid vpid = descriptor.destination; vpid < descriptor.last_destination; ++vpid)
        if (processes[vpid + 1].node != processes[vpid].node + 1) return Code::invalid;  // BC-3
    return descriptor.destination <= descriptor.last_destination ? Status() : Code::invalid;
}

void CommandProcessor::run(Context& context, Address address, DmaId id) {
    chip_.note(Step::check, id);
    chip_.touch(context, address, [this, &context, id, address] {
        Descriptor descriptor;
        std::array<std::byte, sizeof(Descriptor)> bytes;
        const bool there = context.space.load(address, bytes);
        std::memcpy(static_cast<void*>(&descriptor), bytes.data(), sizeof descriptor);
        const Status status = there ? check(context, descriptor) : Status(Code::out_of_bounds);
        if (!status.ok()) {
            context.troubles.push_back(status);
            if (context.notify_host) context.notify_host();
            return;
        }
        chip_.microcode.run(Role::command, chip_.parameters.microcode.enqueue, "queue",
                            [this, dma = dma_.make(context, descriptor, id)] {
                                chip_.note(Step::enqueue, dma->id);
                                dma_.enqueue(dma);
                            });
    });
}

Adapter::Adapter(sim::Engine& engine, const Parameters& parameters, Pools& pools,
                 elite::Network& network, elite::NodeId node, Opener opener)
    : network_(network),
      opener_(std::move(opener)),
      chip_(engine, parameters, pools, node),
      sender_(chip_, network,
              [this](const ParcelHandle& parcel) { inputter_.take_from_here(parcel); }),
      events_(chip_, {[this](Context& context, Address descriptor) {
                          commands_.run(context, descriptor, dma_.next_id());
                      },
                      [this](const ParcelHandle& parcel) { sender_.send(parcel); },
                      [this](Thread& thread) { threads_.wake(thread); }}),
      dma_(chip_, sender_, events_),
      inputter_(chip_, events_, dma_, *this),
      commands_(chip_, dma_, events_),
      threads_(chip_, dma_, events_, sender_) {
    inputter_.on_duplicate = [this] {
        if (network_.watched_by()) network_.watched_by()->repeated();
    };
    network.attach(node, this);
}

Adapter::~Adapter() {
    network_.attach(chip_.node, nullptr);
}

Context& Adapter::open(const std::shared_ptr<const Job>& job, Vpid vpid, ContextId id) {
    auto context =
        std::make_unique<Context>(id, job, vpid, chip_.frames, chip_.parameters.host_offset);
    context->tables.emplace_back(network_.tree(), chip_.node, elite::Routing::adaptive, job->nodes);
    context->space.on_change = [this, id](std::uint32_t page) { chip_.mmu.forget(id, page); };
    if (chip_.contexts.size() <= id) chip_.contexts.resize(id + 1);
    chip_.contexts[id] = std::move(context);
    return *chip_.contexts[id];
}

void Adapter::close(Context& context) {
    context.open = false;
    context.notify_host = nullptr;
    context.interrupt_host = nullptr;
    threads_.stop(context);
}

void Adapter::reset(Duration outage) {
    const Time now = chip_.engine.now();
    chip_.reset(now + outage);
    threads_.stall(chip_.back_at);
    network_.break_part(elite::Part::cable(chip_.node), now, chip_.back_at);
}

void Adapter::arrived(const elite::Delivery& delivery) {
    const ParcelHandle parcel = opener_(delivery);
    if (!parcel) return network_.answer(delivery, elite::Answer::refuse);
    inputter_.take(parcel, delivery);
}

void Adapter::answer(const Arrival& arrival, Verdict verdict) {
    if (arrival.from_here) {
        arrival.parcel->verdict = verdict;
        sender_.settled_here(arrival.parcel);
        return;
    }
    if (verdict != Verdict::taken) arrival.parcel->verdict = verdict;
    network_.answer(arrival.delivery,
                    verdict == Verdict::taken ? elite::Answer::accept : elite::Answer::refuse);
}

}  // namespace railyard::elan
