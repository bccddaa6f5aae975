/// limits: what the machine itself can do, measured by raw code. Every other result on this machine
/// is to be seen beside these.

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/quantity.hpp"
#include "experiments/core/exchange.hpp"
#include "experiments/core/experiment.hpp"
#include "experiments/raw/procedures.hpp"

namespace railyard::experiments::raw {

namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

Descriptor checked(int fd, const char* what) {
    if (fd < 0) throw system_error(what);
    return Descriptor(fd);
}

Descriptor make_socket() {
    return checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "cannot make a socket");
}

constexpr const char* cannot_connect = "cannot connect through loopback";

Descriptor serve(Pair& pair, std::string_view tag) {
    const Descriptor listener = make_socket();
    sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener.get(), generic, length) != 0 || ::listen(listener.get(), 1) != 0 ||
        ::getsockname(listener.get(), generic, &length) != 0)
        throw system_error("cannot listen on loopback");
    exchange(pair.rank(), tag, ntohs(address.sin_port));
    return checked(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), cannot_connect);
}

Descriptor join(Pair& pair, std::string_view tag) {
    const auto port = exchange(pair.rank(), tag, std::uint16_t{0});
    Descriptor socket = make_socket();
    const sockaddr_in address = loopback(port);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw system_error(cannot_connect);
    return socket;
}

/// Loopback TCP between the two sides of a raw pair, without sleeping: the limit of what goes
/// through the kernel's network.
class Tcp {
  public:
    /// Connects the sides. `tag` is unique in the job.
    Tcp(Pair& pair, std::string_view tag);

    /// Half of each round trip, in us.
    std::vector<double> latency(Bytes size, const Sampling& sampling);
    /// Windows of messages, each answered by one byte: MB/s.
    std::vector<double> bandwidth(Bytes size, unsigned window, const Sampling& sampling);

  private:
    void send(std::size_t n);
    void receive(std::size_t n);

    Pair& pair_;
    Descriptor socket_;
};

Tcp::Tcp(Pair& pair, std::string_view tag)
    : pair_(pair), socket_(pair.first() ? serve(pair, tag) : join(pair, tag)) {
    const int on = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::fcntl(socket_.get(), F_SETFL, O_NONBLOCK) != 0)
        throw system_error("cannot make a socket non-blocking");
}

void Tcp::send(std::size_t n) {
    for (std::size_t done = 0; done < n;) {
        const ssize_t k = ::send(socket_.get(), pair_.own() + done, n - done, MSG_NOSIGNAL);
        if (k > 0)
            done += static_cast<std::size_t>(k);
        else if (errno != EAGAIN && errno != EINTR)
            throw system_error("cannot send through loopback");
    }
}

void Tcp::receive(std::size_t n) {
    for (std::size_t done = 0; done < n;) {
        const ssize_t k = ::recv(socket_.get(), pair_.own() + done, n - done, 0);
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

}  // namespace

}  // namespace railyard::experiments::raw

namespace railyard::experiments {

namespace {

namespace metric = results::metric;
namespace unit = results::unit;

constexpr unsigned limit_window = raw::default_window;

results::Parameters with_size(Bytes size) {
    return {{results::parameter::message_bytes, static_cast<std::int64_t>(size.count())}};
}

/// The sizes asked for; a message of no bytes has no rate.
std::vector<Bytes> sizes_of(const Context& context) {
    std::vector<Bytes> sizes = context.request().sizes;
    std::erase(sizes, Bytes(0));
    return sizes;
}

void emit_limit(Context& context, results::Parameters parameters, std::string_view metric,
                std::string_view unit, const std::vector<double>& samples) {
    if (context.rank().id() != 0) return;
    context.emit(std::move(parameters), metric, unit, results::summarize(samples));
}

void announce_limit(Context& context, std::string_view metric, Bytes size) {
    context.progress(std::string(metric) + " " + to_string(size));
}

void pipelines(Context& context, raw::Pair& pair) {
    for (const Bytes size : sizes_of(context)) {
        announce_limit(context, metric::copy_pipeline, size);
        const raw::Cut cut = raw::best_cut(pair, size, limit_window);
        auto parameters = with_size(size);
        parameters["chunk_bytes"] = static_cast<std::int64_t>(cut.chunk.count());
        parameters["ring_bytes"] = static_cast<std::int64_t>((cut.chunk * cut.depth).count());
        emit_limit(context, std::move(parameters), metric::copy_pipeline,
                   unit::megabytes_per_second,
                   raw::copy_pipeline(pair, size, cut, limit_window,
                                      window_sampling(context, size * limit_window)));
    }
}

void readv(Context& context, raw::Pair& pair) {
    const std::string forbidden = raw::process_vm_readv_forbidden(pair);
    if (!forbidden.empty()) {
        context.progress("process_vm_readv: left out, the kernel does not allow it (" + forbidden +
                         ")");
        return;
    }
    for (const Bytes size : sizes_of(context)) {
        announce_limit(context, metric::process_vm_readv, size);
        emit_limit(context, with_size(size), metric::process_vm_readv, unit::megabytes_per_second,
                   raw::process_vm_readv(pair, size, latency_sampling(context, size)));
    }
}

void tcp(Context& context, raw::Pair& pair) {
    raw::Tcp tcp(pair, "limits/tcp");
    for (const Bytes size : {Bytes(1), Bytes(8), Bytes(64), Bytes(1 << 10), Bytes(4 << 10)}) {
        announce_limit(context, metric::tcp, size);
        emit_limit(context, with_size(size), metric::tcp, unit::microseconds,
                   tcp.latency(size, latency_sampling(context, size)));
    }
    for (const Bytes size : sizes_of(context)) {
        announce_limit(context, metric::tcp, size);
        emit_limit(
            context, with_size(size), metric::tcp, unit::megabytes_per_second,
            tcp.bandwidth(size, limit_window, window_sampling(context, size * limit_window)));
    }
}

}  // namespace

void limits(Context& context) {
    // The ring of the largest cut has to fit, and so have a hundred places for a cache line.
    Bytes bulk = std::max(largest_size(context), Bytes(1 << 20));
    for (const raw::Cut cut : raw::cuts())
        bulk = std::max(bulk, cut.chunk * cut.depth);
    raw::Pair pair(context.rank(), "limits", bulk);

    context.progress(metric::cache_line_handover);
    emit_limit(context, {}, metric::cache_line_handover, unit::microseconds,
               raw::cache_line_handover(pair, latency_sampling(context, Bytes(8))));
    for (const Bytes size : sizes_of(context)) {
        announce_limit(context, metric::copy, size);
        emit_limit(
            context, with_size(size), metric::copy, unit::megabytes_per_second,
            raw::copy(pair, size, limit_window, window_sampling(context, size * limit_window)));
    }
    pipelines(context, pair);
    readv(context, pair);
    tcp(context, pair);
}

}  // namespace railyard::experiments
