#include "bench/raw_tcp.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>
#include <string>

#include "railyard/base/error.hpp"

namespace railyard::bench {

namespace {

void require(bool done, const char* what) {
    if (!done) throw system_error(std::string("raw TCP: ") + what);
}

sockaddr_in loopback() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

}  // namespace

RawTcp::RawTcp(job::Rank& rank, std::string_view tag, Bytes longest)
    : rank_(rank), first_(rank.id() == 0), memory_(longest.count()) {
    sockaddr_in address = loopback();
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    socket_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    require(static_cast<bool>(socket_), "socket");
    if (first_) {
        const auto port = rank.bootstrap().get(1, tag);
        std::memcpy(&address.sin_port, port.data(), sizeof address.sin_port);
        require(::connect(socket_.get(), plain, size) == 0, "connect");
    } else {
        require(bind(socket_.get(), plain, size) == 0, "bind");
        require(listen(socket_.get(), 1) == 0, "listen");
        require(getsockname(socket_.get(), plain, &size) == 0, "getsockname");
        rank.bootstrap().put(tag, std::as_bytes(std::span(&address.sin_port, 1)));
        socket_ = Descriptor(::accept(socket_.get(), nullptr, nullptr));
        require(static_cast<bool>(socket_), "accept");
    }
    const int one = 1;
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

void RawTcp::send(std::size_t n) {
    const std::byte* at = memory_.data();
    while (n > 0) {
        const ssize_t sent = ::send(socket_.get(), at, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) continue;  // spins
        at += sent;
        n -= static_cast<std::size_t>(sent);
    }
}

void RawTcp::receive(std::size_t n) {
    std::byte* at = memory_.data();
    while (n > 0) {
        const ssize_t came = ::recv(socket_.get(), at, n, MSG_DONTWAIT);
        require(came != 0, "the peer has gone");
        if (came < 0) continue;  // spins
        at += came;
        n -= static_cast<std::size_t>(came);
    }
}

/// Each batch's time for one iteration, in us.
template <class Iteration>
std::vector<double> RawTcp::sample(const experiments::Sampling& sampling,
                                   const Iteration& iteration) {
    for (unsigned i = 0; i < sampling.warmup; ++i)
        iteration();
    std::vector<double> samples;
    for (unsigned s = 0; s < sampling.samples; ++s) {
        const Time start = rank_.host().now();
        for (unsigned i = 0; i < sampling.batch; ++i)
            iteration();
        samples.push_back((rank_.host().now() - start).microseconds() / sampling.batch);
    }
    return samples;
}

std::vector<double> RawTcp::ping_pong(Bytes size, const experiments::Sampling& sampling) {
    std::vector<double> samples = sample(sampling, [&] {
        if (first_) send(size.count());
        receive(size.count());
        if (!first_) send(size.count());
    });
    for (double& us : samples)
        us /= 2;
    return samples;
}

std::vector<double> RawTcp::windows(Bytes size, unsigned window,
                                    const experiments::Sampling& sampling) {
    std::vector<double> samples = sample(sampling, [&] {
        for (unsigned i = 0; i < window; ++i)
            first_ ? send(size.count()) : receive(size.count());
        first_ ? receive(1) : send(1);
    });
    const double bytes = static_cast<double>(size.count()) * window;
    for (double& us : samples)
        us = bytes / us;
    return samples;
}

}  // namespace railyard::bench
