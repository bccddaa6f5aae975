// The ends of links and of regions, and of the Nic: what was said last must arrive, and nobody may
// touch memory that is its user's again.

#include <algorithm>
#include <utility>

#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queue_pair.hpp"

namespace railyard::ofi {

namespace {

// How long a peer may take to get what was said at the end of a connection.
constexpr Duration lingering_time = Duration::s(2);
// And how long a Nic that is closed waits for that.
constexpr Duration closing_time = Duration::ms(500);
// How long a region waits until something of what is on its way to or from it has come.
constexpr Duration detaching_time = Duration::ms(200);
// And how long for word that its requests are done.
constexpr Duration asking_time = Duration::ms(20);

}  // namespace

Nic::~Nic() {
    closing_ = true;
    connection_requests_.close();
    if (tagged_) tagged_->say_goodbye();
    // What was said last must leave, and be read by peers: they may need it to know of their end.
    const Time until = host_.now() + closing_time;
    while ((!lingering_.empty() || !ending_.empty() || !dropped_.empty()) && host_.now() < until) {
        progress_once();
        check_lingering(host_.now());
    }
    for (std::unique_ptr<Link>& link : lingering_)
        dropped_.push_back(std::move(link));
    lingering_.clear();
    finish_dropped();
    for (const auto& port : ports_)
        port->device().close_endpoint();
    if (tagged_) tagged_->close();
    for (std::unique_ptr<Link>& link : ending_)
        forget(std::move(link));
    host_.detach(*this);
}

void Nic::reap() {
    for (std::unique_ptr<Link>& link : lingering_)
        if (link->is_down()) dropped_.push_back(std::move(link));
    std::erase(lingering_, nullptr);
}

void Nic::drop(std::unique_ptr<Link> link) {
    if (!link->is_settled()) return linger(std::move(link));
    link->set_user(nullptr);
    dropped_.push_back(std::move(link));
}

void Nic::linger(std::unique_ptr<Link> link) {
    if (link->is_down()) return drop(std::move(link));
    link->set_user(nullptr);
    link->linger_until = host_.now() + lingering_time;
    lingering_.push_back(std::move(link));
}

void Nic::finish_dropped() {
    while (!dropped_.empty()) {
        std::unique_ptr<Link> link = std::move(dropped_.back());
        dropped_.pop_back();
        if (link->is_shared()) {
            link->linger_until = host_.now() + lingering_time;
            ending_.push_back(std::move(link));
            ending_.back()->finish();
            continue;
        }
        if (link->endpoint() != nullptr) by_endpoint_.erase(&link->endpoint()->fid);
        by_mark_.erase(link->mark());
        link->close_endpoint();
        // What tells of it and of its operations has been written by now, or never will: another
        // that comes to lie where it was must not be taken for it.
        read_events();
        while (read_completions()) {
        }
        link->recycle();
        std::erase(stalled_, link.get());
        std::erase(down_, link.get());
    }
}

/// Where all links share an endpoint it is not closed, so the peer is waited for: when it has said
/// `gone` it touches our memory no more.
void Nic::go_on_ending() {
    await_peers();
    const Time now = host_.now();
    for (std::unique_ptr<Link>& link : ending_) {
        if (now >= link->linger_until) link->shut_out();
        const bool ended = link->finish();
        // To a peer that is dead not even that can be said.
        if (ended || (now >= link->linger_until && !link->is_busy())) forget(std::move(link));
    }
    std::erase(ending_, nullptr);
}

/// Memory of requests that have ended is the user's.
void Nic::await_peers() {
    const auto is_exposed = [](const std::unique_ptr<Link>& link) { return link->is_exposed(); };
    if (std::ranges::none_of(ending_, is_exposed)) return;
    const Time until = host_.now() + detaching_time;
    while (std::ranges::any_of(ending_, is_exposed) && host_.now() < until) {
        read_completions();
        post_receives();
        for (std::size_t i = 0; i < ending_.size(); ++i)
            ending_[i]->finish();
        if (!stalled_.empty()) resume_stalled();
    }
    for (const std::unique_ptr<Link>& link : ending_)
        if (link->is_exposed()) link->shut_out();
}

void Nic::forget(std::unique_ptr<Link> link) {
    link->recycle();
    link->port().shared().remove(link->number());
    std::erase(stalled_, link.get());
    std::erase(down_, link.get());
}

void Nic::check_lingering(Time now) {
    for (std::unique_ptr<Link>& link : lingering_)
        if (link->is_down() || now >= link->linger_until) dropped_.push_back(std::move(link));
    std::erase(lingering_, nullptr);
    if (!dropped_.empty()) finish_dropped();
}

std::size_t Nic::uses_of(const LocalRegion& region) const {
    std::size_t uses = 0;
    for (const QueuePair* queue_pair : queue_pairs_)
        uses += queue_pair->uses(region);
    for (const auto* links : {&lingering_, &ending_})
        for (const std::unique_ptr<Link>& link : *links)
            uses += link->uses(region);
    return uses;
}

/// A peer that writes by itself has said so before; that may have come and not been read.
bool Nic::is_free(const LocalRegion& region) {
    while (region.is_granted() && read_completions()) {
    }
    return uses_of(region) == 0;
}

void Nic::detach(const LocalRegion& region) {
    if (region.span().empty()) return;
    // That a request is done may have been said already, and not been read.
    const auto needs = [&](const QueuePair* queue_pair) { return queue_pair->needs(region); };
    const Time asked = host_.now();
    while (std::ranges::any_of(queue_pairs_, needs) && host_.now() < asked + asking_time)
        progress_once();
    for (QueuePair* queue_pair : queue_pairs_)
        queue_pair->detach(region);
    finish_dropped();
    if (is_free(region)) return;
    // Nobody can call back what a provider has begun, but it ends if the peer is alive. A
    // connection of its own is cut if that takes long. On an endpoint that all share nothing stops
    // what is on its way, and it would come to lie in memory that is its user's again: so there
    // only a peer that counts as dead is given up.
    const Duration patience = port(0).device().is_shared() ? patience_ : detaching_time;
    Time until = host_.now() + patience;
    std::size_t fewest = uses_of(region);
    while (!is_free(region) && host_.now() < until) {
        progress_once();
        const std::size_t uses = uses_of(region);
        if (uses < fewest) until = host_.now() + patience;
        fewest = std::min(fewest, uses);
    }
    for (QueuePair* queue_pair : queue_pairs_)
        if (queue_pair->uses(region) > 0) queue_pair->cut();
    for (std::unique_ptr<Link>& link : lingering_)
        if (link->uses(region) > 0) dropped_.push_back(std::move(link));
    std::erase(lingering_, nullptr);
    finish_dropped();
    for (const std::unique_ptr<Link>& link : ending_)
        if (link->uses(region) > 0) link->shut_out();
}

}  // namespace railyard::ofi
