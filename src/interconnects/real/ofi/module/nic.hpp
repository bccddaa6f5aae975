#pragma once
/// One rank's opening of a provider's domain: its links, and the round of things to look after
/// whenever somebody polls.

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/descriptor.hpp"
#include "interconnects/real/common/nic.hpp"
#include "interconnects/real/ofi/module/buffers.hpp"
#include "interconnects/real/ofi/module/connection.hpp"
#include "interconnects/real/ofi/module/device.hpp"
#include "interconnects/real/ofi/module/grants.hpp"
#include "interconnects/real/ofi/module/link.hpp"
#include "interconnects/real/ofi/module/names.hpp"
#include "interconnects/real/ofi/module/queues.hpp"
#include "interconnects/real/ofi/module/region.hpp"
#include "interconnects/real/ofi/module/shared.hpp"
#include "interconnects/real/ofi/module/sockets.hpp"
#include "interconnects/real/ofi/module/tagged_port.hpp"

namespace railyard::ofi {

class Nic final : public real::Nic<Parts> {
  public:
    /// Throws Error if the provider cannot be opened.
    Nic(hosts::RealHost& host, const fabric::Traits& traits, const Wish& wish);
    ~Nic() override;

    bool make_progress() override;
    void expect_wait() override;
    int descriptor() const override {
        return device_.descriptor() >= 0 ? device_.descriptor() : naps_end_.get();
    }
    bool tick(Time now) override;
    Time next_timer() const override;

    // For what real fabrics share.

    static real::NoGuard guard() { return {}; }
    void progress_once();
    static void wake_rule_changed() {}
    ConnectionRequests& connection_requests() { return connection_requests_; }

    // For the parts of this fabric.

    /// Something happened that a waiter may care about.
    void has_news() { ++news_; }
    std::uint64_t id() const { return name_.id; }
    const NicName& name() const { return name_; }
    Device& device() { return device_; }
    Sockets& sockets() { return sockets_; }
    /// With a peer that nobody hears of.
    Duration patience() const { return patience_; }
    SharedEndpoint& shared() { return *shared_; }
    TaggedPort* tagged_port() override { return tagged_.get(); }
    /// What has come, for who waits for a certain thing inside of a call.
    void read_now();
    bool is_closing() const { return closing_; }
    /// Somebody says hello, where all links share an endpoint. The link that is to hear it, if any.
    Link* greeted(const Header& header, const Operation& buffer);
    Buffers& buffers() { return buffers_; }
    Regions& regions() { return regions_; }
    Grants& grants() { return grants_; }
    Pool<Request>& requests() { return requests_; }
    Pool<Inbound>& inbounds() { return inbounds_; }

    /// A link has an endpoint now, of which events may tell.
    void add(Link& link);
    /// It waits for room.
    void stall(Link& link);
    /// It has turned out to be over; its user hears of it soon.
    void found_down(Link& link);
    /// Its end: at once, or when the peer has got what was said last.
    void drop(std::unique_ptr<Link> link);
    void linger(std::unique_ptr<Link> link);
    /// Closes what was dropped now, and not with the next progress. Not inside of progress.
    void cut_dropped() {
        finish_dropped();
        if (!ending_.empty()) go_on_ending();
    }
    /// A region is about to go: when this returns, nobody touches its memory through it.
    void detach(const LocalRegion& region);

    void add(QueuePair& queue_pair) { queue_pairs_.push_back(&queue_pair); }
    void remove(QueuePair& queue_pair);
    /// QueuePair::tick() is to be called when QueuePair::next_timer() says so.
    void watch_time(QueuePair& queue_pair);
    void forget_time(QueuePair& queue_pair) { std::erase(timed_, &queue_pair); }

  private:
    /// Somebody who dials, as an event tells of it.
    struct Dialling {
        InfoList asked;
        std::vector<std::byte> greeting;
    };

    void let_in();
    bool read_completions();
    bool read_completions(fid_cq& queue);
    void read_error(fid_cq& queue);
    bool read_tagged_completions();
    bool waits_for_room() const { return !stalled_.empty() || (tagged_ && tagged_->is_stalled()); }
    void read_events();
    void handle_event(std::uint32_t event, const fi_eq_cm_entry& entry, std::size_t size);
    bool read_event_error();
    void finish_dropped();
    void resume_stalled();
    void tell_down();
    void reap();
    void go_on_ending();
    void await_peers();
    void forget(std::unique_ptr<Link> link);
    void check_lingering(Time now);
    void set_name();
    void nap();
    /// Whether something has to happen at a certain time.
    bool is_timed() const;
    bool is_used(const LocalRegion& region) const;
    bool is_free(const LocalRegion& region);

    Device device_;
    Duration patience_;
    Sockets sockets_;
    Buffers buffers_{device_};
    Grants grants_{device_};
    Regions regions_;
    Pool<Request> requests_;
    Pool<Inbound> inbounds_;
    NicName name_;
    ConnectionRequests connection_requests_{*this};
    std::unordered_map<const fid*, Link*> by_endpoint_;
    std::vector<QueuePair*> queue_pairs_;
    std::vector<QueuePair*> timed_;
    std::vector<Link*> stalled_;
    std::vector<Link*> down_;
    std::vector<Dialling> dialling_;
    std::vector<std::unique_ptr<Link>> dropped_;
    std::vector<std::unique_ptr<Link>> lingering_;
    std::vector<std::unique_ptr<Link>> ending_;  ///< where they share an endpoint
    std::unique_ptr<SharedEndpoint> shared_;     ///< if so
    std::unique_ptr<TaggedPort> tagged_;         ///< where the provider matches
    std::uint64_t news_ = 0;
    std::uint64_t news_told_ = 0;  ///< to the host
    unsigned rounds_ = 0;          ///< until events are asked for
    bool about_to_sleep_ = false;
    bool closing_ = false;  ///< nobody is let in any more
    unsigned naps_ = 0;     ///< in a row, where there is no descriptor to sleep on
    Descriptor naps_end_;   ///< readable then
    Time nap_until_{};
    Time room_tried_ = Time::never();  ///< again, at this time, by who sleeps
    std::uint64_t news_at_nap_ = 0;
};

}  // namespace railyard::ofi
