// A queue pair's way from idle to connected. As client it makes an attempt; as server it answers a
// request; as peer it does whichever comes first, and where both ask at once the lesser ask counts.

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queue_pair.hpp"

namespace railyard::ofi {

using fabric::ConnectionState;
using fabric::PrivateData;

namespace {

// How long one whose ask was refused waits for the ask that is said to be on its way.
constexpr Duration yielding = Duration::ms(50);
// How long one of two peers waits for the other to dial first.
constexpr Duration giving_way = Duration::ms(1);
// How long a server waits for its client to be ready.
constexpr Duration getting_ready = Duration::s(5);

std::uint64_t any_number() {
    std::random_device source;
    return std::uint64_t{source()} << 32 | source();
}

Duration patience_of(const Hello& hello) {
    return hello.patience_ms == 0 ? Duration::forever() : Duration::ms(hello.patience_ms);
}

}  // namespace

Status QueuePair::connect(const fabric::Address& to, fabric::Service service,
                          const PrivateData& data, Time deadline) {
    if (const Status status = may_connect(); !status.ok()) return status;
    begin_asking(NicName::from_address(to), false, service, data, deadline);
    if (!can_be_reached(asking_->to))
        connection_failed(Code::refused);
    else
        start_attempt();
    return Code::ok;
}

Status QueuePair::connect_peer(const fabric::Address& to, fabric::Discriminator discriminator,
                               const PrivateData& data, Time deadline) {
    if (const Status status = may_connect(); !status.ok()) return status;
    nic_.progress_once();  // their request may have come
    begin_asking(NicName::from_address(to), true, discriminator, data, deadline);
    if (!can_be_reached(asking_->to))
        connection_failed(Code::refused);
    else
        start_over();
    return Code::ok;
}

Status QueuePair::accept(fabric::ConnectionRequest& request, const PrivateData& data) {
    if (const Status status = may_connect(); !status.ok()) return status;
    auto* const incoming = dynamic_cast<IncomingRequest*>(&request);
    if (incoming == nullptr || &incoming->nic() != &nic_) return Code::invalid;
    IncomingConnection& connection = incoming->connection();
    if (!connection.stands()) return Code::timed_out;  // the client has withdrawn
    begin_asking(NicName::from_address(connection.hello().from), false, connection.hello().target,
                 data, nic_.host().now() + getting_ready);
    answer(connection);
    return Code::ok;
}

void QueuePair::begin_asking(const NicName& to, bool as_peer, std::uint64_t target,
                             const PrivateData& data, Time deadline) {
    asking_ = std::make_unique<Asking>();
    asking_->to = to;
    asking_->as_peer = as_peer;
    asking_->target = target;
    asking_->data = data;
    asking_->deadline = deadline;
    state_ = ConnectionState::connecting;
    reason_ = Code::ok;
    peer_data_ = {};
    nic_.set_connecting(*this);
    nic_.watch_time(*this);
}

/// A new attempt of a peer's, until its time is up.
void QueuePair::start_over() {
    asking_->answers = false;
    asking_->yields_until = Time::never();
    while (const auto theirs =
               nic_.connection_requests().find_peer(asking_->to.id, asking_->target))
        if (answer(*theirs)) return;
    // Of two that ask at once one waits a moment, so that there is one attempt and not two.
    if (nic_.id() > asking_->to.id && !std::exchange(asking_->has_waited, true)) {
        asking_->yields_until = nic_.host().now() + giving_way;
        return;
    }
    start_attempt();
}

bool QueuePair::can_be_reached(const NicName& to) const {
    if (!to.is_valid()) return false;
    const NicName& ours = nic_.name();
    if (to.provider_name() != ours.provider_name()) {
        log_error(
            "ofi: {} uses the provider {}, and {} uses {}: all ranks need the same; set "
            "RAILYARD_OFI_PROVIDER for all, or name it as ofi:PROVIDER",
            ours.host(), ours.provider_name(), to.host(), to.provider_name());
        return false;
    }
    if (to.ports() != ours.ports()) {
        log_error(
            "ofi: {} uses {} of {}'s domains, and {} uses {}: all ranks need as many; set "
            "RAILYARD_OFI_DOMAINS for all",
            ours.host(), ours.ports(), ours.provider_name(), to.host(), to.ports());
        return false;
    }
    return true;
}

void QueuePair::start_attempt() {
    asking_->ask = {nic_.id(), any_number()};
    const NicName& to = asking_->to;
    drop_link();
    link_ = std::make_unique<Link>(nic_, port_, this);
    if (!link_->dial(to)) connection_failed(Code::refused);
}

Hello QueuePair::hello() const {
    Hello hello;
    hello.from = nic_.address();
    hello.ask = asking_->ask;
    hello.target = asking_->target;
    hello.is_peer = asking_->as_peer ? 1 : 0;
    hello.set_data(asking_->data);
    if (own_patience_ != Duration::forever()) {
        const std::int64_t ms = own_patience_.picoseconds() / Duration::ms(1).picoseconds();
        constexpr std::int64_t longest = 24 * 3600 * 1000;
        hello.patience_ms = static_cast<std::uint32_t>(std::clamp<std::int64_t>(ms, 1, longest));
    }
    return hello;
}

void QueuePair::link_up() {
    if (!is_connecting() || asking_->answers) return;
    const Hello ours = hello();
    Header header;
    header.kind = Kind::hello;
    link_->say(header, std::as_bytes(std::span(&ours, 1)));
}

void QueuePair::heard_while_connecting(const Header& header, std::span<const std::byte> data) {
    if (asking_->answers) {
        if (header.kind == Kind::ready) return connected();
        return nic_.found_down(*link_);
    }
    const bool is_answer = header.kind == Kind::accept || header.kind == Kind::reject;
    if (!is_answer || data.size() != sizeof(Hello)) return nic_.found_down(*link_);
    Hello theirs;
    std::memcpy(&theirs, data.data(), sizeof theirs);
    if (header.kind == Kind::accept)
        accepted(theirs);
    else
        rejected(theirs);
}

void QueuePair::accepted(const Hello& theirs) {
    set_peer(theirs);
    if (asking_->as_peer && theirs.ask.number != 0) {
        peers_ask_ = theirs.ask;
        nic_.connection_requests().expect_loser(*peers_ask_);
    }
    Header header;
    header.kind = Kind::ready;
    link_->say(header);
    connected();
}

void QueuePair::rejected(const Hello& theirs) {
    drop_link();
    if (asking_->as_peer && theirs.refusal == Hello::Refusal::collision) {
        asking_->yields_until = nic_.host().now() + yielding;
        return;
    }
    peer_data_ = theirs.users_data();
    connection_failed(Code::refused);
}

bool QueuePair::waits_for(const Hello& theirs) const {
    return is_connecting() && asking_->as_peer && !asking_->answers &&
           asking_->to.id == theirs.ask.nic && asking_->target == theirs.target &&
           asking_->ask != theirs.ask;
}

void QueuePair::meet(IncomingConnection& theirs) {
    const bool ours_stands = link_ != nullptr;
    if (ours_stands && asking_->ask < theirs.hello().ask)
        return theirs.refuse(Hello::Refusal::collision);
    drop_link();
    answer(theirs);
}

/// Accepts. False if the other side has gone.
bool QueuePair::answer(IncomingConnection& connection) {
    if (!connection.stands()) return false;
    set_peer(connection.hello());
    link_ = connection.take_link();
    link_->set_user(this);
    asking_->answers = true;
    asking_->yields_until = Time::never();
    const Hello ours = hello();
    Header header;
    header.kind = Kind::accept;
    link_->say(header, std::as_bytes(std::span(&ours, 1)));
    return true;
}

void QueuePair::set_peer(const Hello& theirs) {
    peer_ = NicName::from_address(theirs.from).id;
    peer_data_ = theirs.users_data();
    peers_patience_ = patience_of(theirs);
}

void QueuePair::connected() {
    state_ = ConnectionState::connected;
    reason_ = Code::ok;
    credits_ = most_credits;
    owed_ = 0;
    link_->is_in_use = true;
    asking_.reset();
    nic_.forget_connecting(*this);
    nic_.forget_time(*this);
    nic_.has_news();
}

void QueuePair::drop_link() {
    if (link_) nic_.drop(std::move(link_));
}

void QueuePair::connection_failed(Code code) {
    state_ = ConnectionState::failed;
    reason_ = code;
    asking_.reset();
    nic_.forget_connecting(*this);
    nic_.forget_time(*this);
    drop_link();
    nic_.has_news();
}

void QueuePair::tick(Time now) {
    if (is_connecting()) {
        if (now >= asking_->deadline) return connection_failed(Code::timed_out);
        if (now >= asking_->yields_until) start_over();  // theirs did not come: we ask again
        return;
    }
    if (now < starving_until_ || inbound_.empty()) return;
    starving_until_ = Time::never();
    log_debug("ofi: a message waited for a receive for longer than its sender allows");
    fail(Code::remote_closed, Code::remote_closed, Words::failed, inbound_.front()->header.number,
         Code::receiver_not_ready);
}

Time QueuePair::next_timer() const {
    if (is_connecting()) return std::min(asking_->deadline, asking_->yields_until);
    return starving_until_;
}

}  // namespace railyard::ofi
