// A queue pair's way from idle to connected. As client it makes an attempt; as server it answers a
// request; as peer it does whichever comes first, and where both ask at once SimultaneousOpen says
// whose ask counts.
//
// Who dialled is connected when the reply is there, and says so by MPA's ready-to-receive message;
// who answered is connected when that has come. So one who gave up in between leaves nobody behind
// who believes in a connection.

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"

namespace railyard::iwarp {

using fabric::ConnectionState;
using fabric::PrivateData;

namespace {

// How long one whose ask was refused waits for the ask that is said to be on its way.
constexpr Duration yielding = Duration::ms(50);
// Frames to Nics of ours, which need not fit a TCP segment. With a CRC, shorter ones: the first is
// checked while the next is under way. A packet of its own costs as much as 30 KiB of CRC.
constexpr std::size_t frame_with_crc = 44 << 10;

Duration patience_of(const Hello& hello) {
    constexpr std::uint32_t longest_ms = 24 * 3600 * 1000;  // the number is anybody's
    if (hello.patience_ms == 0) return Duration::forever();
    return Duration::ms(std::min(hello.patience_ms, longest_ms));
}

}  // namespace

Status QueuePair::connect(const fabric::Address& to, fabric::Service service,
                          const PrivateData& data, Time deadline) {
    const auto guard = nic_.guard();
    if (const Status status = may_connect(); !status.ok()) return status;
    begin_asking(NicName::from_address(to).value_or(NicName{}), false, service, data, deadline);
    start_attempt();
    return Code::ok;
}

Status QueuePair::connect_peer(const fabric::Address& to, fabric::Discriminator discriminator,
                               const PrivateData& data, Time deadline) {
    const auto guard = nic_.guard();
    if (const Status status = may_connect(); !status.ok()) return status;
    nic_.progress_once();  // their request may have come
    begin_asking(NicName::from_address(to).value_or(NicName{}), true, discriminator, data,
                 deadline);
    start_over();
    return Code::ok;
}

Status QueuePair::accept(fabric::ConnectionRequest& request, const PrivateData& data) {
    const auto guard = nic_.guard();
    if (const Status status = may_connect(); !status.ok()) return status;
    auto* const incoming = dynamic_cast<IncomingRequest*>(&request);
    if (incoming == nullptr || &incoming->nic() != &nic_) return Code::invalid;
    const auto& connection = incoming->connection();
    if (!connection->stands()) return Code::timed_out;  // the client has withdrawn
    begin_asking(connection->from(), false, connection->hello() ? connection->hello()->target : 0,
                 data, nic_.host().now() + nic_.settings().handshake);
    asking_->plain = !connection->hello();
    answer(connection);
    return Code::ok;
}

void QueuePair::begin_asking(const NicName& to, bool as_peer, std::uint64_t target,
                             const PrivateData& data, Time deadline) {
    asking_ = std::make_unique<Asking>();
    asking_->to = to;
    asking_->as_peer = as_peer;
    asking_->plain = to.is_plain();
    asking_->target = target;
    asking_->data = data;
    asking_->deadline = deadline;
    state_ = ConnectionState::connecting;
    reason_ = Code::ok;
    peer_data_ = {};
    nic_.set_connecting(*this);
    nic_.watch_time(*this);
}

/// A new attempt of a peer's, until its time is up. One who answered a client's request has no
/// second.
void QueuePair::start_over() {
    if (!asking_->as_peer) return connection_failed(Code::timed_out);
    asking_->attempt.reset();
    asking_->yields_until = Time::never();
    asking_->both_ask.emplace(Ask{nic_.name().id, random_word()});
    SimultaneousOpen& both_ask = *asking_->both_ask;
    while (const auto connection =
               nic_.connection_requests().find_peer(asking_->to.id, asking_->target)) {
        both_ask.asked(connection->hello()->ask);
        if (both_ask.want() == SimultaneousOpen::Step::accept_theirs && answer(connection)) return;
    }
    both_ask.want();
    start_attempt();
}

/// Nothing for peers that are not ours.
std::optional<Hello> QueuePair::hello() const {
    if (asking_->plain) return {};
    Hello hello;
    hello.kind = asking_->as_peer ? Hello::Kind::peer : Hello::Kind::client;
    hello.port = nic_.name().at.port;
    hello.target = asking_->target;
    hello.ask.nic = nic_.name().id;
    if (asking_->both_ask) hello.ask = asking_->both_ask->ours();
    hello.key = asking_->to.key();
    if (own_patience_ != Duration::forever()) {
        const std::int64_t ms = own_patience_.picoseconds() / Duration::ms(1).picoseconds();
        hello.patience_ms = static_cast<std::uint32_t>(std::clamp<std::int64_t>(ms, 1, 0xffffffff));
    }
    return hello;
}

void QueuePair::start_attempt() {
    // Only Nics of ours know how two that ask at once become one.
    if (asking_->as_peer && asking_->plain) return attempt_failed();
    Descriptor socket = begin_connect(nic_.name().at, asking_->to.at);
    if (!socket) {
        if (errno != ECONNREFUSED)
            log_error("iwarp: cannot connect to {}: {}{}", asking_->to.at.text(),
                      std::strerror(errno),
                      errno == ENETUNREACH ? "; is the network up (ip link set lo up)?" : "");
        return attempt_failed();
    }
    set_options(socket.get(), nic_.settings().patience);
    const int number = socket.get();
    mpa::Wishes wishes = nic_.wishes();
    wishes.revision = asking_->revision;
    asking_->attempt = std::make_unique<ConnectAttempt>(nic_, *this, std::move(socket), wishes,
                                                        private_data(hello(), asking_->data));
    if (!nic_.events().add_edge(number, *asking_->attempt)) return attempt_failed();
    asking_->attempt->advance();
}

void QueuePair::attempt_failed() {
    const std::unique_ptr<ConnectAttempt> failed = std::move(asking_->attempt);
    if (failed && asking_->plain && asking_->revision > 1 && failed->may_speak_revision_1()) {
        asking_->revision = 1;
        return start_attempt();
    }
    if (failed && failed->initiator().terminate()) say_why(*failed);
    connection_failed(Code::refused);
}

/// The peer has agreed to something that we cannot do. It believes in a connection, so it learns by
/// a Terminate that there is none.
void QueuePair::say_why(ConnectAttempt& failed) {
    const mpa::Initiator& initiator = failed.initiator();
    Descriptor socket = failed.take_socket();
    const Stream::Settings settings = stream_settings(initiator.agreement(), socket.get());
    auto link = std::make_unique<Link>(nic_, *this, std::move(socket), settings,
                                       std::span<const std::byte>());
    link->stream().terminate(terminate(*initiator.terminate()));
    nic_.linger(std::move(link), false);
}

void QueuePair::attempt_rejected() {
    const mpa::StartupFrame& reply = asking_->attempt->initiator().reply();
    const auto theirs = Hello::read_from(reply.private_data());
    if (asking_->as_peer && theirs && theirs->refusal == Hello::Refusal::collision) {
        asking_->both_ask->refused(theirs->refusal);
        asking_->attempt.reset();
        asking_->yields_until = nic_.host().now() + yielding;
        return;
    }
    peer_data_ = users_part(reply);
    connection_failed(Code::refused);
}

void QueuePair::attempt_agreed() {
    const std::unique_ptr<ConnectAttempt> attempt = std::move(asking_->attempt);
    const mpa::Initiator& initiator = attempt->initiator();
    peer_data_ = users_part(initiator.reply());
    const auto theirs = Hello::read_from(initiator.reply().private_data());
    set_peer(theirs);
    if (asking_->as_peer) {
        asking_->both_ask->accepted();
        if (theirs) peers_ask_ = theirs->ask;
        if (peers_ask_) nic_.connection_requests().expect_loser(*peers_ask_);
    }
    Descriptor socket = attempt->take_socket();
    const Stream::Settings settings = stream_settings(initiator.agreement(), socket.get());
    link_ = std::make_unique<Link>(nic_, *this, std::move(socket), settings,
                                   std::span<const std::byte>());
    Stream& stream = link_->stream();
    stream.outbox().lend(nic_.take_storage());
    stream.pump();
    switch (initiator.agreement().rtr) {
        case mpa::Rtr::none:
            break;
        case mpa::Rtr::write:
            stream.begin(write_message(0, 0, {}, 0));
            break;
        case mpa::Rtr::read:
            stream.begin_request(read_message({.sink_stag = next_number_}),
                                 {.sink_stag = next_number_, .cookie = 1});
            ++next_number_;
            break;
        case mpa::Rtr::send:
            stream.begin(send_message({}, 0));
            break;
    }
    connected();
    link_->push();
    // What came in together with the reply was announced once, to the attempt.
    if (link_) nic_.come_back_to(*link_);
}

bool QueuePair::waits_for(const NicId& from, fabric::Discriminator discriminator,
                          const Ask& theirs) const {
    return is_connecting() && asking_->as_peer && asking_->both_ask && !link_ &&
           asking_->to.id == from && asking_->target == discriminator &&
           asking_->both_ask->ours() != theirs;
}

void QueuePair::meet(const std::shared_ptr<IncomingConnection>& theirs) {
    switch (asking_->both_ask->asked(theirs->hello()->ask)) {
        case SimultaneousOpen::Step::accept_theirs:
            asking_->attempt.reset();
            answer(theirs);
            break;
        case SimultaneousOpen::Step::refuse_theirs:
            theirs->refuse(Hello::Refusal::collision);
            break;
        default:
            break;
    }
}

/// Accepts. False if the other side has gone.
bool QueuePair::answer(const std::shared_ptr<IncomingConnection>& connection) {
    if (!connection->stands()) return false;
    peer_data_ = connection->users_data();
    set_peer(connection->hello());
    const mpa::Agreement& agreement =
        connection->accept(nic_.wishes(), private_data(hello(), asking_->data));
    Descriptor socket = connection->take_socket();
    Stream::Settings settings = stream_settings(agreement, socket.get());
    settings.speaks_second = true;
    link_ = std::make_unique<Link>(nic_, *this, std::move(socket), settings, connection->reply());
    link_->push();
    if (link_ && agreement.rtr == mpa::Rtr::none) connected();
    if (link_) nic_.come_back_to(*link_);
    return true;
}

void QueuePair::set_peer(const std::optional<Hello>& theirs) {
    peer_ = asking_->to.id;
    peer_is_ours_ = theirs.has_value();
    peers_patience_ = theirs ? patience_of(*theirs) : Duration::forever();
}

Stream::Settings QueuePair::stream_settings(const mpa::Agreement& agreement, int socket) const {
    Stream::Settings settings;
    settings.in = agreement.in;
    settings.out = agreement.out;
    settings.receiver.asker = {Nic::domain, nic_.next_stream()};
    settings.receiver.ird = agreement.ird;
    settings.receiver.ord = agreement.ord;
    settings.watched = nic_.threaded();
    settings.receiver.immediate_with_send = peer_is_ours_;
    const std::size_t wished = nic_.settings().frame.count();
    if (!peer_is_ours_)
        settings.ulpdu = mpa::ulpdu_for_segment(segment_size(socket), agreement.out.markers);
    else if (wished != 0)
        settings.ulpdu = wished;
    else
        settings.ulpdu = agreement.out.crc ? frame_with_crc : mpa::most_ulpdu;
    return settings;
}

void QueuePair::connected() {
    state_ = ConnectionState::connected;
    reason_ = Code::ok;
    asking_.reset();
    nic_.forget_connecting(*this);
    nic_.has_news();
}

void QueuePair::stop_asking() {
    asking_.reset();
    nic_.forget_connecting(*this);
}

void QueuePair::connection_failed(Code code) {
    state_ = ConnectionState::failed;
    reason_ = code;
    stop_asking();
    if (link_) nic_.linger(std::move(link_), true);
    nic_.has_news();
}

bool QueuePair::tick(Time now) {
    if (is_connecting()) {
        if (now >= asking_->deadline) {
            connection_failed(Code::timed_out);
            return true;
        }
        if (now >= asking_->yields_until) start_over();  // theirs did not come: we ask again
        return false;
    }
    if (now < starving_until_) return false;
    starving_until_ = Time::never();
    log_debug("iwarp: a message waited for a receive for longer than its sender allows");
    fail(Code::remote_closed, Code::remote_closed, terminate(ddp::UntaggedError::no_buffer));
    return true;
}

Time QueuePair::next_timer() const {
    if (is_connecting()) return std::min(asking_->deadline, asking_->yields_until);
    return starving_until_;
}

}  // namespace railyard::iwarp
