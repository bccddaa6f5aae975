// Small messages that are started together, and long eager ones, where processors move the bytes.

#include <gtest/gtest.h>

#include "mpi/engine/world.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {
namespace {

void run_on_iwarp(const std::function<void(World&)>& body) {
    const job::Result result = run_world("iwarp", 2, body);
    EXPECT_TRUE(result.ok) << result.failure;
}

Request& start(World& w, const std::vector<std::byte>& data, int tag) {
    return w.process.start_send(ConstBuffer(data.data(), data.size(), World::bytes()), 1, tag,
                                w.comm);
}

void finish(World& w, Request& request) {
    w.process.wait(request);
    w.process.release(request);
}

/// Of every kind: coalesced, too long for that, zero-copy, rendezvous.
std::size_t size_of(int i) {
    constexpr std::size_t sizes[] = {0, 8, 1, 100, 8, 3000, 8192, 8193, 8, 8, 65536, 7, 65537};
    return sizes[static_cast<std::size_t>(i) % std::size(sizes)];
}

TEST(Coalescing, KeepsEveryByteAndTheOrder) {
    run_on_iwarp([](World& w) {
        constexpr int count = 400;
        if (w.rank() == 0) {
            std::vector<std::vector<std::byte>> data;
            std::vector<Request*> sends;
            for (int i = 0; i < count; ++i)
                data.push_back(pattern(size_of(i), static_cast<unsigned>(i)));
            for (int i = 0; i < count; ++i)
                sends.push_back(&start(w, data[static_cast<std::size_t>(i)], 1));
            for (Request* send : sends)
                finish(w, *send);
        } else {
            for (int i = 0; i < count; ++i)
                expect(w.receive(size_of(i), 0, 1) == pattern(size_of(i), static_cast<unsigned>(i)),
                       "message " + std::to_string(i));
        }
    });
}

TEST(Coalescing, TheFirstLeavesAtOnceAndOthersWhenTheSenderWaits) {
    run_on_iwarp([](World& w) {
        meet(w);
        if (w.rank() == 1) {
            for (int tag = 1; tag <= 3; ++tag)
                expect(w.receive(8, 0, tag) == pattern(8, static_cast<unsigned>(tag)), "bytes");
            return;
        }
        w.process.progress();  // a burst begins after a poll
        const auto one = pattern(8, 1);
        const auto two = pattern(8, 2);
        const auto three = pattern(8, 3);
        Request& first = start(w, one, 1);
        expect(first.is_complete(), "the first of a burst is held back");
        Request& second = start(w, two, 2);
        Request& third = start(w, three, 3);
        expect(!second.is_complete() && !third.is_complete(), "complete, and not sent");
        w.process.wait(second);
        expect(third.is_complete(), "left behind");
        for (Request* send : {&first, &second, &third})
            w.process.release(*send);
    });
}

// Whoever sends and then waits for something else than a message has sent.
TEST(Coalescing, ABlockingSendTakesAlongWhatWasStartedBefore) {
    run_on_iwarp([](World& w) {
        meet(w);
        const std::byte done{1};
        if (w.rank() == 1) {
            for (int tag = 1; tag <= 4; ++tag)
                w.receive(8, 0, tag);
            w.process.rank().bootstrap().put("coalescing.got", {&done, 1});
            return;
        }
        const auto data = pattern(8, 1);
        std::vector<Request*> sends;
        for (int tag = 1; tag <= 3; ++tag)
            sends.push_back(&start(w, data, tag));
        w.send(data, 1, 4);
        w.process.rank().bootstrap().get(1, "coalescing.got");
        for (Request* send : sends)
            finish(w, *send);
    });
}

TEST(Coalescing, MessagesThatNobodyWaitsForLeaveBeforeTheEnd) {
    run_on_iwarp([](World& w) {
        constexpr int count = 30;
        static const auto data = pattern(60'000, 1);
        meet(w);
        if (w.rank() == 0) {
            for (int i = 0; i < count; ++i) {
                w.process.free_when_done(start(w, data, 1));
                w.process.free_when_done(start(w, {}, 2));
            }
            return;
        }
        for (int i = 0; i < count; ++i) {
            expect(w.receive(data.size(), 0, 1) == data, "bytes");
            w.receive(0, 0, 2);
        }
    });
}

TEST(ZeroCopy, EagerMessagesNeedNoAnswer) {
    run_on_iwarp([](World& w) {
        meet(w);
        const auto fits = pattern(64 << 10, 1);
        const auto larger = pattern((64 << 10) + 1, 2);
        if (w.rank() == 1) {
            w.receive(0, 0, 3);
            expect(w.receive(fits.size(), 0, 1) == fits, "bytes of an eager one");
            expect(w.receive(larger.size(), 0, 2) == larger, "bytes of a rendezvous");
            return;
        }
        Request& send = start(w, fits, 1);
        w.process.wait(send);  // its receive is posted only after the message of tag 3
        w.process.release(send);
        w.send({}, 1, 3);
        expect(w.process.counters().rendezvous_sent == 0, "by rendezvous");
        w.send(larger, 1, 2);
        expect(w.process.counters().rendezvous_sent == 1, "not by rendezvous");
    });
}

}  // namespace
}  // namespace railyard::mpi
