#include "launch/managers/watch.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <random>
#include <utility>

#include "base/log.hpp"
#include "base/network.hpp"
#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::managers {

namespace {

constexpr char welcome = 'w';
constexpr char leaving = 'l';

/// Most process managers end all ranks by themselves when one is gone, and know better why.
constexpr Duration grace = Duration::ms(500);

/// Of a host's addresses; the cards of all ranks are small.
constexpr std::size_t most_told = 8;

/// Those by which other hosts may reach this one; the loopback where there are no others.
std::vector<std::string> own_addresses() {
    std::vector<std::string> found;
    for (const InterfaceAddress& one : interface_addresses())
        if (!one.is_loopback && !one.is_link_local && found.size() < most_told)
            found.push_back(one.text);
    if (found.empty()) found.emplace_back("127.0.0.1");
    return found;
}

/// As text and a port have it.
socklen_t parse_address(const std::string& text, int port, sockaddr_storage& into) {
    into = {};
    const auto number = htons(static_cast<std::uint16_t>(port));
    auto& four = reinterpret_cast<sockaddr_in&>(into);
    if (::inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
        four.sin_family = AF_INET;
        four.sin_port = number;
        return sizeof four;
    }
    auto& six = reinterpret_cast<sockaddr_in6&>(into);
    if (::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) != 1) return 0;
    six.sin6_family = AF_INET6;
    six.sin6_port = number;
    return sizeof six;
}

Descriptor connect_to(const Listening& listening, Duration patience) {
    for (const std::string& address : listening.addresses) {
        sockaddr_storage to;
        const socklen_t length = parse_address(address, listening.port, to);
        if (length == 0) continue;
        Descriptor socket(::socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (!socket) continue;
        if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), length) != 0) {
            if (errno != EINPROGRESS) continue;
            pollfd one{.fd = socket.get(), .events = POLLOUT, .revents = 0};
            int error = 0;
            socklen_t size = sizeof error;
            if (::poll(&one, 1, static_cast<int>(patience.seconds() * 1000)) != 1 ||
                ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0)
                continue;
        }
        if (::send(socket.get(), &listening.token, sizeof listening.token, MSG_NOSIGNAL) ==
            sizeof listening.token)
            return socket;
    }
    return {};
}

Descriptor open_process(pid_t process) {
    return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

/// One end of a connection between the first ranks of two nodes.
struct Line {
    Descriptor socket;
    std::string who;
    std::uint64_t token = 0;  ///< what is still to be shown; 0: nothing
    /// That it ends means something: the other side knows us. One that had ended before it did has
    /// never heard of us.
    bool is_known = false;
};

void say(const Line& line, char what) {
    if (line.socket) ::send(line.socket.get(), &what, 1, MSG_NOSIGNAL);
}

}  // namespace

