#pragma once
/// Messages over channels: eager for small ones, rendezvous for large ones, matching in this
/// library. Spread over files by concern: channel_transport.cpp (progress), channel_send.cpp
/// (messages out, coalescing), channel_receive.cpp (packets in, unexpected messages),
/// rendezvous.cpp (RTS and CTS, data in segments), rdma.cpp (zero-copy, one-sided), cancel.cpp
/// (what is taken back), closing.cpp (connections that make place for others).

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi/engine/connector.hpp"
#include "mpi/engine/matcher.hpp"
#include "mpi/engine/netmod.hpp"
#include "mpi/engine/transport.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

class ChannelTransport final : public Transport {
  public:
    explicit ChannelTransport(const EngineState& engine);

    bool send_now(const std::byte* data, std::size_t n, int peer, const Envelope& envelope,
                  Coalescing coalescing, Content content) override;
    void complete_when_flushed(Request& send) override { complete_at_flush_.push_back(&send); }
    void start_send(Request& send) override;
    void start_receive(Request& receive) override;
    bool cancel(Request& request) override;
    std::optional<Status> probe(const Envelope& wanted, Communicator& comm) override;
    bool matched_probe(const Envelope& wanted, Communicator& comm, Message& message) override;
    void start_receive(Request& receive, Message& message) override;
    std::shared_ptr<CachedRegion> register_memory(std::span<std::byte> memory, bool kept) override;
    void start_access(Request& request) override;
    bool access_now(fabric::Op op, const fabric::RemoteSlice& remote, std::span<std::byte> local,
                    int peer) override;
    bool is_connected(int peer) override;
    bool wake(int peer) override {
        Channel* const channel = connector_.find(peer);
        if (channel == nullptr || channel->rails.empty()) return false;
        channel->rails[0]->nudge();
        return true;
    }
    void poll() override;
    void progress() override;
    void answer_requests() override { connector_.answer_requests(); }
    bool is_drained() const override;
    void close() override { connector_.close_all(); }
    std::uint64_t used_connections() const override;

  private:
    using Payload = std::span<const std::byte>;

    // channel_transport.cpp
    void connect_at_start();
    void drain_ring(Channel& channel);
    void take_completions(Netmod& netmod);
    void on_completion(const fabric::Completion& completion);
    void count_credits(Channel& channel, const Header& header);
    /// Whether a peer without rings may run out of credits if it is not told.
    bool owes_credits(const Channel& channel) const {
        return channel.owed_credits >= channel.netmod.settings.credits / 2;
    }
    void advance_busy();
    void set_busy(Channel& channel);
    /// What can only end over this channel ends now, with an error. Then throws why.
    [[noreturn]] void throw_lost(Channel& channel, railyard::Status status);
    void fail_requests(Channel& channel);

    // channel_send.cpp: each push returns false if there is no room now
    static Header header_for(const Envelope& envelope, PacketKind kind, std::size_t length) {
        return {.context = context_and_piggyback(envelope),
                .source = envelope.source,
                .tag = envelope.tag,
                .length = static_cast<std::uint32_t>(length),
                .freed = 0,
                .kind = kind,
                .advice = Way::stream};
    }
    bool push(Channel& channel, Request& send);
    bool push_eager(Channel& channel, Request& send);
    /// There is room. The request is complete when the message has left; until then the buffer is
    /// the adapter's.
    bool push_zero_copy(Channel& channel, Request& send);
    void count_eager(std::size_t bytes) {
        ++engine_.counters.eager_sent;
        engine_.counters.bytes_sent += bytes;
    }
    /// True once the channel has nothing left to do.
    bool advance(Channel& channel);
    bool advance_messages(Channel& channel);
    /// Copies the payload now; it stays the caller's.
    void send_control(Channel& channel, const Header& header, Payload first, Payload second = {});
    void send_to_self(Request& send);

    /// Copies the message; the buffer stays the caller's.
    bool coalesce(Channel& channel, const Header& header, const std::byte* data, Content content);
    void put_copied(Channel& channel, const Header& header, const std::byte* data, Content content);
    void flush_bursts();

