// The same program gives the same run, whatever the addresses of its objects.

#include <random>
#include <string>

#include "pair.hpp"

namespace railyard::ideal::testing {
namespace {

/// Every rank writes and sends to every other at random; the log has each completion's time.
std::string all_to_all(int ranks, unsigned seed) {
    sim::Engine engine;
    const auto fabric = open(engine);
    std::vector<fabric::Address> addresses(static_cast<std::size_t>(ranks));
    std::string log;
    for (int rank = 0; rank < ranks; ++rank)
        engine.spawn("rank " + std::to_string(rank), [&, rank] {
            hosts::VirtualHost host(engine);
            const auto nic = fabric->adapter(static_cast<fabric::NodeId>(rank)).open(host);
            addresses[static_cast<std::size_t>(rank)] = nic->address();
            host.compute(1_us);  // all addresses are there
            const auto queue = nic->create_completion_queue(4096);
            const auto shared =
                nic->create_receive_queue(4096, fabric::ReceiveQueue::Sharing::shared);
            const auto memory = nic->allocate(64_KiB, Access::all);
            const Slice whole(*memory);
            std::vector<std::unique_ptr<fabric::QueuePair>> pairs;
            for (int peer = 0; peer < ranks; ++peer) {
                if (peer == rank) continue;
                fabric::QueuePairOptions options;
                options.send_completions = options.receive_completions = queue.get();
                options.receives = shared.get();
                pairs.push_back(nic->create_queue_pair(options));
                EXPECT_TRUE(pairs.back()
                                ->connect_peer(addresses[static_cast<std::size_t>(peer)], 0, {},
                                               Time::never())
                                .ok());
            }
            const int messages = 20;
            const int expected = 2 * messages * (ranks - 1);
            for (int i = 0; i < messages * (ranks - 1); ++i)
                EXPECT_TRUE(shared->post(ReceiveRequest{0, {&whole, 1}}).ok());
            std::mt19937 random(seed + static_cast<unsigned>(rank));
            for (auto& pair : pairs) {
                host.wait_until([&] { return pair->state() == ConnectionState::connected; });
                for (int i = 0; i < messages; ++i) {
                    const Slice slice(*memory, {}, Bytes(random() % 10'000));
                    EXPECT_TRUE(pair->post(send(random() % 1000, slice)).ok());
                }
            }
            for (int seen = 0; seen < expected; ++seen) {
                Completion completion;
                host.wait_until([&] { return queue->poll(completion); });
                EXPECT_TRUE(completion.status.ok());
                log += std::to_string(rank) + ' ' + std::to_string(completion.id) + ' ' +
                       std::to_string(completion.length.count()) + " @" +
                       std::to_string(host.now().since_start().picoseconds()) + '\n';
            }
            host.compute(1_ms);  // nobody leaves before all have what they wait for
        });
    engine.run();
    return log;
}

TEST(IdealDeterminism, TheSameProgramGivesTheSameBytes) {
    const std::string once = all_to_all(6, 1);
    const std::vector<char> moves_the_heap(100'000);
    EXPECT_EQ(once, all_to_all(6, 1));
    EXPECT_NE(once, all_to_all(6, 2));
}

}  // namespace
}  // namespace railyard::ideal::testing
