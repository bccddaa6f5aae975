#include "experiments/raw_tcp.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "experiments/exchange.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments::raw {

namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// Closes on every way out.
class Descriptor {
  public:
    explicit Descriptor(const char* what, int fd) : fd_(fd) {
        if (fd < 0) throw system_error(what);
    }
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

  private:
    int fd_;
};

int make_socket() {
    return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int serve(Pair& pair, std::string_view tag) {
    Descriptor listener("cannot make a socket", make_socket());
    sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener.get(), generic, length) != 0 || ::listen(listener.get(), 1) != 0 ||
        ::getsockname(listener.get(), generic, &length) != 0)
        throw system_error("cannot listen on loopback");
    exchange(pair.rank(), tag, ntohs(address.sin_port));
    return ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
}

int join(Pair& pair, std::string_view tag) {
    const auto port = exchange(pair.rank(), tag, std::uint16_t{0});
    Descriptor socket("cannot make a socket", make_socket());
    const sockaddr_in address = loopback(port);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw system_error("cannot connect through loopback");
    return socket.release();
}

}  // namespace

Tcp::Tcp(Pair& pair, std::string_view tag) : pair_(pair) {
    Descriptor socket("cannot connect through loopback",
                      pair.first() ? serve(pair, tag) : join(pair, tag));
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0)
        throw system_error("cannot make a socket non-blocking");
    socket_ = socket.release();
}

Tcp::~Tcp() {
    ::close(socket_);
}

void Tcp::send(std::size_t n) {
    for (std::size_t done = 0; done < n;) {
        const ssize_t k = ::send(socket_, pair_.own() + done, n - done, MSG_NOSIGNAL);
        if (k > 0)
            done += static_cast<std::size_t>(k);
        else if (errno != EAGAIN && errno != EINTR)
            throw system_error("cannot send through loopback");
    }
}

void Tcp::receive(std::size_t n) {
    for (std::size_t done = 0; done < n;) {
        const ssize_t k = ::recv(socket_, pair_.own() + done, n - done, 0);
        if (k > 0)
            done += static_cast<std::size_t>(k);
        else if (k == 0)
            throw Error("loopback TCP: the peer closed the connection");
        else if (errno != EAGAIN && errno != EINTR)
            throw system_error("cannot receive through loopback");
    }
}

std::vector<double> Tcp::latency(Bytes size, const Sampling& sampling) {
    pair_.meet();
    const auto times = time_batches(pair_.host(), sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            if (pair_.first()) send(size.count());
            receive(size.count());
            if (!pair_.first()) send(size.count());
        }
    });
    pair_.meet();
    return microseconds(times, 2.0 * sampling.batch);
}

std::vector<double> Tcp::bandwidth(Bytes size, unsigned window, const Sampling& sampling) {
    pair_.meet();
    const auto times = time_batches(pair_.host(), sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            for (unsigned i = 0; i < window; ++i) {
                if (pair_.first())
                    send(size.count());
                else
                    receive(size.count());
            }
            if (pair_.first())
                receive(1);
            else
                send(1);
        }
    });
    pair_.meet();
    return megabytes_per_second(times, size * window * sampling.batch);
}

}  // namespace railyard::experiments::raw
