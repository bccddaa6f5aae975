#pragma once
/// One rank's opening of a provider's domains, a port each: its links, and the round of things to
/// look after whenever somebody polls.

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/descriptor.hpp"
#include "interconnects/real/common/nic.hpp"
#include "interconnects/real/ofi/module/connection.hpp"
#include "interconnects/real/ofi/module/link.hpp"
#include "interconnects/real/ofi/module/names.hpp"
#include "interconnects/real/ofi/module/port.hpp"
#include "interconnects/real/ofi/module/queues.hpp"
#include "interconnects/real/ofi/module/region.hpp"
#include "interconnects/real/ofi/module/tagged_port.hpp"

namespace railyard::ofi {

class Nic final : public real::Nic<Parts> {
  public:
    /// Throws Error if the provider cannot be opened.
    Nic(hosts::RealHost& host, const fabric::Traits& traits, const Wish& wish);
    ~Nic() override;

    bool make_progress() override;
    void expect_wait() override;
    int descriptor() const override { return sleeps() ? slept_on_ : naps_end_.get(); }
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
    const std::vector<std::unique_ptr<Port>>& ports() const { return ports_; }
    Port& port(unsigned number) { return *ports_[number]; }
    /// With a peer that nobody hears of.
    Duration patience() const { return patience_; }
    TaggedPort* tagged_port() override { return tagged_.get(); }
    /// What has come, for who waits for a certain thing inside of a call.
    void read_now();
    bool is_closing() const { return closing_; }
    /// Somebody says hello, where all links share an endpoint. The link that is to hear it, if any.
    Link* greeted(Port& port, const Header& header, const Operation& buffer);
    Regions& regions() { return regions_; }
    /// Whether peers may write to regions by themselves (Device::grants()).
    bool grants() const { return grants_; }
    /// No region's has it, on any port.
    std::uint64_t next_grant_key() { return ++grant_keys_; }
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
        Port* port;
        InfoList asked;
        std::vector<std::byte> greeting;
    };

    void let_in();
    bool read_completions();
    template <class Entry>
    bool read_completions(Port& port, fid_cq& queue);
    bool read_untagged_completions(Port& port, fid_cq& queue);
    void word_came(std::uint64_t word);
    void read_error(Port& port, fid_cq& queue);
    bool read_tagged_completions(Port& port);
    bool waits_for_room() const { return !stalled_.empty() || (tagged_ && tagged_->is_stalled()); }
    void read_events();
    void read_events(Port& port);
    void handle_event(Port& port, std::uint32_t event, const fi_eq_cm_entry& entry,
                      std::size_t size);
    bool read_event_error(Port& port);
    void finish_dropped();
    void resume_stalled();
    void tell_down();
    void reap();
    void go_on_ending();
    void await_peers();
    void forget(std::unique_ptr<Link> link);
    void check_lingering(Time now);
    void set_name();
    void join_descriptors();
    /// Whether there is a descriptor to sleep on.
    bool sleeps() const { return slept_on_ >= 0; }
    bool may_sleep();
    void post_receives();
    bool is_gone(const Link& link, Time now);
    void nap();
    /// Whether something has to happen at a certain time.
    bool is_timed() const;
    std::size_t uses_of(const LocalRegion& region) const;
    bool is_free(const LocalRegion& region);

    std::vector<std::unique_ptr<Port>> ports_;
    Duration patience_;
    bool shares_ = false;  ///< all links of a port have one endpoint
    bool grants_ = false;
    std::uint64_t grant_keys_ = std::uint64_t{1} << 32;  ///< above those of devices
    Regions regions_;
    Pool<Request> requests_;
    Pool<Inbound> inbounds_;
    NicName name_;
    ConnectionRequests connection_requests_{*this};
    std::unordered_map<const fid*, Link*> by_endpoint_;
    std::unordered_map<std::uint32_t, Link*> by_mark_;
    std::uint32_t last_mark_ = 0;
    std::vector<QueuePair*> queue_pairs_;
    std::vector<QueuePair*> timed_;
    std::vector<Link*> stalled_;
    std::vector<Link*> down_;
    std::vector<Dialling> dialling_;
    std::vector<std::unique_ptr<Link>> dropped_;
    std::vector<std::unique_ptr<Link>> lingering_;
    std::vector<std::unique_ptr<Link>> ending_;  ///< where they share an endpoint
    std::unique_ptr<TaggedPort> tagged_;         ///< where the provider matches
    std::uint64_t news_ = 0;
    std::uint64_t news_told_ = 0;  ///< to the host
    unsigned rounds_ = 0;          ///< until events are asked for
    bool about_to_sleep_ = false;
    bool closing_ = false;  ///< nobody is let in any more
    unsigned naps_ = 0;     ///< in a row, where there is no descriptor to sleep on
    Descriptor naps_end_;   ///< readable then
    Descriptor joint_;      ///< of all ports' descriptors, where there are several
    int slept_on_ = -1;
    Time nap_until_{};
    Time room_tried_ = Time::never();  ///< again, at this time, by who sleeps
    std::uint64_t news_at_nap_ = 0;
};

}  // namespace railyard::ofi