WatchPort WatchPort::open() {
    WatchPort port;
    sockaddr_storage at;
    // A socket of IPv6 takes calls of IPv4 as well, where the kernel has both.
    for (const char* any : {"::", "0.0.0.0"}) {
        socklen_t size = parse_address(any, 0, at);
        port.socket_ =
            Descriptor(::socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const int off = 0;
        if (at.ss_family == AF_INET6 && port.socket_)
            ::setsockopt(port.socket_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        auto* const raw = reinterpret_cast<sockaddr*>(&at);
        if (port.socket_ && ::bind(port.socket_.get(), raw, size) == 0 &&
            ::listen(port.socket_.get(), 16) == 0 &&
            ::getsockname(port.socket_.get(), raw, &size) == 0)
            break;
        port.socket_ = {};
    }
    if (!port.socket_) throw system_error("cannot listen for the ranks of other nodes");
    const auto number = at.ss_family == AF_INET6
                            ? reinterpret_cast<const sockaddr_in6&>(at).sin6_port
                            : reinterpret_cast<const sockaddr_in&>(at).sin_port;
    std::random_device random;
    port.listening_ = {.token = (std::uint64_t{random()} << 32 | random()) | 1,
                       .port = ntohs(number),
                       .addresses = own_addresses()};
    return port;
}

/// What the thread does, until it is told to stop or somebody is lost.
class Watch::Rounds {
  public:
    Rounds(int stop, std::optional<Node> node, std::optional<Others> others, Duration heartbeat)
        : stop_(stop), heartbeat_(heartbeat), node_(std::move(node)), others_(std::move(others)) {}

    int stop() const { return stop_; }
    /// When the next node has answered, or it is known that it does not.
    std::future<void> called() { return called_.get_future(); }

    /// Who is lost; empty: told to stop.
    std::string run() {
        if (others_) {
            lines_.push_back({connect_to(others_->next, heartbeat_), others_->name_of_next});
            if (lines_.back().socket)
                keep_alive(lines_.back().socket.get(), heartbeat_);
            else
                log_debug("no way to watch {}", others_->name_of_next);
        }
        bool has_called = false;
        if (node_) watched_ = node_->member;
        if (node_ && !watch_next()) return lost_member();
        for (;;) {
            if (!has_called && (lines_.empty() || !lines_[0].socket || lines_[0].is_known)) {
                has_called = true;
                called_.set_value();
            }
            std::vector<pollfd> wanted{
                {.fd = stop_, .events = POLLIN, .revents = 0},
                {.fd = parent_.get(), .events = POLLIN, .revents = 0},
                {.fd = process_.get(), .events = POLLIN, .revents = 0},
                {.fd = others_ ? others_->port.get() : -1, .events = POLLIN, .revents = 0}};
            for (const Line& line : lines_)
                wanted.push_back({.fd = line.socket.get(), .events = POLLIN, .revents = 0});
            if (::poll(wanted.data(), wanted.size(), -1) < 0) continue;
            if (wanted[0].revents != 0) {
                take_leave();
                return {};
            }
            if (wanted[1].revents != 0) return "the process that has started this rank has ended";
            if (wanted[2].revents != 0 && (!has_left(watched_) || !watch_next()))
                return lost_member();
            for (std::size_t i = 0; i < lines_.size(); ++i)
                if (wanted[4 + i].revents != 0 && !hear(lines_[i]))
                    return lines_[i].who +
                           " has ended without MPI_Finalize or cannot be reached any more";
            if (wanted[3].revents != 0) answer_all();
        }
    }

  private:
    bool has_left(int member) const { return node_->share.board().has_left(member); }
    std::string lost_member() const {
        return fmt::format("rank {} (process {}) has ended without MPI_Finalize",
                           node_->ranks.at(static_cast<std::size_t>(watched_)),
                           node_->share.process_of(watched_));
    }

    /// The next member that has not left; nobody if none is. False: it is lost already.
    bool watch_next() {
        process_.reset();
        const int members = node_->share.members();
        for (int step = 1; step < members; ++step) {
            const int next = (watched_ + step) % members;
            if (next == node_->member) return true;
            process_ = open_process(node_->share.process_of(next));
            const bool is_gone = !process_ && errno == ESRCH;
            if (has_left(next)) {
                process_.reset();
                continue;
            }
            watched_ = next;
            return !is_gone;
        }
        return true;
    }

    void answer_all() {
        // The first is the one that we have called.
        lines_.erase(std::remove_if(lines_.begin() + 1, lines_.end(),
                                    [](const Line& line) { return !line.socket; }),
                     lines_.end());
        constexpr std::size_t most_lines = 8;
        while (lines_.size() < most_lines) {
            Descriptor caller(
                ::accept4(others_->port.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!caller) return;
            keep_alive(caller.get(), heartbeat_);
            lines_.push_back(
                {std::move(caller), others_->name_of_previous, others_->port.listening().token});
        }
        lines_.erase(lines_.begin() + 1);  // the oldest that came: strangers may call, too
    }

    /// False: it ended without taking leave.
    static bool hear(Line& line) {
        std::array<char, 64> bytes{};
        const bool is_stranger = line.token != 0;
        const std::size_t room = is_stranger ? sizeof line.token : bytes.size();
        const ssize_t n = ::recv(line.socket.get(), bytes.data(), room, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (is_stranger) {
            // In one piece, as it is sent.
            std::uint64_t shown = 0;
            std::memcpy(&shown, bytes.data(), sizeof shown);
            line.is_known = n == sizeof shown && shown == std::exchange(line.token, 0);
            if (line.is_known)
                say(line, welcome);
            else
                line.socket.reset();
            return true;
        }
        const auto said = [&](char what) {
            return n > 0 && std::find(bytes.begin(), bytes.begin() + n, what) != bytes.begin() + n;
        };
        line.is_known = line.is_known || said(welcome);
        if (n > 0 && !said(leaving)) return true;
        const bool is_lost = n <= 0 && line.is_known;
        line.socket.reset();
        return !is_lost;
    }

    void take_leave() {
        for (const Line& line : lines_)
            say(line, leaving);
        // What was not read would make the end a reset, which overtakes the leave.
        std::array<char, 64> unread{};
        for (const Line& line : lines_)
            while (line.socket && ::recv(line.socket.get(), unread.data(), unread.size(), 0) > 0) {
            }
    }

    int stop_;
    Duration heartbeat_;
    std::optional<Node> node_;
    std::optional<Others> others_;
    /// A launcher that is killed may leave its ranks behind. Out of sight: of another container.
    Descriptor parent_ = ::getppid() > 0 ? open_process(::getppid()) : Descriptor();
    Descriptor process_;  ///< that of the member watched
    int watched_ = 0;
    std::vector<Line> lines_;
    std::promise<void> called_;
};

Watch::Watch(std::optional<Node> node, std::optional<Others> others, Duration heartbeat, Lost lost)
    : stop_(::eventfd(0, EFD_CLOEXEC)) {
    if (!stop_) throw system_error("cannot make an eventfd");
    // The program's signals are for its own threads.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const auto rounds =
        std::make_shared<Rounds>(stop_.get(), std::move(node), std::move(others), heartbeat);
    called_ = rounds->called();
    thread_ = std::thread([rounds, lost = std::move(lost)] {
        const std::string who = rounds->run();
        if (who.empty()) return;
        pollfd stop{.fd = rounds->stop(), .events = POLLIN, .revents = 0};
        if (::poll(&stop, 1, static_cast<int>(grace.seconds() * 1000)) == 0) lost(who);
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Watch::await_next() const {
    constexpr auto patience = std::chrono::seconds(2);
    called_.wait_for(patience);
}

Watch::~Watch() {
    const std::uint64_t one = 1;
    static_cast<void>(::write(stop_.get(), &one, sizeof one));
    thread_.join();
}

}  // namespace railyard::managers
