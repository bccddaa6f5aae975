#pragma once
/// Messages over channels: eager for small ones, rendezvous for large ones, matching in this
/// library. Spread over files by concern: channel_transport.cpp (life), sending.cpp
/// (messages out), gathering.cpp (several at once), arrival.cpp (looking for packets, messages in),
/// rendezvous.cpp (large messages), unasked.cpp (not so large ones).

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi/engine/connector.hpp"
#include "mpi/engine/matcher.hpp"
#include "mpi/engine/route.hpp"
#include "mpi/engine/transport.hpp"
#include "mpi/engine/unexpected_store.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

class ChannelTransport final : public Transport {
  public:
    explicit ChannelTransport(const Ground& ground);

    bool send_now(const std::byte* data, std::size_t n, int peer, const Envelope& envelope,
                  Haste haste) override;
    void complete_when_gone(Request& send) override { gone_soon_.push_back(&send); }
    void start_send(Request& send) override;
    void start_receive(Request& receive) override;
    bool cancel(Request& receive) override;
    std::optional<Status> probe(const Envelope& wanted, Communicator& comm) override;
    bool take(const Envelope& wanted, Communicator& comm, Message& message) override;
    void start_receive(Request& receive, Message& message) override;
    void wake(int peer) override {
        if (Channel* channel = connector_.find(peer)) channel->rails[0]->nudge();
    }
    void look() override;
    void progress() override;
    bool is_drained() const override;
    std::uint64_t used_connections() const override;

  private:
    using Payload = std::span<const std::byte>;

    // channel_transport.cpp
    void connect_at_start();
    bool drain_ring(Channel& channel);
    void take_completions(Route& route);
    void on_completion(const fabric::Completion& completion);
    void count_credits(Channel& channel, const Header& header);
    /// Whether a peer that sends mail may run out of credits if it is not told.
    bool owes_credits(const Channel& channel) const {
        return channel.mail_freed >= channel.route.settings.mail_credits / 2;
    }
    void advance_busy();
    void set_busy(Channel& channel);
    [[noreturn]] void lost(const Channel& channel, railyard::Status status);

    // sending.cpp
    bool push(Channel& channel, Request& send);
    bool push_eager(Channel& channel, Request& send);
    bool push_straight(Channel& channel, Request& send);
    void count_eager(std::size_t bytes) {
        ++ground_.counters.eager_sent;
        ground_.counters.bytes_sent += bytes;
    }
    bool advance(Channel& channel);
    bool advance_messages(Channel& channel);
    void send_control(Channel& channel, const Header& header, Payload first, Payload second = {});
    void send_to_self(Request& send);

    // gathering.cpp
    bool gather(Channel& channel, const Header& header, const std::byte* data);
    void end_bursts();

    // arrival.cpp
    void on_packet(Channel& channel, const Header& header, const std::byte* payload);
    void on_message(Channel& channel, const Header& header, Payload payload);
    void keep(Channel* channel, const Header& header, Payload payload, Request* own_send);
    void hold_if_much_waits(Channel& channel);
    void release(Unexpected& message);
    void deliver(Request& receive, Unexpected& message);
    void finish_eager(Request& receive, const Header& header, Payload payload);
    void copy_from_self(Request& receive, Request& send);
    static std::uint64_t announce(Request& receive, const Header& header, std::uint64_t total);

    // unasked.cpp
    static std::size_t follower_size(const Channel& channel) {
        return channel.route.settings.piece.count() / 2;
    }
    bool may_leave_whole(Channel& channel, const Request& send) const;
    void push_followers(Channel& channel, Request& send);
    void on_follower(Channel& channel, Payload payload);

    // rendezvous.cpp
    bool push_offer(Channel& channel, Request& send);
    void accept(Request& receive, Channel& channel, const Header& header, Payload payload);
    void on_acceptance(Channel& channel, Payload payload);
    bool push_piece(Channel& channel);
    void on_piece(const Header& header, const std::byte* payload);
    template <class Finish>
    void move(Request& request, const RemotePlace& place, Finish&& finish);
    void begin_move(Request& request, const RemotePlace& place);
    void end_move(Channel& channel);
    void read(Request& receive, const RemotePlace& place);
    void write(Request& send, const RemotePlace& place);
    void on_moved(Request& request);
    void on_placed(Request& receive);
    void tell_placed(Request& send, int immediates);
    void tell_fetched(Channel& channel, std::uint32_t sender_request);
    void finish_receive(Request& receive);
    void consider_rails(Channel& channel, std::uint64_t bytes);
    void post_bulk(Channel& channel, std::size_t rail, const fabric::WorkRequest& work);
    std::byte* make_dense(Request& request);
    std::byte* make_reachable(Request& request, std::size_t length);
    RemotePlace expose(Request& request, std::size_t length);

    Ground ground_;
    Routes routes_;
    UnexpectedStore store_;
    std::unique_ptr<Matcher> matcher_;
    /// Of take_completions(): to make it anew for every look would cost as much as the look.
    std::array<fabric::Completion, 16> batch_;
    std::vector<Channel*> busy_;
    std::vector<Channel*> bursts_;     ///< to which messages were started since the last look
    std::vector<Request*> gone_soon_;  ///< of messages that are held back, or near enough
    Connector connector_;              // last: queue pairs go before what they use
};

}  // namespace railyard::mpi
