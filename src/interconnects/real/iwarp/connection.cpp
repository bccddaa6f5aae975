#include "interconnects/real/iwarp/connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/log.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"

namespace railyard::iwarp {

using fabric::PrivateData;

std::vector<std::byte> private_data(const std::optional<Hello>& hello, const PrivateData& users) {
    std::vector<std::byte> bytes(hello ? Hello::size : 0);
    if (hello) hello->write(bytes.data());
    bytes.insert(bytes.end(), users.bytes().begin(), users.bytes().end());
    return bytes;
}

PrivateData users_part(const mpa::StartupFrame& frame) {
    std::span<const std::byte> bytes = frame.private_data();
    if (Hello::read_from(bytes)) bytes = bytes.subspan(Hello::size);
    return PrivateData(bytes.first(std::min(bytes.size(), PrivateData::capacity)));
}

namespace {

bool would_wait() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/// Reads what a start-up frame still needs. False if the connection has ended.
template <class Side>
bool read_startup(int socket, Side& side) {
    std::array<std::byte, mpa::longest_startup> bytes;
    while (side.missing() > 0) {
        const ssize_t n = ::recv(socket, bytes.data(), side.missing(), MSG_DONTWAIT);
        if (n < 0 && would_wait()) return true;
        if (n <= 0) return false;
        side.feed(std::span(bytes).first(static_cast<std::size_t>(n)));
    }
    return true;
}

}  // namespace

Dial::Dial(Nic& nic, QueuePair& owner, Descriptor socket, const mpa::Wishes& wishes,
           std::span<const std::byte> data)
    : nic_(nic), owner_(owner), socket_(std::move(socket)), initiator_(wishes, data) {}

Dial::~Dial() {
    nic_.forget_events(*this);
}

Descriptor Dial::take_socket() {
    nic_.forget_events(*this);
    return std::move(socket_);
}

bool Dial::may_speak_revision_1() {
    const bool asked = initiator_.output().unsent().empty();
    if (initiator_.state() == mpa::Initiator::State::asking) return asked;  // and it hung up
    return initiator_.error() == mpa::StartupError::wrong_answer &&
           initiator_.reply().revision == 1;
}

void Dial::advance() {
    mpa::StartupOutput& output = initiator_.output();
    while (!output.unsent().empty()) {
        const ssize_t n = ::send(socket_.get(), output.unsent().data(), output.unsent().size(),
                                 MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && would_wait()) return;
        if (n < 0) return owner_.dial_failed();
        output.sent(static_cast<std::size_t>(n));
    }
    if (!read_startup(socket_.get(), initiator_)) return owner_.dial_failed();
    switch (initiator_.state()) {
        case mpa::Initiator::State::asking:
            return;
        case mpa::Initiator::State::agreed:
            return owner_.dial_agreed();
        case mpa::Initiator::State::rejected:
            return owner_.dial_rejected();
        case mpa::Initiator::State::failed:
            return owner_.dial_failed();
    }
}

Call::Call(Nic& nic, Descriptor socket, const SocketAddress& from, Time deadline)
    : nic_(nic), socket_(std::move(socket)), deadline_(deadline) {
    from_.at = from;
}

Call::~Call() {
    hang_up();
}

void Call::hang_up() {
    if (!socket_) return;
    nic_.forget_events(*this);
    socket_.reset();
}

Descriptor Call::take_socket() {
    nic_.forget_events(*this);
    return std::move(socket_);
}

void Call::advance() {
    if (!socket_) return;
    if (answerer_.state() == mpa::Answerer::State::asked) return look_for_end();
    if (!read_startup(socket_.get(), answerer_)) return hang_up();
    if (answerer_.state() == mpa::Answerer::State::failed) {
        log_debug("iwarp: {} does not speak MPA", from_.at.text());
        return hang_up();
    }
    if (answerer_.state() == mpa::Answerer::State::asked) understand();
}

/// Nothing may come before the answer, unless the other side gives up.
void Call::look_for_end() {
    std::byte byte;
    const ssize_t n = ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    if (n < 0 && would_wait()) return;
    hang_up();
    nic_.has_news();
}

void Call::understand() {
    const mpa::StartupFrame& request = answerer_.request();
    hello_ = Hello::read_from(request.private_data());
    // Strangers get no answer: who was not told the key has no business here, unless the user wants
    // peers that cannot know of keys.
    const bool welcome =
        hello_ ? hello_->key == nic_.name().key() : nic_.settings().plain_service.has_value();
    if (!welcome) {
        log_debug("iwarp: {} does not know whom it calls", from_.at.text());
        return hang_up();
    }
    users_data_ = users_part(request);
    if (hello_) {
        from_.id = hello_->ask.nic;
        from_.at.port = hello_->port;
    }
    look_for_end();
    if (socket_) nic_.connection_requests().asked(shared_from_this());
}

void Call::refuse(Hello::Refusal why, const PrivateData& users) {
    if (!stands()) return hang_up();
    std::optional<Hello> reply;
    if (hello_) {
        reply.emplace();
        reply->kind = hello_->kind;
        reply->refusal = why;
        reply->target = hello_->target;
    }
    answerer_.reject(private_data(reply, users));
    const std::span<const std::byte> bytes = answerer_.output().unsent();
    // A connection that has carried nothing yet takes so much at once.
    (void)::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    hang_up();
}

IncomingRequest::IncomingRequest(Nic& nic, std::shared_ptr<Call> call)
    : nic_(nic), call_(std::move(call)), from_(call_->from().address()) {}

IncomingRequest::~IncomingRequest() {
    reject(PrivateData());
}

void IncomingRequest::reject(const PrivateData& reason) {
    const auto guard = nic_.guard();
    if (call_->stands()) call_->refuse(Hello::Refusal::by_user, reason);
}

}  // namespace railyard::iwarp
