#include "interconnects/real/ofi/module/nic.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {

// Looks at completions between two looks at events, which are rare.
constexpr unsigned rounds_between = 32;
// What a look of the Host's counts: it may do other things between two of them.
constexpr unsigned counts_as = 3;
constexpr Duration shortest_nap = Duration::us(1);
constexpr Duration longest_nap = Duration::us(500);
constexpr unsigned short_naps = 50;

std::uint64_t by_chance() {
    std::random_device source;
    return std::uint64_t{source()} << 32 | source();
}

}  // namespace

Nic::Nic(hosts::RealHost& host, const fabric::Traits& traits, const Wish& wish)
    : real::Nic<Parts>(host, traits), patience_(wish.patience) {
    for (InfoList& info : find_domains(wish)) {
        const auto number = static_cast<unsigned>(ports_.size());
        // Messages with tags go by the first port.
        const bool tagged = wish.tagged && number == 0;
        ports_.push_back(std::make_unique<Port>(*this, number, std::move(info), tagged, patience_));
        const Device& device = ports_.back()->device();
        log_debug("ofi: {}: provider {}, domain {}: {}", traits.name, device.provider(),
                  device.domain_name(), device.findings());
    }
    shares_ = ports_.front()->is_shared();
    const auto grants = [](const auto& port) { return port->device().grants(); };
    grants_ = std::ranges::all_of(ports_, grants);
    set_name();
    if (shares_) post_receives();
    if (wish.tagged) tagged_ = std::make_unique<TaggedPort>(*this);
    join_descriptors();
    host_.attach(*this);
}

void Nic::set_name() {
    std::array<char, 64> host{};
    (void)::gethostname(host.data(), host.size() - 1);
    std::vector<std::vector<std::byte>> where;
    for (const auto& port : ports_)
        where.emplace_back(port->device().name().begin(), port->device().name().end());
    name_ = NicName(by_chance(), ports_.front()->device().kind(), host.data(), where);
    address_ = name_.address();
}

/// One to sleep on, if each port has one that tells the truth; else a timer.
void Nic::join_descriptors() {
    const auto lacks = [](const auto& port) { return port->device().descriptor() < 0; };
    if (std::ranges::any_of(ports_, lacks)) {
        naps_end_ = Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
        if (!naps_end_) throw system_error("ofi: a timer to nap by");
        return;
    }
    slept_on_ = ports_.front()->device().descriptor();
    if (ports_.size() == 1) return;
    joint_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    for (const auto& port : ports_) {
        epoll_event event{};
        event.events = EPOLLIN;
        if (!joint_ ||
            ::epoll_ctl(joint_.get(), EPOLL_CTL_ADD, port->device().descriptor(), &event) != 0)
            throw system_error("ofi: watching the descriptors of several ports");
    }
    slept_on_ = joint_.get();
}

bool Nic::may_sleep() {
    return std::ranges::all_of(ports_, [](const auto& port) { return port->device().may_sleep(); });
}

void Nic::post_receives() {
    for (const auto& port : ports_)
        port->shared().post_receives();
}

bool Nic::make_progress() {
    // A look at events takes as long as one at completions. Who sleeps next must not miss one; who
    // only looks now and then is not to be late by too many looks.
    rounds_ = about_to_sleep_ || rounds_ < counts_as ? 0 : rounds_ - counts_as;
    progress_once();
    const bool news = std::exchange(news_told_, news_) != news_;
    // Some providers let one sleep only if they say so right before.
    if (!news && about_to_sleep_ && sleeps()) {
        if (read_completions() || !may_sleep()) return true;
        // One that has found no room since then must be tried again, and nobody tells of room.
        if (waits_for_room() && room_tried_ == Time::never()) return true;
    } else if (!news && about_to_sleep_ && host_.now() >= nap_until_) {
        nap();  // once more
    }
    if (news) about_to_sleep_ = false;
    return news;
}

void Nic::expect_wait() {
    news_told_ = news_;
    about_to_sleep_ = true;
    // Nobody tells of room.
    room_tried_ = waits_for_room() ? host_.now() + longest_nap : Time::never();
    if (!sleeps()) nap();
}

/// Short ones, as long as something may come soon.
void Nic::nap() {
    const bool idle = std::exchange(news_at_nap_, news_) == news_;
    naps_ = idle ? naps_ + 1 : 0;
    const Duration length = naps_ < short_naps ? shortest_nap : longest_nap;
    nap_until_ = host_.now() + length;
    itimerspec end{};
    end.it_value.tv_nsec = length.picoseconds() / Duration::ns(1).picoseconds();
    ::timerfd_settime(naps_end_.get(), 0, &end, nullptr);
}

void Nic::progress_once() {
    read_completions();
    if (rounds_ == 0) {
        rounds_ = rounds_between;
        read_events();
        // Who only polls gives its Host no chance to look at the clock.
        if (is_timed()) tick(host_.now());
        if (tagged_) tagged_->drain();
    } else {
        --rounds_;
    }
    if (shares_) post_receives();
    if (tagged_) tagged_->progress();
    if (!connecting_.empty() || !lingering_.empty() || !connection_requests_.empty()) rounds_ = 0;
    if (!stalled_.empty()) resume_stalled();
    // One leads to another, and who sleeps now hears of none of them.
    while (!dialling_.empty() || !down_.empty() || !dropped_.empty() || !lingering_.empty()) {
        if (!dialling_.empty()) let_in();
        if (!down_.empty()) tell_down();
        reap();
        if (dropped_.empty()) break;
        finish_dropped();
    }
    if (!ending_.empty()) go_on_ending();
}

