#pragma once
/// One rank's opening of iWARP: its listening socket, its connections, and the round of things to
/// look after whenever somebody polls; or by a thread of its own.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "hosts/bell.hpp"
#include "interconnects/real/common/nic.hpp"
#include "interconnects/real/iwarp/connection.hpp"
#include "interconnects/real/iwarp/fabric.hpp"
#include "interconnects/real/iwarp/framing.hpp"
#include "interconnects/real/iwarp/link.hpp"
#include "interconnects/real/iwarp/names.hpp"
#include "interconnects/real/iwarp/outbox.hpp"
#include "interconnects/real/iwarp/queues.hpp"
#include "interconnects/real/iwarp/region.hpp"
#include "interconnects/real/iwarp/socket.hpp"
#include "interconnects/real/iwarp/tags.hpp"

namespace railyard::iwarp {

class Nic final : public real::Nic<Parts> {
  public:
    /// Throws Error if it cannot listen.
    Nic(hosts::RealHost& host, const fabric::Traits& traits, const Settings& settings);
    ~Nic() override;

    bool make_progress() override;
    void expect_wait() override;
    int descriptor() const override;
    bool tick(Time now) override;
    Time next_timer() const override;

    // For what real fabrics share.

    /// Where a progress thread runs, everything happens under this; it is not recursive.
    [[nodiscard]] std::unique_lock<std::mutex> guard() const {
        return threaded() ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
    }
    /// make_progress() under a guard. True if anything happened that a waiter may care about.
    bool progress_once();
    /// Nothing: whether an arrival is worth waking for is seen when it is here.
    static void wake_rule_changed() {}
    ConnectionRequests& connection_requests() { return connection_requests_; }

    // For the parts of this fabric.

    /// All regions and streams of a Nic trust each other.
    static constexpr Domain domain{1};

    bool threaded() const { return settings_.progress_thread; }
    /// Something happened that a waiter may care about.
    void has_news() { ++news_; }

    const NicName& name() const { return name_; }
    const Settings& settings() const { return settings_; }
    mpa::Wishes wishes() const;
    StreamId next_stream() { return StreamId{++streams_}; }
    TagTable& tags() { return tags_; }
    Lives& lives() { return lives_; }
    StagingPool& staging() { return staging_; }
    RequestPool& requests() { return requests_; }
    Events& events() { return events_; }
    /// For one read; what is in it is used up before the next.
    std::span<std::byte> read_buffer() { return read_buffer_; }
    Outbox::Storage& take_storage();
    void return_storage(Outbox::Storage& storage);

    void add(Link& link);
    void remove(Link& link);
    void forget_events(const Watcher& watcher) { events_.forget(watcher); }
    /// Something came from it.
    void found(Link& link);
    /// A socket takes no more (or does again): all are asked more often meanwhile.
    void output_waits(bool waits) { output_waits_ = waits; }
    /// It may have more to be read, of which its socket says nothing.
    void come_back_to(Link& link);
    void has_sent(Link& link);
    /// Keeps it until the peer has what was sent.
    void linger(std::unique_ptr<Link> link, bool abrupt);
    /// A region's memory is about to go.
    void detach_memory(std::span<const std::byte> memory);

    /// QueuePair::tick() is to be called when QueuePair::next_timer() says so.
    void watch_time(QueuePair& queue_pair);
    /// Its connection is over.
    void forget(QueuePair& queue_pair);

  private:
    // nic.cpp
    void serve_ready();
    // nic_time.cpp
    bool tick_once(Time now);
    Time earliest_timer() const;
    void reap();
    void check_senders(Time now);
    void check_life(Time now);
    void end_dead();
    void finish_lingering();
    void start_thread();
    void stop_thread();
    void run_thread();

    const Settings settings_;
    NicName name_;
    mutable std::mutex mutex_;
    Descriptor listening_;
    Events events_;
    ConnectionRequests connection_requests_{*this};
    TagTable tags_;
    Lives lives_;
    StagingPool staging_;
    RequestPool requests_;
    std::vector<std::byte> read_buffer_;
    std::vector<std::unique_ptr<Outbox::Storage>> storages_;
    std::vector<Outbox::Storage*> free_storages_;

    std::uint64_t streams_ = 0;
    std::uint64_t news_ = 0;
    std::uint64_t news_told_ = 0;  ///< to the host
    Link* hot_ = nullptr;          ///< the one that last received: looked at first
    unsigned trust_ = 0;           ///< in its being the next one, too
    unsigned rounds_ = 0;          ///< until all sockets are asked
    mutable unsigned hits_ = 0;    ///< messages in a row that it brought
    bool output_waits_ = false;    ///< somebody waits until its socket takes more
    bool check_due_ = false;       ///< next_check_ is to be set
    std::vector<Link*> links_;     ///< all there are
    std::vector<Link*> ready_;     ///< to be read from, whatever their sockets say
    std::vector<Link*> serving_;   ///< those of ready_ whose turn it is; empty but meanwhile
    std::vector<Link*> senders_;   ///< whose peers may not have acknowledged everything
    std::vector<std::unique_ptr<Link>> lingering_;
    std::vector<QueuePair*> timed_;
    std::vector<Link*> dead_;          ///< found to be, and about to be ended
    Time next_check_ = Time::never();  ///< of senders_
    Time next_heartbeat_ = Time::never();

    std::atomic<bool> ending_{false};
    Descriptor wake_thread_;
    hosts::RemoteBell bell_;
    std::thread thread_;
};

}  // namespace railyard::iwarp
