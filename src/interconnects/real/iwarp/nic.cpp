#include "interconnects/real/iwarp/nic.hpp"

#include <algorithm>
#include <utility>

#include "interconnects/real/iwarp/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {

namespace {

// Many short frames in one read, or several long ones.
constexpr std::size_t read_buffer_size = 128 << 10;
// Between two questions to all sockets, if the one that is looked at is the right one.
constexpr unsigned looks_between = 4;
constexpr unsigned looks_between_if_alone = 32;
// After so many messages in a row at one socket, nobody need tell of it.
constexpr unsigned hits_until_sure = 16;
constexpr unsigned most_trust = 4;

}  // namespace

Nic::Nic(hosts::RealHost& host, const fabric::Traits& traits, const Settings& settings)
    : real::Nic<Parts>(host, traits), settings_(settings), read_buffer_(read_buffer_size) {
    raise_descriptor_limit();
    name_.at = find_address(settings.address);
    name_.id = random_nic_id();
    listening_ = listen_at(name_.at, settings.ports);
    address_ = name_.address();
    connection_requests_.open(listening_.get());
    if (settings.heartbeat != Duration::forever())
        next_heartbeat_ = host.now() + settings.heartbeat / 4;
    if (threaded()) start_thread();
    host_.attach(*this);
}

Nic::~Nic() {
    host_.detach(*this);
    stop_thread();
    listening_.reset();
    finish_lingering();
}

mpa::Wishes Nic::wishes() const {
    mpa::Wishes wishes;
    wishes.crc = settings_.crc;
    wishes.markers = settings_.markers;
    wishes.ird = settings_.ird;
    wishes.ord = settings_.ord;
    return wishes;
}

bool Nic::make_progress() {
    const auto held = guard();
    rounds_ = 0;  // who watches memory comes here seldom: all sockets are asked
    progress_once();
    return std::exchange(news_told_, news_) != news_;
}

/// A receive that is posted may take what has long come, and whoever posts it is about to sleep.
void Nic::expect_wait() {
    const auto held = guard();
    news_told_ = news_;
}

bool Nic::progress_once() {
    const std::uint64_t before = news_;
    if (!lingering_.empty()) reap();
    // A look at one socket costs half of a question to all of them, and mostly the next message
    // comes where the last one came.
    if (trust_ > 0 && hot_->receive()) {
        trust_ = most_trust;
        ++hits_;
        // One that waits to send must hear that it may.
        if (hits_ == hits_until_sure && !threaded() && !output_waits_) hot_->set_watched(false);
        if (rounds_ > 0) {
            --rounds_;
            return news_ != before;
        }
    }
    if (!ready_.empty()) serve_ready();
    if (trust_ == 0 || output_waits_ || rounds_ == 0) {
        rounds_ = links_.size() == 1 ? looks_between_if_alone : looks_between;
        events_.serve();
    } else {
        --rounds_;
    }
    return news_ != before;
}

void Nic::found(Link& link) {
    if (hot_ == &link) {
        trust_ = std::min(trust_ + 1, most_trust);
        return;
    }
    if (hot_ != nullptr) hot_->set_watched(true);
    hot_ = &link;
    trust_ = hits_ = 0;
}

void Nic::serve_ready() {
    serving_.swap(ready_);
    for (Link* link : serving_)
        link->in_ready_list = false;
    // Nobody is destroyed meanwhile: ends of connections are put into lingering_.
    for (Link* link : serving_)
        link->receive();
    serving_.clear();
}

int Nic::descriptor() const {
    if (threaded()) return -1;
    // Somebody is about to sleep on it.
    if (hot_ != nullptr) hot_->set_watched(true);
    hits_ = 0;
    return events_.descriptor();
}

Outbox::Storage& Nic::take_storage() {
    if (free_storages_.empty()) {
        storages_.push_back(std::unique_ptr<Outbox::Storage>(new Outbox::Storage));
        return *storages_.back();
    }
    Outbox::Storage* const storage = free_storages_.back();
    free_storages_.pop_back();
    return *storage;
}

void Nic::return_storage(Outbox::Storage& storage) {
    free_storages_.push_back(&storage);
}

void Nic::add(Link& link) {
    links_.push_back(&link);
    link.last_heard = host_.now();
}

void Nic::remove(Link& link) {
    if (hot_ == &link) {
        hot_ = nullptr;
        trust_ = 0;
    }
    std::erase(links_, &link);
    std::erase(ready_, &link);
    std::erase(senders_, &link);
}

void Nic::come_back_to(Link& link) {
    if (std::exchange(link.in_ready_list, true)) return;
    ready_.push_back(&link);
    news_ += 1;  // a rank must not sleep before it has been looked at
}

void Nic::has_sent(Link& link) {
    if (std::exchange(link.in_sender_list, true)) return;
    if (senders_.empty()) check_due_ = true;
    link.sending_since = host_.now();
    senders_.push_back(&link);
}

void Nic::detach_memory(std::span<const std::byte> memory) {
    if (storages_.size() == free_storages_.size()) return;  // nobody has anything to send
    for (Link* link : links_)
        link->stream().outbox().detach(memory);
}

void Nic::watch_time(QueuePair& queue_pair) {
    if (std::ranges::find(timed_, &queue_pair) == timed_.end()) timed_.push_back(&queue_pair);
}

void Nic::forget(QueuePair& queue_pair) {
    std::erase(connecting_, &queue_pair);
    std::erase(timed_, &queue_pair);
}

}  // namespace railyard::iwarp
