// Messages through a port whose adapter matches (Quadrics' Tports, MX): one port serves all peers,
// this rank included, with its own protocols and registration. Here envelopes become match bits,
// and data with gaps are packed. Buffers are the port's until it completes their ids.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <unordered_map>
#include <vector>

#include "mpi/engine/communicator.hpp"
#include "mpi/engine/transport.hpp"
#include "mpi/types/error.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

namespace {

using fabric::MatchBits;
using fabric::TaggedPeer;

// Match bits: 16 of the context, 18 of the sender's rank in the communicator, 30 of the tag. When
// messages are checked, of the sender's 18 those that no rank of the job needs are a number that
// travels with the message.
constexpr int tag_bits = 30;
constexpr int source_bits = 18;
constexpr MatchBits tag_mask = (MatchBits{1} << tag_bits) - 1;
constexpr MatchBits all_source_mask = (MatchBits{1} << source_bits) - 1;
static_assert(max_tag == tag_mask);

/// The id of sends whose requests were complete when they were posted.
constexpr std::uint64_t untracked = ~std::uint64_t{0};

class TaggedTransport final : public Transport {
  public:
    explicit TaggedTransport(const EngineState& engine)
        : engine_(engine), nic_(engine.rank.nic()), port_(*nic_.tagged_port()) {
        if (engine_.settings.registration_cache == Bytes(0)) port_.keep_registrations(false);
        if (engine_.settings.check)
            piggyback_at_ = std::min(
                source_bits,
                static_cast<int>(std::bit_width(static_cast<unsigned>(engine.rank.size()))));
        publish_address(engine_.rank, address_key, nic_.address());
    }

    bool send_now(const std::byte*, std::size_t, int, const Envelope&, Coalescing,
                  Content) override {
        return false;  // the port's until it says so
    }
    void start_send(Request& send) override;
    void start_receive(Request& receive) override;
    bool cancel(Request& request) override;
    std::optional<Status> probe(const Envelope& wanted, Communicator& comm) override;
    bool matched_probe(const Envelope& wanted, Communicator& comm, Message& message) override;
    void start_receive(Request& receive, Message& message) override;
    void poll() override {}
    void progress() override;
    std::uint32_t piggyback_limit() const override {
        return std::uint32_t{1} << std::min(source_bits - piggyback_at_, 16);
    }
    bool is_drained() const override { return sends_ == 0 && backlog_.empty(); }

  private:
    MatchBits source_mask() const { return (MatchBits{1} << piggyback_at_) - 1; }
    MatchBits bits_of(const Envelope& envelope) const;
    MatchBits mask_of(const Envelope& wanted) const;
    TaggedPeer peer(int world_rank);
    TaggedPeer source(const Envelope& wanted, Communicator& comm) {
        return wanted.source == any_source ? fabric::any_peer
                                           : peer(comm.world_rank(wanted.source));
    }
    bool post(Request& request);
    void on_completion(const fabric::TaggedCompletion& completion);
    [[noreturn]] void throw_lost(TaggedPeer peer) const;
    void finish_send(Request& send, bool cancelled);
    bool cancel_receive(Request& receive);
    void finish_receive(Request& receive, const fabric::TaggedCompletion& completion);
    Status status_of(const fabric::TaggedCompletion& found) const;
    static void set_result(Request& receive, const Status& message, std::uint16_t piggyback) {
        receive.result = message;
        receive.piggyback = piggyback;
        if (message.bytes <= receive.bytes) return;
        receive.longer = message.bytes;
        receive.result.bytes = receive.bytes;
        receive.result.error = ErrorClass::truncate;
    }
    std::byte* dense(Request& request) {
        return request.packed ? request.packed.get() : request.data;
    }