    // channel_receive.cpp: payloads lie in a ring or a buffer, which is given back on return
    void on_packet(Channel& channel, const Header& header, const std::byte* payload);
    void on_message(Channel& channel, const Header& header, Payload payload);
    /// A message of that source is wanted: asks for connections, where receives do.
    void connect_to_source(int source, const Communicator& comm);
    /// Copies the payload. `own_send`: of this rank to itself; the data stay in its buffer.
    void add_unexpected(Channel* channel, const Header& header, Payload payload, Request* own_send);
    /// Tells the peer to send nothing eager if too much of it waits.
    void limit_unexpected(Channel& channel);
    void release(Unexpected& message);
    void deliver(Request& receive, Unexpected& message);
    void finish_eager(Request& receive, const Header& header, Payload payload);
    void copy_from_self(Request& receive, Request& send);
    /// Fills in the receive's status. Returns how many bytes of the message fit.
    static std::uint64_t set_result(Request& receive, const Header& header, std::uint64_t total);

    // rendezvous.cpp
    bool push_rts(Channel& channel, Request& send);
    /// An RTS has found its receive.
    void on_rts(Request& receive, Channel& channel, const Header& header, Payload payload);
    void on_cts(Channel& channel, Way advice, Payload payload);
    void on_read_fin(Channel& channel, const Header& header);
    Way bulk_way(const Channel& channel, const Request& send) const;
    /// Of a receive whose data come after the match: for BulkChoice.
    void begin_bulk(Request& receive);
    void end_bulk(Request& receive);
    bool push_segment(Channel& channel);
    void on_segment(const Header& header, const std::byte* payload);
    static std::size_t eager_segment_size(const Channel& channel) {
        return channel.netmod.settings.segment_size.count() / 2;
    }
    bool fits_segmented_eager(Channel& channel, const Request& send) const;
    /// What the RTS left over. There is room.
    void push_eager_segments(Channel& channel, Request& send);
    void on_eager_segment(Channel& channel, Payload payload);

    // cancel.cpp
    bool cancel_to_self(Request& send);
    void on_cancel(Channel& channel, const Header& header);
    void on_cancel_answer(Channel& channel, const Header& header);
    /// Takes out the first unexpected message that is such; false: there is none.
    template <class Such>
    bool drop_unexpected(Such&& such);

    // closing.cpp
    void advance_closing();
    void begin_closing(Channel& channel);
    /// True once the connection is no more.
    bool advance_closing(Channel& channel);
    /// True once the peer of a channel that is being closed has the credits that it may wait for.
    bool advance_credits(Channel& channel);
    void on_close(Channel& channel);
    void on_close_answer(Channel& channel);

    // Zero-copy: buffers are the users', and the adapter's until their requests are complete
    template <class Complete>
    void start_rdma(Request& request, const RemoteBuffer& remote, Complete&& complete);
    void begin_rdma(Request& request, const RemoteBuffer& remote);
    void end_rdma(Channel& channel);
    static bool may_start_rdma(const Channel& channel) {
        return channel.state == ChannelState::connected &&
               channel.rdma_active < channel.netmod.settings.bulk_depth;
    }
    void start_waiting_rdma(Channel& channel);
    void read(Request& receive, const RemoteBuffer& remote);
    void write(Request& send, const RemoteBuffer& remote);
    void access(Request& request, const RemoteBuffer& remote);
    void on_rdma_done(Request& request);
    void finish_if_written(Request& receive);
    void send_write_fin(Request& send, int immediates);
    void send_read_fin(Channel& channel, std::uint32_t sender_request, Way advice = Way::stream);
    void finish_receive(Request& receive);
    void add_rails_for(Channel& channel, std::uint64_t bytes);
    void post_rdma(Channel& channel, std::size_t rail, const fabric::WorkRequest& work);
    std::byte* register_data(Request& request, std::size_t length);
    RemoteBuffer export_data(Request& request, std::size_t length);

    EngineState engine_;
    Netmods netmods_;
    UnexpectedPool unexpected_;
    std::unique_ptr<Matcher> matcher_;
    /// Of take_completions(): to make it anew would cost as much as the poll.
    std::array<fabric::Completion, 16> batch_;
    std::vector<Channel*> busy_;
    std::vector<Channel*> closing_;
    std::vector<Channel*> bursts_;  ///< channels with messages started since the last poll
    std::vector<Request*> complete_at_flush_;  ///< sends that may have been coalesced
    const bool receives_connect_;              ///< some of them, at least
    Connector connector_;                      // last: queue pairs go before what they use
};

}  // namespace railyard::mpi
