// A thread that makes progress while its rank computes: for real, and in virtual time as a fiber.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "mpi/collectives/collectives.hpp"
#include "mpi/engine/engine_lock.hpp"
#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

void run_well(const std::string& fabric, int ranks, const std::function<void(World&)>& body,
              const Change& change = {}) {
    const job::Result result = run_world(fabric, ranks, body, change);
    EXPECT_TRUE(result.ok) << result.failure;
}

// OD-11, for real: the receiver calls nothing until the sender has sent, so that only the thread
// can have answered.
TEST(ProgressThread, AnswersForReal) {
    for (const char* const fabric : {"shm", "iwarp"}) {
        std::atomic<bool> sent = false;
        run_well(
            fabric, 2,
            [&](World& w) {
                if (w.rank() == 0) {
                    const EngineLockGuard guard(w.process.lock().get());
                    w.send(pattern(4, 1), 1, 1);
                    sent.store(true, std::memory_order_relaxed);
                    return;
                }
                const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
                while (!sent.load(std::memory_order_relaxed) &&
                       std::chrono::steady_clock::now() < patience)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                expect(sent.load(std::memory_order_relaxed), "nobody has answered");
                const EngineLockGuard guard(w.process.lock().get());
                expect(w.receive(4, 0, 1) == pattern(4, 1), "wrong bytes");
            },
            [](Settings& s) { s.progress_thread = true; });
    }
}

// OD-11: a progress thread takes over requests for connections, so that a short send completes
// though the receiver computes. In virtual time it is a fiber beside the rank's.
TEST(ProgressThread, AnswersWhileItsRankComputes) {
    for (const char* const fabric : {"clan-via", "berkeley-via", "infiniband-pcie"})
        for (const std::uint32_t rings : {0u, 4u})
            run_well(
                fabric, 3,
                [](World& w) {
                    const Duration long_time = Duration::ms(20);
                    if (w.rank() != 1) {
                        const Time start = w.process.host().now();
                        w.send(pattern(4, static_cast<unsigned>(w.rank())), 1, 1);
                        expect(w.process.host().now() - start < long_time / 2, "it waited");
                    } else {
                        w.process.host().compute(long_time);
                        expect(w.process.counters().channels == 2, "nobody has answered");
                        for (const int peer : {2, 0})
                            expect(w.receive(4, peer, 1) == pattern(4, static_cast<unsigned>(peer)),
                                   "wrong bytes");
                    }
                    expect(w.process.counters().connections == (w.rank() == 1 ? 2U : 1U),
                           "not one connection a pair");
                },
                [rings](Settings& s) {
                    s.progress_thread = true;
                    s.watched_rings = rings;
                });
}

// A collective that was started goes on while its ranks compute, and is done when they are.
TEST(ProgressThread, GoesOnWithCollectivesInVirtualTime) {
    for (const char* const fabric : {"clan-via", "infiniband-pcie", "quadrics", "ideal"})
        for (const bool with_thread : {false, true})
            run_well(
                fabric, 5,
                [&](World& w) {
                    const Datatype& type = *predefined(Basic::c_long);
                    std::vector<long> data(2000, w.rank());
                    const auto call = [&](auto&& work) {
                        const EngineLockGuard guard(w.process.lock().get());
                        return work();
                    };
                    const auto start = [&] {
                        return &w.process.start_collective(w.comm, [&](Team& team) {
                            allreduce(team, in_place(), {data.data(), data.size(), &type},
                                      *predefined(Operation::Kind::sum));
                        });
                    };
                    // Connections are made first.
                    Request* request = call(start);
                    call([&] { w.process.wait(*request); });
                    call([&] { w.process.release(*request); });
                    std::fill(data.begin(), data.end(), w.rank());
                    const Time began = w.process.host().now();
                    request = call(start);
                    const Duration long_time = Duration::ms(50);
                    w.process.host().compute(long_time);
                    expect(request->is_complete() == with_thread,
                           with_thread ? "nobody went on with it" : "who has gone on with it?");
                    call([&] { w.process.wait(*request); });
                    if (with_thread)
                        expect(w.process.host().now() - began < long_time + long_time / 10,
                               "it waited");
                    for (const long value : data)
                        expect(value == 10, "wrong sum");
                    call([&] { w.process.release(*request); });
                },
                [with_thread](Settings& s) { s.progress_thread = with_thread; });
}

// The fiber may be at work while its rank asks the same peer, ends, or fails.
TEST(ProgressThread, IsInNobodysWay) {
    for (int delay = 0; delay < 400; delay += 7) {
        run_well(
            "clan-via", 4,
            [delay](World& w) {
                for (int distance = 1; distance < 4; ++distance) {
                    w.process.host().compute(Duration::us(delay * (w.rank() % 3)));
                    const auto out = pattern(50, static_cast<unsigned>(w.rank()));
                    std::vector<std::byte> in(50);
                    const int from = (w.rank() + 4 - distance) % 4;
                    w.process.exchange(ConstBuffer(out.data(), 50, World::bytes()),
                                       (w.rank() + distance) % 4, 1,
                                       {in.data(), 50, &World::bytes()}, from, 1, w.comm, nullptr);
                    expect(in == pattern(50, static_cast<unsigned>(from)), "wrong bytes");
                }
                expect(w.process.counters().connections == 3, "not one connection a peer");
            },
            [](Settings& s) { s.progress_thread = true; });
        const job::Result failed = run_world(
            "clan-via", 3,
            [delay](World& w) {
                if (w.rank() == 2) {
                    w.process.host().compute(Duration::us(delay));
                    throw Error("on purpose");
                }
                if (w.rank() == 0) w.send(pattern(4, 1), 1, 1);
                w.process.host().compute(Duration::ms(1));
            },
            [](Settings& s) { s.progress_thread = true; });
        EXPECT_EQ(failed.failure, "rank 2 failed: on purpose");
    }
}

}  // namespace
}  // namespace railyard::mpi
