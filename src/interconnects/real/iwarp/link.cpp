#include "interconnects/real/iwarp/link.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"

namespace railyard::iwarp {

namespace {

// Without CRC, payload is to go straight to its place: only what may be headers is read aside.
constexpr std::size_t room_for_headers = 8 << 10;
// But between frames, so that a message that is not long takes one read.
constexpr std::size_t room_for_messages = 16 << 10;
// In one go, so that others have a turn.
constexpr unsigned most_reads = 16;
// With a CRC, frames leave one by one: the peer checks the first while we compute the next.
constexpr std::uint64_t batch_with_crc = 12 << 10;
constexpr std::size_t most_vectors = 18;  // a receive has 16 places

bool would_wait(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

Link::Link(Nic& nic, QueuePair& owner, Descriptor socket, const Stream::Settings& settings,
           std::span<const std::byte> startup)
    : nic_(nic),
      owner_(&owner),
      socket_(std::move(socket)),
      stream_(settings, nic.tags(), nic.staging(), owner) {
    const bool copies_anyway = settings.in.crc || settings.in.markers;
    own_room_ = copies_anyway ? nic.read_buffer().size() : room_for_headers;
    if (settings.out.crc) stream_.outbox().set_most_unsent(batch_with_crc);
    nic_.events().hand_over(socket_.get(), *this);
    nic_.add(*this);
    if (startup.empty()) return;
    stream_.outbox().lend(nic_.take_storage());
    std::memcpy(stream_.outbox().add(startup.size()), startup.data(), startup.size());
}

Link::~Link() {
    end();
    nic_.remove(*this);
}

void Link::ready(std::uint32_t events) {
    if ((events & EPOLLOUT) != 0 && blocked_) {
        blocked_ = false;
        nic_.output_waits(false);
        push();
    }
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) end_announced_ = true;
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 && receive())
        nic_.found(*this);
}

bool Link::receive() {
    bool any = false;
    for (unsigned turn = 0; socket_; ++turn) {
        if (turn == most_reads) {
            nic_.come_back_to(*this);
            break;
        }
        const Got got = owner_ == nullptr ? discard() : starved() ? read_aside() : read_stream();
        if (got == Got::nothing) break;
        any = true;
        if (got == Got::end) {
            peer_ended();
            break;
        }
        // A short read has emptied the socket, but says nothing of the end behind it.
        if (got == Got::all && !end_announced_) break;
    }
    if (any && socket_ && has_work()) push();
    return any;
}

/// Whether there may be something to send, or to complete.
bool Link::has_work() const {
    return owner_ == nullptr || !owner_->is_idle() || stream_.wants_to_speak();
}

/// What a read came to; a short one has emptied the socket.
Link::Got Link::judge(ssize_t n, std::size_t asked) {
    if (n < 0) return would_wait(errno) ? Got::nothing : Got::end;
    spoken_ = true;
    if (n == 0) return Got::end;
    return static_cast<std::size_t>(n) < asked ? Got::all : Got::some;
}

Link::Got Link::read_stream() {
    std::array<iovec, most_vectors> vectors;
    const std::size_t count = stream_.direct(std::span(vectors).first(most_vectors - 1));
    std::size_t direct = 0;
    for (std::size_t i = 0; i < count; ++i)
        direct += vectors[i].iov_len;
    const std::size_t room = count == 0 ? std::max(own_room_, room_for_messages) : own_room_;
    const std::span<std::byte> own = nic_.read_buffer().first(room);
    ssize_t n = 0;
    if (count == 0) {
        n = ::recv(socket_.get(), own.data(), own.size(), MSG_DONTWAIT);
    } else {
        vectors[count] = {own.data(), own.size()};
        n = ::readv(socket_.get(), vectors.data(), static_cast<int>(count + 1));
    }
    const Got got = judge(n, direct + own.size());
    if (got == Got::nothing || got == Got::end) return got;
    const auto read = static_cast<std::size_t>(n);
    const std::size_t placed = std::min(read, direct);
    stream_.direct_filled(placed);
    if (read > placed) take(own.first(read - placed));
    if (owner_ != nullptr && starved()) owner_->starve();
    return got;
}

void Link::take(std::span<const std::byte> bytes) {
    const std::size_t taken = starved() ? 0 : stream_.feed(bytes);
    if (taken == bytes.size()) return;
    holding_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(taken), bytes.end());
    held_ = 0;
}

