#include "interconnects/real/iwarp/nic.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <algorithm>
#include <utility>

#include "base/log.hpp"
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

// How long a peer may take to read what was sent before a connection's end, and to end it, too.
constexpr Duration lingering_time = Duration::s(2);
// How long the end of a Nic waits for what was sent to be acknowledged.
constexpr Duration parting_time = Duration::s(1);

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

// What a Nic does as time passes: attempts that are too late, peers that are silent, connections
// that linger; and its thread, if it has one.

bool Nic::tick(Time now) {
    const auto held = guard();
    return tick_once(now);
}

bool Nic::tick_once(Time now) {
    const std::uint64_t before = news_;
    rounds_ = 0;
    const std::vector<QueuePair*> candidates = timed_;
    for (QueuePair* queue_pair : candidates)
        queue_pair->tick(now);
    std::erase_if(timed_, [](QueuePair* q) { return q->next_timer() == Time::never(); });
    connection_requests_.tick(now);
    for (const auto& link : lingering_)
        if (now >= link->until()) link->give_up();
    reap();
    if (check_due_) {
        check_due_ = false;
        next_check_ = now + settings_.patience / 4;
    }
    if (now >= next_check_) check_senders(now);
    if (now >= next_heartbeat_) check_life(now);
    return news_ != before;
}

Time Nic::next_timer() const {
    const auto held = guard();
    return earliest_timer();
}

Time Nic::earliest_timer() const {
    Time next = std::min({next_check_, next_heartbeat_, connection_requests_.next_timer()});
    if (check_due_) next = std::min(next, host_.now() + settings_.patience / 4);
    for (const QueuePair* queue_pair : timed_)
        next = std::min(next, queue_pair->next_timer());
    for (const auto& link : lingering_)
        next = std::min(next, link->until());
    return next;
}

/// Those who sent something: has the other host acknowledged it? If all have, nobody is looked at
/// any more until something is sent.
void Nic::check_senders(Time now) {
    std::erase_if(senders_, [&](Link* link) {
        const Acknowledged state = link->acknowledged_by_peer();
        if (state.all) return !(link->in_sender_list = false);
        // Before something was sent there was nothing to acknowledge.
        const Duration silence = std::min(state.silence, now - link->sending_since);
        if (silence >= settings_.patience) {
            log_debug("iwarp: a host has acknowledged nothing for {} s", silence.seconds());
            dead_.push_back(link);
        }
        return false;
    });
    next_check_ = senders_.empty() ? Time::never() : now + settings_.patience / 4;
    end_dead();
}

/// Who has said nothing for half of the heartbeat's time is asked; who has not answered by its end
/// is dead.
void Nic::check_life(Time now) {
    next_heartbeat_ = now + settings_.heartbeat / 4;
    for (Link* link : links_) {
        // Who cannot be asked is TCP's to watch.
        if (link->has_spoken() || !link->stream().may_ask()) link->last_heard = now;
        const Duration silence = now - link->last_heard;
        if (silence >= settings_.heartbeat) {
            dead_.push_back(link);
        } else if (silence >= settings_.heartbeat / 2) {
            link->ask_for_life();
        }
    }
    end_dead();
}

void Nic::end_dead() {
    for (Link* link : dead_)
        link->peer_ended();
    dead_.clear();
}

void Nic::linger(std::unique_ptr<Link> link, bool abrupt) {
    link->detach(abrupt, host_.now() + lingering_time);
    lingering_.push_back(std::move(link));
}

void Nic::reap() {
    std::erase_if(lingering_, [](const auto& link) { return link->finished(); });
}

/// What was sent before the end is to arrive. Once the other host has it, this one may forget.
void Nic::finish_lingering() {
    const Time until = host_.now() + parting_time;
    const auto waits = [](const auto& link) { return link->undelivered(); };
    while (std::ranges::any_of(lingering_, waits) && host_.now() < until) {
        pollfd events{events_.descriptor(), POLLIN, 0};
        constexpr int a_little_ms = 1;
        ::poll(&events, 1, a_little_ms);
        events_.serve();
        reap();
    }
    // Closing with bytes unread would send a reset.
    for (const auto& link : lingering_)
        link->receive();
    lingering_.clear();
}

void Nic::start_thread() {
    wake_thread_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_thread_) throw system_error("iwarp: a progress thread");
    bell_ = hosts::RemoteBell(host_.bell().handle());
    thread_ = std::thread([this] { run_thread(); });
}

void Nic::stop_thread() {
    if (!thread_.joinable()) return;
    ending_.store(true, std::memory_order_relaxed);  // the eventfd orders it
    const std::uint64_t one = 1;
    (void)!write(wake_thread_.get(), &one, sizeof one);
    thread_.join();
}

void Nic::run_thread() {
    set_log_label("iwarp progress");
    while (!ending_.load(std::memory_order_relaxed)) {
        Time next;
        {
            const auto held = guard();
            next = ready_.empty() ? earliest_timer() : Time();
        }
        int timeout = -1;
        if (next != Time::never()) {
            const Duration left = std::max(Duration(), next - host_.now());
            constexpr std::int64_t longest = 1000;
            timeout = static_cast<int>(std::min(
                longest, (left.picoseconds() + 999'999'999) / Duration::ms(1).picoseconds()));
        }
        pollfd waiting[] = {{events_.descriptor(), POLLIN, 0}, {wake_thread_.get(), POLLIN, 0}};
        ::poll(waiting, std::size(waiting), timeout);
        bool news = false;
        {
            const auto held = guard();
            rounds_ = 0;
            news = progress_once();
            if (host_.now() >= earliest_timer() || check_due_) news |= tick_once(host_.now());
        }
        if (news) bell_.ring_if_asleep();
    }
}

}  // namespace railyard::iwarp
