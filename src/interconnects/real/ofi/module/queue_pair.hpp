#pragma once
/// A connection to a peer's queue pair: requests in order out, the peer's requests in order in, and
/// what became of both.

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "interconnects/real/common/queue_pair.hpp"
#include "interconnects/real/ofi/module/connection.hpp"
#include "interconnects/real/ofi/module/link.hpp"
#include "interconnects/real/ofi/module/names.hpp"
#include "interconnects/real/ofi/module/queues.hpp"

namespace railyard::ofi {

class QueuePair final : public real::QueuePair<Parts>, public Link::User {
  public:
    QueuePair(Nic& nic, const fabric::QueuePairOptions& options);
    ~QueuePair() override;

    Status connect(const fabric::Address& to, fabric::Service service,
                   const fabric::PrivateData& data, Time deadline) override;
    Status accept(fabric::ConnectionRequest& request, const fabric::PrivateData& data) override;
    Status connect_peer(const fabric::Address& to, fabric::Discriminator discriminator,
                        const fabric::PrivateData& data, Time deadline) override;
    void close() override;
    using fabric::QueuePair::post;
    Posted post(std::span<const fabric::WorkRequest> requests) override;

    // For the receive queue, the Nic, and those who connect.

    /// A receive has been posted: goes on with what waits for it.
    void receive_posted();
    /// Whether it asks the same Nic for the same, by another ask.
    bool waits_for(const Hello& theirs) const;
    /// A peer asks for what this queue pair asks for, too.
    void meet(IncomingConnection& theirs);
    void tick(Time now);
    Time next_timer() const;
    /// Whether requests of ours name it and are not known to be done.
    bool needs(const LocalRegion& region) const;
    /// The region ends: requests of ours that name it cannot go on.
    void detach(const LocalRegion& region);
    /// How much the provider has to do there.
    std::size_t uses(const LocalRegion& region) const {
        return link_ != nullptr ? link_->uses(region) : 0;
    }
    /// Ends the connection without a word.
    void cut() { fail(Code::remote_closed, Code::remote_closed, Words::none); }

    // Of the link.

    void link_up() override;
    bool link_message(Operation& buffer) override;
    void link_sent(Request& request) override;
    void link_moved(Inbound& inbound) override;
    void link_read(std::uint32_t number) override;
    void link_resumed() override;
    void link_down() override;

  private:
    // queue_pair.cpp
    void enqueue(const fabric::WorkRequest& work, std::uint64_t length, Code fault);
    Code check(const fabric::WorkRequest& work, std::uint64_t length) const;
    void issue();
    bool issue_next();
    bool is_alive(const Request& request) const;
    Link::Sent send(Request& request);
    void retire();
    void retire_done();
    bool is_done(const Request& request) const;
    Request* unlink_oldest();
    void complete(const Request& request, Code status);
    enum class Words : std::uint8_t {
        none,    ///< the peer knows, or cannot be told
        bye,     ///< that it is over
        failed,  ///< which request of the peer's was at fault
    };
    /// The queue pair is over for the reason `code`. `oldest` goes to the oldest request that still
    /// waits, all others are flushed.
    void fail(Code code, Code oldest, Words words, std::uint64_t number = 0, Code fault = Code::ok);
    void flush_requests(Code oldest);

    // inbound.cpp
    void arrived(Operation& buffer, const Header& header);
    void serve();
    bool serve_now(Inbound& inbound);
    bool claim_receive(Inbound& inbound);
    Code check(const Inbound& inbound) const;
    void place(Inbound& inbound);
    void answer_read(const Inbound& inbound);
    void answer_atomic(const Inbound& inbound);
    void finish(Inbound& inbound);
    void complete_receive_of(const Inbound& inbound);
    void release(Inbound& inbound);
    void answered(const Header& header, std::span<const std::byte> data);
    void answered(Request& request);
    /// Whether the last of a read's data tell the reader that they have come.
    bool answers_by_word(const Inbound& inbound) const {
        return (inbound.header.flags & flag::word) != 0 && link_->device().brings_words();
    }
    void refused(std::uint64_t number, Code code);
    Header header_of(Kind kind, std::uint64_t number);
    void return_credits();

    // bulk.cpp
    void start_ahead();
    void start(Inbound& inbound);
    bool start_step(Inbound& inbound);
    void ask_for(Inbound& inbound, const Link::Memory& memory, bool has_tail);
    void fetch_asked(const Header& header, std::span<const std::byte> data);
    void push_asked();
    std::optional<Link::Memory> memory_of(const Header& fetch) const;

    // direct.cpp
    bool may_be_direct(const Request& request) const;
    Link::Sent send_direct(Request& request, Header header);
    void note(const Request& request);
    void landing(const Header& header);

    // connecting.cpp
    void begin_asking(const NicName& to, bool as_peer, std::uint64_t target,
                      const fabric::PrivateData& data, Time deadline);
    /// Whether that is an address of such a Nic; says why not.
    bool can_be_reached(const NicName& to) const;
    void start_attempt();
    void start_over();
    bool answer(IncomingConnection& connection);
    void heard_while_connecting(const Header& header, std::span<const std::byte> data);
    void accepted(const Hello& theirs);
    void rejected(const Hello& theirs);
    void set_peer(const Hello& theirs);
    Hello hello() const;
    void connected();
    void connection_failed(Code code);
    void drop_link();

    // What a small message touches comes first.
    std::unique_ptr<Link> link_;
    std::uint32_t count_ = 0;  ///< requests from oldest_ on
    std::uint32_t reads_under_way_ = 0;
    std::uint16_t credits_ = 0;  ///< of ours: requests that may leave
    std::uint16_t owed_ = 0;     ///< of the peer's: to be returned
    bool serving_ = false;
    bool starving_ = false;
    Request* oldest_ = nullptr;
    Request* newest_ = nullptr;
    Request* unissued_ = nullptr;
    std::uint64_t number_ = 0;  ///< of the newest request
    std::uint64_t told_ = 0;    ///< requests up to this one are done at the peer
    std::deque<Inbound*> inbound_;
    struct Fetch {
        Header header;
        Place to;
    };
    std::deque<Fetch> fetches_;  ///< of the peer's, that had no room
    /// What those last issued touch at the peer's, when they are carried out there.
    struct Touched {
        std::uint64_t address = 0;
        std::uint64_t length = 0;
    };
    std::array<Touched, most_credits> touched_{};
    std::uint32_t noted_ = 0;

    Port& port_;  ///< by which it asks for a connection
    std::uint64_t peer_ = 0;
    Duration own_patience_;                          ///< with a peer that posts no receive
    Duration peers_patience_ = Duration::forever();  ///< with us
    Time starving_until_ = Time::never();
    struct Asking {
        NicName to;
        bool as_peer = false;
        bool answers = false;  ///< what the peer asked; waits for its `ready`
        bool has_waited = false;
        std::uint64_t target = 0;
        fabric::PrivateData data;
        Time deadline = Time::never();
        Time yields_until = Time::never();  ///< our ask lost; theirs is to come
        Ask ask;
    };
    std::unique_ptr<Asking> asking_;
    std::optional<Ask> peers_ask_;  ///< that lost against ours, and may still come
};

}  // namespace railyard::ofi
