#include "interconnects/quadrics/elan/adapter.hpp"

#include <utility>

namespace railyard::elan {

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
