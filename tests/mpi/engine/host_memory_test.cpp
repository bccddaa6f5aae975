// What a host's cache has to do with MPI, on a model whose time can be read.

#include <gtest/gtest.h>

#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

constexpr std::size_t large = 100'000;
constexpr std::size_t small = 1000;

/// How long rank 1 takes to send a small message from a buffer: when it is fresh, used before, and
/// written to by an adapter.
struct Times {
    Duration fresh;
    Duration used;
    Duration overwritten;
    friend bool operator==(const Times&, const Times&) = default;
};

Times times_of_sends(const std::string& fabric, std::size_t offset) {
    Times times;
    const job::Result result = run_world(fabric, 2, [&](World& w) {
        std::vector<std::byte> warm(small);
        std::vector<std::byte> memory(large + 4096);
        std::byte* const data = memory.data() + offset;
        const auto reply = [&](std::byte* from) {
            const Time start = w.process.host().now();
            if (w.rank() == 1)
                w.process.send(ConstBuffer(from, small, World::bytes()), 0, 1, w.comm);
            else
                w.process.receive({warm.data(), small, &World::bytes()}, 1, 1, w.comm, nullptr);
            return w.process.host().now() - start;
        };
        for (int i = 0; i < 3; ++i)
            reply(warm.data());
        Times own;
        own.fresh = reply(data);
        own.used = reply(data);
        if (w.rank() == 0)
            w.process.send(ConstBuffer(data, large, World::bytes()), 1, 1, w.comm);
        else
            w.process.receive({data, large, &World::bytes()}, 0, 1, w.comm, nullptr);
        own.overwritten = reply(data);
        if (w.rank() == 1) times = own;
    });
    EXPECT_TRUE(result.ok) << result.failure;
    return times;
}

// RC-3. 1000 bytes are 16 lines: the first takes 120 ns, the others 25.6 ns, the page 60 ns.
TEST(MpiHostMemory, BuffersThatAreNotInTheCacheCostMoreToSend) {
    const Times times = times_of_sends("infiniband-memfree", 0);
    EXPECT_EQ(times.fresh - times.used, Duration::ns(120 + 15 * 25 + 9 + 60));
    EXPECT_EQ(times.overwritten - times.used, Duration::ns(120 + 15 * 25 + 9))
        << "what an adapter wrote is in memory only";
}

TEST(MpiHostMemory, WhereABufferLiesDoesNotMatter) {
    const Times aligned = times_of_sends("infiniband-memfree", 0);
    for (const std::size_t offset : {1U, 24U, 60U, 4000U})
        EXPECT_EQ(times_of_sends("infiniband-memfree", offset), aligned) << offset;
}

}  // namespace
}  // namespace railyard::mpi
