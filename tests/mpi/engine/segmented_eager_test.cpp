// Segmented eager: messages of a few packets, which leave whole where rings are mapped.

#include <gtest/gtest.h>

#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

constexpr std::size_t segmented_sizes[] = {8 * 1024 + 1, 16 * 1024, 20'000, 32 * 1024 - 1,
                                           32 * 1024};

void run_on_shm(const std::function<void(World&)>& body, const Change& change = {}) {
    const job::Result result = run_world("shm", 2, body, change);
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(SegmentedEager, ASendIsDoneBeforeAnybodyReceives) {
    run_on_shm([](World& w) {
        for (const std::size_t n : segmented_sizes) {
            meet(w);
            const auto data = pattern(n, 1);
            if (w.rank() == 0) {
                Request& send =
                    w.process.start_send(ConstBuffer(data.data(), n, World::bytes()), 1, 1, w.comm);
                expect(send.is_complete(), "waits at size " + std::to_string(n));
                w.process.release(send);
                w.send({}, 1, 2);
            } else {
                w.receive(0, 0, 2);
                expect(w.receive(n, 0, 1) == data, "wrong bytes at size " + std::to_string(n));
            }
        }
    });
}

TEST(SegmentedEager, ALargerOneWaitsForTheCts) {
    run_on_shm([](World& w) {
        meet(w);
        const auto data = pattern(32 * 1024 + 1, 1);
        if (w.rank() == 0) {
            Request& send = w.process.start_send(
                ConstBuffer(data.data(), data.size(), World::bytes()), 1, 1, w.comm);
            expect(!send.is_complete(), "sent without a CTS");
            w.process.wait(send);
            w.process.release(send);
        } else {
            expect(w.receive(data.size(), 0, 1) == data, "wrong bytes");
        }
    });
}

TEST(SegmentedEager, ASynchronousOneWaitsForItsReceive) {
    run_on_shm([](World& w) {
        meet(w);
        const auto data = pattern(32 * 1024, 1);
        if (w.rank() == 0) {
            Request& send =
                w.process.start_send(ConstBuffer(data.data(), data.size(), World::bytes()), 1, 1,
                                     w.comm, Mode::synchronous);
            expect(!send.is_complete(), "done without a receive");
            w.process.wait(send);
            w.process.release(send);
        } else {
            expect(w.receive(data.size(), 0, 1) == data, "wrong bytes");
        }
    });
}

TEST(SegmentedEager, WhatDoesNotFitIsCutAndTheNextMessageIsWhole) {
    run_on_shm([](World& w) {
        // The buffer ends in the first packet, at its end, in a later segment, and before all.
        for (const std::size_t room : {100u, 8192u, 12'000u, 0u})
            for (const bool posted : {true, false}) {
                meet(w);
                if (w.rank() == 0) {
                    if (posted) w.receive(0, 1, 3);
                    w.send(pattern(30'000, 1), 1, 1);
                    w.send(pattern(20'000, 2), 1, 1);
                    w.send({}, 1, 2);
                    continue;
                }
                if (!posted) w.receive(0, 0, 2);
                std::vector<std::byte> in(room + 1, std::byte{7});
                Request& receive =
                    w.process.start_receive({in.data(), room, &World::bytes()}, 0, 1, w.comm);
                if (posted) w.send({}, 0, 3);
                w.process.wait(receive);
                expect(receive.status().error == ErrorClass::truncate, "no error");
                w.process.release(receive);
                const auto all = pattern(30'000, 1);
                expect(std::equal(in.begin(), in.end() - 1, all.begin()), "wrong bytes");
                expect(in[room] == std::byte{7}, "written behind the buffer");
                expect(w.receive(20'000, 0, 1) == pattern(20'000, 2), "the next one is wrong");
                if (posted) w.receive(0, 0, 2);
            }
    });
}

TEST(SegmentedEager, AMessageThatWasProbedAndTakenGetsItsSegments) {
    run_on_shm([](World& w) {
        for (int round = 0; round < 200; ++round) {
            if (w.rank() == 0) {
                w.send(pattern(32 * 1024, 4), 1, 6);
                w.receive(0, 1, 7);
                continue;
            }
            // Often before the other segments have come.
            Message* message = nullptr;
            w.process.wait_until(
                [&] { return (message = w.process.matched_probe(0, 6, w.comm)) != nullptr; });
            expect(message->status.bytes == 32 * 1024, "wrong size");
            std::vector<std::byte> in(32 * 1024);
            Request& receive =
                w.process.start_receive(*message, {in.data(), in.size(), &World::bytes()}, w.comm);
            w.process.wait(receive);
            w.process.release(receive);
            expect(in == pattern(32 * 1024, 4), "wrong bytes");
            w.send({}, 0, 7);
        }
    });
}

// More than the ring and the limit of what may wait take: most must go by rendezvous in the end.
TEST(SegmentedEager, ManyThatNobodyReceivesYetKeepTheirOrder) {
    run_on_shm([](World& w) {
        constexpr unsigned many = 100;
        std::vector<std::vector<std::byte>> data;
        for (unsigned i = 0; i < many; ++i)
            data.push_back(pattern(9'000 + 200 * i, i));
        if (w.rank() == 0) {
            std::vector<Request*> sends;
            for (const auto& one : data)
                sends.push_back(&w.process.start_send(
                    ConstBuffer(one.data(), one.size(), World::bytes()), 1, 1, w.comm));
            for (Request* send : sends) {
                w.process.wait(*send);
                w.process.release(*send);
            }
            return;
        }
        w.process.wait_until([&] { return w.process.counters().unexpected_longest > 10; });
        for (const auto& one : data)
            expect(w.receive(one.size(), 0, 1) == one, "out of order");
    });
}

TEST(SegmentedEager, CanBeSwitchedOff) {
    run_on_shm(
        [](World& w) {
            meet(w);
            if (w.rank() == 0) {
                const auto data = pattern(30'000, 1);
                Request& send = w.process.start_send(
                    ConstBuffer(data.data(), data.size(), World::bytes()), 1, 1, w.comm);
                expect(!send.is_complete(), "left whole");
                w.process.wait(send);
                w.process.release(send);
            } else {
                expect(w.receive(30'000, 0, 1) == pattern(30'000, 1), "wrong bytes");
            }
        },
        [](Settings& s) { s.segmented_eager_limit = Bytes(0); });
}

}  // namespace
}  // namespace railyard::mpi
