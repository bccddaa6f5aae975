/// Messages that the adapter matches by 64 bits, as Quadrics' and Myrinet's did and as libfabric's
/// tagged endpoints do: no connections, no registration, and a receive may take what comes first.
///
///     tagged [FABRIC]           one with tagged ports: `railyard fabrics` shows which

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "railyard/library/job.hpp"

using namespace railyard;
using namespace railyard::fabric;

namespace {

constexpr MatchBits question = 0x100000000;  // a kind in the upper half, a number in the lower
constexpr MatchBits kind_mask = 0xffffffff00000000;

TaggedCompletion next(Host& host, TaggedPort& port) {
    std::array<TaggedCompletion, 1> done;
    host.wait_until([&] { return port.poll(done) == 1; });
    if (!done[0].status.ok()) throw Error(std::string(done[0].status.name()));
    return done[0];
}

/// Every other rank asks rank 0, which answers in the order of arrival, whatever the number.
void ask_and_answer(Rank& rank) {
    Host& host = rank.host();
    TaggedPort* port = rank.nic().tagged_port();
    if (port == nullptr) throw Error(rank.nic().traits().name + " has no tagged ports");
    const auto addresses = rank.gather("address", rank.nic().address());
    const auto number = static_cast<MatchBits>(rank.id());

    std::array<std::byte, 64> buffer{};
    if (rank.id() != 0) {
        const std::string text = "what is " + std::to_string(rank.id()) + " squared?";
        const TaggedPeer zero = port->peer(addresses[0]);
        (void)port->receive({.id = 1, .from = zero, .bits = number, .buffer = buffer});
        (void)port->send({.id = 2,
                          .to = zero,
                          .bits = question | number,
                          .data = std::as_bytes(std::span(text))});
        for (int i = 0; i < 2; ++i) {
            const TaggedCompletion done = next(host, *port);
            if (done.receive)
                std::printf("rank %d hears: %s\n", rank.id(),
                            reinterpret_cast<const char*>(buffer.data()));
        }
    }
    for (int answers = 1; rank.id() == 0 && answers < rank.size(); ++answers) {
        // Any source, any number: only the kind must match.
        (void)port->receive({.id = 1, .bits = question, .mask = kind_mask, .buffer = buffer});
        const TaggedCompletion asked = next(host, *port);
        const auto n = asked.bits & ~kind_mask;
        const std::string text = std::to_string(n * n);
        (void)port->send({.id = 2,
                          .to = asked.peer,
                          .bits = n,
                          .data = std::as_bytes(std::span(text.c_str(), text.size() + 1))});
        (void)next(host, *port);  // The text is the port's until then.
    }
    rank.fence();
}

}  // namespace

int main(int argc, char** argv) try {
    const JobResult result =
        run({.fabric = argc > 1 ? argv[1] : "quadrics", .ranks = 4}, ask_and_answer);
    if (!result.ok) std::fprintf(stderr, "%s\n", result.failure.c_str());
    return result.exit_code;
} catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