/// Not while events are read: an endpoint that is opened for it may come to lie where one was of
/// which the next event tells.
void Nic::let_in() {
    std::vector<Dialling> now;
    now.swap(dialling_);
    for (Dialling& dialling : now)
        if (closing_)
            dialling.port->device().refuse(*dialling.asked);
        else
            connection_requests_.dialled(*dialling.port, *dialling.asked, dialling.greeting);
}

Link* Nic::greeted(Port& port, const Header& header, const Operation& buffer) {
    Hello hello;
    if (buffer.length != sizeof header + sizeof hello) return nullptr;
    std::memcpy(&hello, buffer.data + sizeof header, sizeof hello);
    return connection_requests_.greeted(port, header, hello);
}

void Nic::add(Link& link) {
    by_endpoint_.emplace(&link.endpoint()->fid, &link);
    do
        ++last_mark_;
    while (!by_mark_.emplace(last_mark_, &link).second);
    link.set_mark(last_mark_);
}

void Nic::stall(Link& link) {
    if (std::exchange(link.stalled, true)) return;
    stalled_.push_back(&link);
}

void Nic::resume_stalled() {
    std::vector<Link*> now;
    now.swap(stalled_);
    for (Link* link : now) {
        link->stalled = false;
        link->resume();
        if (!link->stalled) link->stalled_since = Time::never();
    }
}

void Nic::found_down(Link& link) {
    if (!link.is_down() && !std::exchange(link.doomed, true)) down_.push_back(&link);
}

/// What had come before is read first.
void Nic::tell_down() {
    while (read_completions()) {
    }
    std::vector<Link*> now;
    now.swap(down_);
    for (Link* link : now)
        link->down();
}

void Nic::remove(QueuePair& queue_pair) {
    std::erase(queue_pairs_, &queue_pair);
    forget_time(queue_pair);
}

void Nic::watch_time(QueuePair& queue_pair) {
    if (std::ranges::find(timed_, &queue_pair) == timed_.end()) timed_.push_back(&queue_pair);
}

bool Nic::is_timed() const {
    const auto port_is_timed = [](const auto& port) {
        return port->sockets().is_watching() || (port->is_shared() && !port->shared().empty());
    };
    return !timed_.empty() || !stalled_.empty() || !lingering_.empty() ||
           !connection_requests_.empty() || !ending_.empty() || (tagged_ && tagged_->is_busy()) ||
           std::ranges::any_of(ports_, port_is_timed);
}

bool Nic::is_gone(const Link& link, Time now) {
    return shares_ && link.port().shared().is_gone(link, now);
}

bool Nic::tick(Time now) {
    const std::uint64_t before = news_;
    const std::vector<QueuePair*> timed = timed_;
    for (QueuePair* queue_pair : timed)
        if (std::ranges::find(timed_, queue_pair) != timed_.end() &&
            now >= queue_pair->next_timer())
            queue_pair->tick(now);
    connection_requests_.tick(now);
    for (const auto& port : ports_) {
        if (shares_) port->shared().tick(now);
        port->sockets().tick(now);
    }
    if (tagged_) tagged_->tick(now);
    for (Link* link : stalled_) {
        if (link->is_down() || link->doomed) continue;
        if (link->stalled_since == Time::never()) link->stalled_since = now;
        // Whom nobody has heard yet may have other things to do than to let us in.
        if (shares_ && !link->has_heard()) continue;
        const bool gone = is_gone(*link, now);
        if (!gone && now < link->stalled_since + patience_) continue;
        log_debug("ofi: {}", gone ? "a peer is not there any more" : "a peer takes nothing");
        found_down(*link);
    }
    check_lingering(now);
    if (!down_.empty()) tell_down();
    if (!dropped_.empty()) finish_dropped();
    return news_ != before;
}

Time Nic::next_timer() const {
    Time earliest = std::min(connection_requests_.next_timer(), room_tried_);
    for (const QueuePair* queue_pair : timed_)
        earliest = std::min(earliest, queue_pair->next_timer());
    for (const std::unique_ptr<Link>& link : lingering_)
        earliest = std::min(earliest, link->linger_until);
    for (const Link* link : stalled_)
        if (link->stalled_since != Time::never())
            earliest = std::min(earliest, link->stalled_since + patience_);
    for (const std::unique_ptr<Link>& link : ending_)
        earliest = std::min(earliest, link->linger_until);
    for (const auto& port : ports_) {
        if (shares_) earliest = std::min(earliest, port->shared().next_timer());
        earliest = std::min(earliest, port->sockets().next_timer());
    }
    return tagged_ ? std::min(earliest, tagged_->next_timer()) : earliest;
}

}  // namespace railyard::ofi
