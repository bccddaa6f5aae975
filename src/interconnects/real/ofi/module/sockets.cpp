#include "interconnects/real/ofi/module/sockets.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <linux/sockios.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/log.hpp"

namespace railyard::ofi {

namespace {

// How often a listener is asked for, and how often nobody must be there.
constexpr Duration between_questions = Duration::ms(300);
constexpr unsigned enough_refusals = 3;
// Of the kernel's, without an answer.
constexpr int questions = 3;

void set(int socket, int level, int option, int value) {
    (void)::setsockopt(socket, level, option, &value, sizeof value);
}

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

bool lives_on_tcp(const Device& device) {
    return device.core() == "tcp" || device.core() == "net" || device.core() == "sockets";
}

}  // namespace

std::optional<TcpAddress> TcpAddress::from_bytes(std::span<const std::byte> bytes) {
    TcpAddress address;
    if (bytes.empty() || bytes.size() > sizeof address.storage_) return {};
    std::memcpy(&address.storage_, bytes.data(), bytes.size());
    address.size_ = static_cast<socklen_t>(bytes.size());
    return address.strip() ? std::optional(address) : std::nullopt;
}

std::optional<TcpAddress> TcpAddress::of(int socket,
                                         int (*which)(int, sockaddr*, socklen_t*) noexcept) {
    TcpAddress address;
    address.size_ = sizeof address.storage_;
    if (which(socket, reinterpret_cast<sockaddr*>(&address.storage_), &address.size_) != 0)
        return {};
    return address.strip() ? std::optional(address) : std::nullopt;
}

bool TcpAddress::strip() {
    const sockaddr_storage all = storage_;
    const socklen_t size = size_;
    storage_ = {};
    storage_.ss_family = all.ss_family;
    if (all.ss_family == AF_INET && size >= sizeof(sockaddr_in)) {
        const auto& from = reinterpret_cast<const sockaddr_in&>(all);
        auto& to = reinterpret_cast<sockaddr_in&>(storage_);
        to.sin_port = from.sin_port;
        to.sin_addr = from.sin_addr;
        size_ = sizeof to;
        return true;
    }
    if (all.ss_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
        const auto& from = reinterpret_cast<const sockaddr_in6&>(all);
        auto& to = reinterpret_cast<sockaddr_in6&>(storage_);
        to.sin6_port = from.sin6_port;
        to.sin6_addr = from.sin6_addr;
        size_ = sizeof to;
        return true;
    }
    return false;
}

bool TcpAddress::is_at(const TcpAddress& other) const {
    if (storage_.ss_family != other.storage_.ss_family) return false;
    if (storage_.ss_family == AF_INET) {
        const auto& a = reinterpret_cast<const sockaddr_in&>(storage_);
        const auto& b = reinterpret_cast<const sockaddr_in&>(other.storage_);
        const bool wild = a.sin_addr.s_addr == INADDR_ANY || b.sin_addr.s_addr == INADDR_ANY;
        return a.sin_port == b.sin_port && (wild || a.sin_addr.s_addr == b.sin_addr.s_addr);
    }
    const auto& a = reinterpret_cast<const sockaddr_in6&>(storage_);
    const auto& b = reinterpret_cast<const sockaddr_in6&>(other.storage_);
    const bool wild =
        IN6_IS_ADDR_UNSPECIFIED(&a.sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&b.sin6_addr);
    return a.sin6_port == b.sin6_port && (wild || IN6_ARE_ADDR_EQUAL(&a.sin6_addr, &b.sin6_addr));
}

Sockets::Sockets(const Device& device, Duration patience)
    : own_(lives_on_tcp(device) ? TcpAddress::from_bytes(device.name()) : std::nullopt),
      patience_(patience) {}

void Sockets::expect(std::span<const std::byte> where) {
    expect();
    if (const auto peer = TcpAddress::from_bytes(where); watching_ && peer) peers_.insert(*peer);
}

void Sockets::tick(Time now) {
    if (!is_watching() || now < next_look_) return;
    next_look_ = now + std::min(patience_ / 4, Duration::s(1));
    look(now);
}

/// The provider does not say which descriptors are its own, but both ends of a connection are
/// known: who was dialled has the address that it listens at.
void Sockets::look(Time now) {
    const std::unique_ptr<DIR, CloseFolder> folder(::opendir("/proc/self/fd"));
    if (!folder) return;
    while (const dirent* const entry = ::readdir(folder.get())) {
        const std::string_view name = entry->d_name;
        int socket = -1;
        std::from_chars(name.data(), name.data() + name.size(), socket);
        if (socket >= 0 && is_ours(socket)) check(socket, now);
    }
}

bool Sockets::is_ours(int socket) const {
    const auto other = TcpAddress::of(socket, ::getpeername);
    if (!other) return false;
    const auto near = TcpAddress::of(socket, ::getsockname);
    if (near && near->is_at(*own_)) return true;
    return peers_.contains(*other);
}

/// The kernels ask each other when nothing is said (keepalive), and acknowledge what is, while
/// their processes compute. So who is not heard of for so long is dead. TCP_USER_TIMEOUT would take
/// for dead who only does not read, and some that is lost on this host the kernel does not count.
void Sockets::check(int socket, Time now) {
    int is_set = 0;
    socklen_t size = sizeof is_set;
    if (::getsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &is_set, &size) != 0) return;
    const auto seconds = static_cast<int>(std::clamp(patience_.seconds() / 4, 1.0, 7200.0));
    if (is_set == 0) {
        set(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds);
        set(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds);
        set(socket, IPPROTO_TCP, TCP_KEEPCNT, questions);
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
        watched_[socket] = {now, Time::never()};
        return;
    }
    Watched& watched = watched_.try_emplace(socket, Watched{now, Time::never()}).first->second;
    int unacknowledged = 0;
    tcp_info info{};
    size = sizeof info;
    if (::ioctl(socket, SIOCOUTQ, &unacknowledged) != 0 ||
        ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return;
    if (unacknowledged == 0)
        watched.unacknowledged = Time::never();
    else if (watched.unacknowledged == Time::never())
        watched.unacknowledged = now;
    const auto silent = Duration::ms(std::min(info.tcpi_last_ack_recv, info.tcpi_last_data_recv));
    const bool said = unacknowledged > 0;
    const Duration silence =
        std::min(silent, now - (said ? watched.unacknowledged : watched.since));
    const Duration all_questions = Duration::s(seconds * questions);
    if (silence < (said ? patience_ : std::max(patience_, all_questions))) return;
    log_debug("ofi: nothing is heard of a host for {} s", silence.seconds());
    ::shutdown(socket, SHUT_RDWR);
}

bool ListenerTest::is_gone(Time now, Duration patience) {
    if (!where_) return false;
    if (!socket_) {
        if (now >= next_) ask(now);
    } else {
        pollfd answered{socket_.get(), POLLOUT, 0};
        if (::poll(&answered, 1, 0) == 1) {
            int error = 0;
            socklen_t size = sizeof error;
            (void)::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
            refusals_ = error == ECONNREFUSED ? refusals_ + 1 : 0;
            socket_.reset();
            if (error == ECONNREFUSED || error == 0) asked_ = Time::never();
        }
    }
    if (refusals_ >= enough_refusals) return true;
    return asked_ != Time::never() && now >= asked_ + patience;
}

void ListenerTest::ask(Time now) {
    next_ = now + between_questions;
    if (asked_ == Time::never()) asked_ = now;
    socket_ = Descriptor(
        ::socket(where_->raw()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_) return;
    if (::connect(socket_.get(), where_->raw(), where_->size()) == 0 || errno == EINPROGRESS)
        return;
    if (errno == ECONNREFUSED) {
        ++refusals_;
        asked_ = Time::never();
    }
    socket_.reset();
}

}  // namespace railyard::ofi