    EngineState engine_;
    fabric::Nic& nic_;
    fabric::TaggedPort& port_;
    std::unordered_map<int, TaggedPeer> peers_;  // never walked: its order is nobody's
    std::deque<Request*> backlog_;               ///< for which the port had no room, in order
    std::size_t sends_ = 0;                      ///< that the port has
    int piggyback_at_ = source_bits;             ///< where it begins in the source's bits
};

MatchBits TaggedTransport::bits_of(const Envelope& envelope) const {
    const MatchBits tag = envelope.tag == any_tag ? 0 : static_cast<MatchBits>(envelope.tag);
    const MatchBits source =
        envelope.source == any_source ? 0 : static_cast<MatchBits>(envelope.source);
    const MatchBits piggyback = MatchBits{envelope.piggyback} << piggyback_at_ & all_source_mask;
    return MatchBits{envelope.context} << (tag_bits + source_bits) |
           (piggyback | source) << tag_bits | tag;
}

MatchBits TaggedTransport::mask_of(const Envelope& wanted) const {
    MatchBits mask = ~((all_source_mask & ~source_mask()) << tag_bits);
    if (wanted.tag == any_tag) mask &= ~tag_mask;
    if (wanted.source == any_source) mask &= ~(source_mask() << tag_bits);
    return mask;
}

TaggedPeer TaggedTransport::peer(int world_rank) {
    if (const auto found = peers_.find(world_rank); found != peers_.end()) return found->second;
    const TaggedPeer peer = port_.peer(address_of(engine_.rank, world_rank, address_key));
    peers_.emplace(world_rank, peer);
    ++engine_.counters.channels;
    return peer;
}

bool TaggedTransport::post(Request& request) {
    railyard::Status status;
    if (request.kind == Request::Kind::send) {
        fabric::TaggedSend send;
        const bool taken =
            request.mode != Mode::synchronous && Bytes(request.bytes) <= port_.taken_at_once();
        send.id = taken ? untracked : request.index();
        send.to = peer(request.peer);
        send.bits = bits_of(request.envelope);
        send.data = {dense(request), request.bytes};
        send.synchronous = request.mode == Mode::synchronous;
        send.scratch = request.packed || !is_users(request.envelope);
        status = port_.send(send);
        if (taken && status.ok()) engine_.complete(request);
    } else {
        fabric::TaggedReceive receive;
        receive.id = request.index();
        receive.from = source(request.envelope, *request.communicator);
        receive.bits = bits_of(request.envelope);
        receive.mask = mask_of(request.envelope);
        receive.buffer = {dense(request), request.bytes};
        receive.scratch = request.packed || !is_users(request.envelope);
        status = port_.receive(receive);
    }
    if (status.failed())
        throw MpiError(ErrorClass::other,
                       fmt::format("the adapter refuses a message: {}", status.name()));
    return status.ok();
}

void TaggedTransport::start_send(Request& send) {
    engine_.overhead.request();
    engine_.overhead.send();
    engine_.pack(send);
    ++sends_;
    ++engine_.counters.tagged_sent;
    engine_.counters.tagged_bytes += send.bytes;
    engine_.counters.bytes_sent += send.bytes;
    if (!backlog_.empty() || !post(send)) {
        ++engine_.counters.queued_sends;
        backlog_.push_back(&send);
    }
    engine_.overhead.sent();
}

void TaggedTransport::start_receive(Request& receive) {
    engine_.overhead.request();
    engine_.overhead.start_receive();
    engine_.pack(receive);
    if (backlog_.empty() && post(receive)) return;
    backlog_.push_back(&receive);
}

void TaggedTransport::progress() {
    std::array<fabric::TaggedCompletion, 16> batch;
    for (;;) {
        const std::size_t n = port_.poll(batch);
        for (std::size_t i = 0; i < n; ++i)
            on_completion(batch[i]);
        if (n < batch.size()) break;
    }
    while (!backlog_.empty() && post(*backlog_.front()))
        backlog_.pop_front();
}

void TaggedTransport::throw_lost(TaggedPeer lost_peer) const {
    // A peer that only ever sent to us has no rank here.
    for (int rank = 0; rank < engine_.rank.size(); ++rank)
        if (const auto found = peers_.find(rank);
            found != peers_.end() && found->second == lost_peer)
            throw PeerLost(fmt::format("cannot reach rank {}: its adapter does not answer", rank));
    throw PeerLost("cannot reach a rank: its adapter does not answer");
}

void TaggedTransport::on_completion(const fabric::TaggedCompletion& completion) {
    if (completion.status.code() == Code::timed_out) throw_lost(completion.peer);
    if (completion.id == untracked) {
        --sends_;
        return;
    }
    Request& request = engine_.requests.at(static_cast<std::uint32_t>(completion.id));
    if (!completion.receive) return finish_send(request, completion.cancelled);
    if (completion.cancelled) return;  // cancel() has seen to it
    finish_receive(request, completion);
}

void TaggedTransport::finish_send(Request& send, bool cancelled) {
    --sends_;
    send.result.cancelled = cancelled;
    send.cancelling = 0;
    engine_.complete(send);
}

Status TaggedTransport::status_of(const fabric::TaggedCompletion& found) const {
    Status status;
    status.source = static_cast<int>(found.bits >> tag_bits & source_mask());
    status.tag = static_cast<int>(found.bits & tag_mask);
    status.bytes = found.length.count();
    return status;
}

void TaggedTransport::finish_receive(Request& receive, const fabric::TaggedCompletion& completion) {
    engine_.overhead.receive();
    set_result(receive, status_of(completion),
               static_cast<std::uint16_t>((completion.bits >> tag_bits & all_source_mask) >>
                                          piggyback_at_));
    if (receive.packed && receive.type != nullptr) {
        receive.write_data(0, receive.packed.get(), receive.result.bytes);
        engine_.overhead.copy_in(receive.users(0), receive.result.bytes);
    }
    engine_.complete(receive);
}

bool TaggedTransport::cancel(Request& request) {
    const bool is_send = request.kind == Request::Kind::send;
    if (const auto found = std::find(backlog_.begin(), backlog_.end(), &request);
        found != backlog_.end()) {
        backlog_.erase(found);
        if (is_send) --sends_;
        return true;
    }
    if (!is_send) return cancel_receive(request);
    request.needs_cleanup = true;
    request.cancelling = 1;
    port_.cancel_send(request.index());
    return false;
}

bool TaggedTransport::cancel_receive(Request& receive) {
    if (!port_.cancel(receive.index())) return false;
    // The port names it once more when it is polled: until then its place is not free.
    bool gone = false;
    while (!gone) {
        fabric::TaggedCompletion completion;
        if (port_.poll(std::span(&completion, 1)) == 0) {
            const auto ticket = engine_.host.prepare_wait();
            engine_.host.wait(ticket, Time::never(), fabric::Wait::spin_then_sleep);
        } else if (completion.cancelled && completion.id == receive.index()) {
            gone = true;
        } else {
            on_completion(completion);
        }
    }
    return true;
}

std::optional<Status> TaggedTransport::probe(const Envelope& wanted, Communicator& comm) {
    const auto found = port_.probe(source(wanted, comm), bits_of(wanted), mask_of(wanted));
    if (!found) return std::nullopt;
    return status_of(*found);
}

bool TaggedTransport::matched_probe(const Envelope& wanted, Communicator& comm, Message& message) {
    const auto found = probe(wanted, comm);
    if (!found) return false;
    // A receive for exactly this message takes it out: it is the first that matches.
    Request& receive = engine_.requests.take();
    receive.kind = Request::Kind::receive;
    receive.communicator = &comm;
    receive.envelope = {wanted.context, found->source, found->tag};
    receive.needs_cleanup = true;
    receive.packed = std::make_unique_for_overwrite<std::byte[]>(found->bytes);
    receive.data = receive.packed.get();
    receive.bytes = found->bytes;
    receive.type = nullptr;
    if (!post(receive)) backlog_.push_back(&receive);
    message.status = *found;
    message.taken = &receive;
    return true;
}

void TaggedTransport::start_receive(Request& receive, Message& message) {
    Request& taken = *message.taken;
    // Waits rather than chains: the message has been announced, so its bytes are on their way.
    engine_.host.wait_until([&] {
        progress();
        return taken.complete;
    });
    set_result(receive, taken.result, taken.piggyback);
    receive.write_data(0, taken.data, receive.result.bytes);
    engine_.requests.give_back(taken);
    engine_.complete(receive);
}

}  // namespace

std::unique_ptr<Transport> make_tagged_transport(const EngineState& engine) {
    return std::make_unique<TaggedTransport>(engine);
}

}  // namespace railyard::mpi
