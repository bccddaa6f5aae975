#include "base/foreign_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "railyard/base/error.hpp"

namespace railyard {

namespace {

/// Whether /proc is there, and of the same process namespace as we.
bool has_proc() {
    char text[32] = {};
    return ::readlink("/proc/self", text, sizeof text - 1) > 0 && std::atoi(text) == ::getpid();
}

/// Somebody else may have taken a name; which of them is right, the kernel tells whoever connects.
constexpr int names = 8;

/// Without a place in any file system, so nothing is left behind.
socklen_t name_of(pid_t pid, int number, sockaddr_un& address) {
    address = {};
    address.sun_family = AF_UNIX;
    const std::string name = fmt::format("railyard-{}-{}", pid, number);
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

/// Room for one descriptor beside a byte.
union Control {
    cmsghdr align;
    char room[CMSG_SPACE(sizeof(int))];
};

struct Message {
    explicit Message(Control& control) {
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control.room;
        header.msg_controllen = sizeof control.room;
    }
    Message(const Message&) = delete;
    char byte = 0;
    iovec part{&byte, 1};
    msghdr header{};
};

void send_descriptor(int socket, int fd) {
    Control control{};
    Message message(control);
    cmsghdr* const with = CMSG_FIRSTHDR(&message.header);
    with->cmsg_level = SOL_SOCKET;
    with->cmsg_type = SCM_RIGHTS;
    with->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(with), &fd, sizeof fd);
    ::sendmsg(socket, &message.header, MSG_NOSIGNAL);
}

Descriptor receive_descriptor(int socket) {
    Control control{};
    Message message(control);
    if (::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC) <= 0) return {};
    const cmsghdr* const with = CMSG_FIRSTHDR(&message.header);
    if (with == nullptr || with->cmsg_type != SCM_RIGHTS) return {};
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(with), sizeof fd);
    return Descriptor(fd);
}

ucred peer_of(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    return peer;
}

/// Neither side waits long for the other.
void limit_patience(int socket) {
    const timeval patience{5, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

/// Gives those descriptors of this process that are offered to processes of the same user.
class Giver {
  public:
    explicit Giver(Descriptor socket) : socket_(std::move(socket)) {
        sigset_t all;
        sigset_t previous;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &previous);  // signals are for the program's threads
        std::thread([this] { serve(); }).detach();
        ::pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    }

    void offer(int fd) {
        const std::lock_guard lock(mutex_);
        offered_.insert(fd);
    }
    void withdraw(int fd) {
        const std::lock_guard lock(mutex_);
        offered_.erase(fd);
    }

  private:
    void serve() {
        for (;;) {
            const Descriptor caller(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!caller) {
                ::usleep(1000);  // of descriptors, for instance, there may be none left for now
                continue;
            }
            limit_patience(caller.get());
            std::int32_t wanted = -1;
            if (peer_of(caller.get()).uid != ::geteuid() ||
                ::recv(caller.get(), &wanted, sizeof wanted, 0) != sizeof wanted)
                continue;
            // Under the lock: a descriptor that is withdrawn meanwhile could be another by then.
            const std::lock_guard lock(mutex_);
            if (offered_.contains(wanted)) send_descriptor(caller.get(), wanted);
        }
    }

    Descriptor socket_;
    std::mutex mutex_;
    std::set<int> offered_;
};

Descriptor listening_socket() {
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address;
    for (int number = 0; socket && number < names; ++number) {
        const socklen_t size = name_of(::getpid(), number, address);
        if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 &&
            ::listen(socket.get(), 128) == 0)
            return socket;
    }
    throw system_error(
        "others cannot open this process's shared memory through /proc, nor by a Unix socket");
}

/// Of this process; a forked child has one of its own, if it needs any.
struct Givers {
    std::mutex mutex;
    pid_t owner = 0;
    Giver* giver = nullptr;  ///< never destroyed: its thread runs to the end; none: /proc serves

    static Givers& instance() {
        static auto* const givers = new Givers;
        return *givers;
    }
    Giver* of_this_process() {
        const std::lock_guard lock(mutex);
        if (std::exchange(owner, ::getpid()) != ::getpid()) giver = nullptr;
        const bool is_open = ::prctl(PR_GET_DUMPABLE) == 1 && has_proc();
        if (giver == nullptr && !is_open) giver = new Giver(listening_socket());
        return giver;
    }
};

Descriptor ask(pid_t pid, std::int32_t fd) {
    for (int number = 0; number < names; ++number) {
        const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (!socket) return {};
        limit_patience(socket.get());
        sockaddr_un address;
        const socklen_t size = name_of(pid, number, address);
        if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) continue;
        const ucred peer = peer_of(socket.get());
        if (peer.pid != pid || peer.uid != ::geteuid()) continue;
        if (::send(socket.get(), &fd, sizeof fd, MSG_NOSIGNAL) != sizeof fd) return {};
        return receive_descriptor(socket.get());
    }
    return {};
}

}  // namespace

void offer_descriptor(int fd) {
    if (Giver* giver = Givers::instance().of_this_process()) giver->offer(fd);
}

void withdraw_descriptor(int fd) {
    Givers& all = Givers::instance();
    const std::lock_guard lock(all.mutex);
    if (all.giver != nullptr && all.owner == ::getpid()) all.giver->withdraw(fd);
}

Descriptor open_foreign(pid_t pid, int fd, int flags) {
    const bool by_proc = has_proc();
    Descriptor opened;
    if (by_proc)
        opened =
            Descriptor(::open(fmt::format("/proc/{}/fd/{}", pid, fd).c_str(), flags | O_CLOEXEC));
    if (opened) return opened;
    const int error = by_proc ? errno : ENOENT;
    if (error == EMFILE || error == ENFILE) return opened;
    opened = ask(pid, fd);
    // A process that is not there cannot be sent signals, either.
    const bool is_gone = ::kill(pid, 0) != 0 && errno == ESRCH;
    const bool has_closed = by_proc && error == ENOENT;
    errno = is_gone || has_closed ? ESRCH : error;
    return opened;
}

std::string remedy_for(int error) {
    if (!has_proc())
        return "; /proc is not that of this process: mount it (mount -t proc proc /proc)";
    if (error == EACCES || error == EPERM)
        return "; all ranks must be of one user, and no security module may come between them";
    if (error == ENOSYS) return "; the kernel is too old, or a system-call filter forbids it";
    return {};
}

}  // namespace railyard