/// No receive is posted. Bytes are read all the same, up to a limit, so that the end of the stream
/// is noticed behind them.
Link::Got Link::read_aside() {
    const std::size_t held = holding_.size() - held_;
    if (held >= nic_.settings().most_held) return Got::nothing;
    const std::span<std::byte> own = nic_.read_buffer();
    const ssize_t n = ::recv(socket_.get(), own.data(), own.size(), MSG_DONTWAIT);
    const Got got = judge(n, own.size());
    if (n <= 0) return got;
    // A peer that is always ahead never lets it become empty.
    if (held_ > holding_.size() / 2) {
        holding_.erase(holding_.begin(), holding_.begin() + static_cast<std::ptrdiff_t>(held_));
        held_ = 0;
    }
    holding_.insert(holding_.end(), own.begin(), own.begin() + n);
    return got;
}

Link::Got Link::discard() {
    const std::span<std::byte> own = nic_.read_buffer();
    return judge(::recv(socket_.get(), own.data(), own.size(), MSG_DONTWAIT), own.size());
}

void Link::resume() {
    if (!socket_) return;
    const std::size_t taken = stream_.feed(std::span(holding_).subspan(held_));
    if (owner_ == nullptr) return;  // something in it was wrong
    held_ += taken;
    if (held_ == holding_.size()) {
        std::vector<std::byte>().swap(holding_);
        held_ = 0;
    }
    if (starved()) {
        owner_->starve();
    } else {
        nic_.come_back_to(*this);  // more may be in the socket, which says so only once
    }
    push();
}

void Link::push() {
    Outbox& out = stream_.outbox();
    while (socket_ && !blocked_) {
        if (!out.has_storage()) out.lend(nic_.take_storage());
        if (owner_ != nullptr) {
            owner_->issue();
        } else {
            stream_.pump();
        }
        if (out.empty() || !send()) break;
        if (owner_ != nullptr && owner_->has_issued_all() && !stream_.wants_to_speak()) break;
    }
    if (out.empty()) return_storage();
    if (owner_ != nullptr) {
        owner_->retire();
    } else if (socket_ && out.empty() && !said_all_) {
        said_all_ = true;
        shutdown(socket_.get(), SHUT_WR);
    }
}

/// One batch. False if the socket took less.
bool Link::send() {
    Outbox& out = stream_.outbox();
    const std::span<const iovec> vectors = out.unsent();
    const std::uint64_t before = out.sent_position();
    const std::uint64_t asked = out.end_position() - before;
    ssize_t n = 0;
    if (vectors.size() == 1) {
        n = ::send(socket_.get(), vectors[0].iov_base, vectors[0].iov_len,
                   MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
        msghdr message{};
        message.msg_iov = const_cast<iovec*>(vectors.data());
        message.msg_iovlen = vectors.size();
        n = ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if (n < 0 && !would_wait(errno)) {
        // The peer has gone. What it said before, perhaps why, is still to be read; then the socket
        // says that it has ended.
        blocked_ = true;
        nic_.come_back_to(*this);
        return false;
    }
    if (n > 0) {
        out.sent(static_cast<std::size_t>(n));
        nic_.has_sent(*this);
    }
    blocked_ = n < 0 || static_cast<std::uint64_t>(n) < asked;
    if (blocked_) {
        set_watched(true);
        nic_.output_waits(true);
    }
    return !blocked_;
}

void Link::set_watched(bool watched) {
    if (watched == watched_ || !socket_) return;
    watched_ = watched;
    if (watched) {
        nic_.events().add_edge(socket_.get(), *this);
    } else {
        nic_.events().remove(socket_.get());
        nic_.events().forget(*this);
    }
}

void Link::return_storage() {
    Outbox& out = stream_.outbox();
    if (out.has_storage()) nic_.return_storage(*out.take_back());
}

void Link::peer_ended() {
    if (owner_ != nullptr) owner_->link_lost();
    end();
}

void Link::detach(bool abrupt, Time until) {
    owner_ = nullptr;
    until_ = until;
    std::vector<std::byte>().swap(holding_);
    held_ = 0;
    if (!socket_) return;
    Outbox& out = stream_.outbox();
    if (abrupt) {
        // A frame may have left in part; it cannot be finished, so nothing can follow.
        out.discard();
        return_storage();
        said_all_ = true;
        shutdown(socket_.get(), SHUT_WR);
        return;
    }
    out.detach_all();
    push();
}

void Link::end() {
    if (!socket_) return;
    nic_.forget_events(*this);
    socket_.reset();
    stream_.outbox().discard();
    return_storage();
}

void Link::ask_for_life() {
    if (owner_ != nullptr) owner_->ask_for_life();
}

}  // namespace railyard::iwarp
