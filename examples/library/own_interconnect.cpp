/// An interconnect of one's own behind the interface: a bus that all nodes share, as Ethernet was
/// once. It says when messages arrive; all else (queue pairs, RDMA, tagged ports, errors) is there.
///
///     own_interconnect                    what sharing costs
///     own_interconnect --contract [...]   the tests that every interconnect passes

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "railyard/library/contract.hpp"
#include "railyard/library/fabrics.hpp"
#include "railyard/library/job.hpp"

using namespace railyard;
using namespace railyard::fabric;

namespace {

class SharedBus final : public Network {
  public:
    Time arrival(const NetworkMessage& message, Time now) override {
        // Whoever is on the bus keeps others off it, whatever the direction.
        const Duration on_bus = (message.size + header).count() * per_byte;
        free_at_ = std::max(free_at_, now) + on_bus;
        return free_at_ + propagation;
    }
    Duration host_cost(HostWork work, Bytes) const override {
        return work == HostWork::post_send ? Duration::ns(500) : Duration();
    }

  private:
    static constexpr Bytes header{38};
    static constexpr Duration per_byte = Duration::ns(8);  // 125 MB/s
    static constexpr Duration propagation = Duration::us(1);
    Time free_at_;
};

/// Each rank sends 64 KiB to the next one, all at once. Rank 0 tells how long that takes.
void shift(Rank& rank) {
    Host& host = rank.host();
    TaggedPort& port = *rank.nic().tagged_port();
    const auto addresses = rank.gather("address", rank.nic().address());
    const auto next = static_cast<std::size_t>((rank.id() + 1) % rank.size());
    std::vector<std::byte> out(64 << 10), in(64 << 10);
    rank.fence();
    const Time start = host.now();
    (void)port.receive({.id = 1, .buffer = in});
    (void)port.send({.id = 2, .to = port.peer(addresses[next]), .data = out});
    for (int done = 0; done < 2;) {
        std::array<TaggedCompletion, 2> found;
        host.wait_until([&] {
            const auto n = static_cast<int>(port.poll(found));
            done += n;
            return n > 0;
        });
    }
    rank.fence();
    if (rank.id() == 0)
        std::printf("%d ranks on %s: %.1f us\n", rank.size(), rank.nic().traits().name.c_str(),
                    (host.now() - start).microseconds());
}

}  // namespace

int main(int argc, char** argv) try {
    add_network({.name = "shared-bus", .description = "one bus for all, 125 MB/s"},
                [](NodeId) { return std::make_unique<SharedBus>(); });
    if (argc > 1 && std::string_view(argv[1]) == "--contract")
        return contract::run_suite(argc - 1, argv + 1, "shared-bus");
    for (const int ranks : {2, 4, 8}) {
        const JobResult result = run({.fabric = "shared-bus", .ranks = ranks}, shift);
        if (!result.ok) throw Error(result.failure);
    }
} catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
