// Messages of all sizes and modes, between ranks and to oneself, on real and modelled fabrics.

#include <gtest/gtest.h>

#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

const std::vector<std::size_t> sizes{
    0,    1,    8,    24,    25,    43,    44,     64,      1000,          4096,
    4097, 8192, 8193, 16384, 40000, 65536, 200001, 1 << 20, (3 << 20) + 17};

class Messages : public testing::TestWithParam<std::string> {
  protected:
    void run(int ranks, const std::function<void(World&)>& body, const Change& change = {}) {
        const job::Result result = run_world(GetParam(), ranks, body, change);
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

TEST_P(Messages, OfEverySizeArriveWhole) {
    run(2, [](World& w) {
        for (const std::size_t n : sizes)
            for (const Mode mode : {Mode::standard, Mode::synchronous}) {
                if (w.rank() == 0) w.send(pattern(n, 7), 1, static_cast<int>(n % 1000), mode);
                Status status;
                if (w.rank() == 1) {
                    expect(
                        w.receive(n + 3, 0, static_cast<int>(n % 1000), &status) == pattern(n, 7),
                        "wrong bytes at size " + std::to_string(n));
                    expect(status.source == 0 && status.tag == static_cast<int>(n % 1000) &&
                               status.bytes == n,
                           "wrong status at size " + std::to_string(n));
                }
            }
    });
}

TEST_P(Messages, ComingUnexpectedArriveWhole) {
    run(2, [](World& w) {
        if (w.rank() == 0) {
            std::vector<std::vector<std::byte>> data;
            std::vector<Request*> sends;
            for (const std::size_t n : sizes)
                data.push_back(pattern(n, 3));
            for (std::size_t i = 0; i < data.size(); ++i)
                sends.push_back(&w.process.start_send(
                    ConstBuffer(data[i].data(), data[i].size(), World::bytes()), 1,
                    static_cast<int>(i), w.comm));
            w.send({}, 1, 999);
            for (Request* send : sends) {
                w.process.wait(*send);
                w.process.release(*send);
            }
            return;
        }
        w.receive(0, 0, 999);
        for (std::size_t i = sizes.size(); i-- > 0;)
            expect(w.receive(sizes[i], 0, static_cast<int>(i)) == pattern(sizes[i], 3),
                   "wrong bytes at size " + std::to_string(sizes[i]));
    });
}

// A wait looks at so many packets of one peer at a time; the rest must not be slept on.
TEST_P(Messages, ManyThatCameAtOnceAreAllLookedAt) {
    constexpr int count = 60;
    const job::Result result = run_world(
        GetParam(), 2,
        [](World& w) {
            meet(w);
            if (w.rank() == 0) {
                for (int i = 0; i < count; ++i)
                    w.send(pattern(8, static_cast<unsigned>(i)), 1, i);
                w.receive(0, 1, 0);
                return;
            }
            w.process.host().compute(Duration::ms(1));
            expect(w.receive(8, 0, count - 1) == pattern(8, count - 1), "the last");
            for (int i = 0; i + 1 < count; ++i)
                expect(w.receive(8, 0, i) == pattern(8, static_cast<unsigned>(i)), "the others");
            w.send({}, 0, 0);
        },
        [](Settings& settings) { settings.ring_cells = 64; });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_P(Messages, BothWaysAtOnce) {
    run(3, [](World& w) {
        for (const std::size_t n : sizes) {
            const int right = (w.rank() + 1) % 3;
            const int left = (w.rank() + 2) % 3;
            const auto out = pattern(n, static_cast<unsigned>(w.rank()));
            std::vector<std::byte> in(n);
            w.process.exchange(ConstBuffer(out.data(), n, World::bytes()), right, 5,
                               {in.data(), n, &World::bytes()}, left, 5, w.comm, nullptr);
            expect(in == pattern(n, static_cast<unsigned>(left)), "wrong bytes");
        }
    });
}

TEST_P(Messages, ToOneself) {
    run(1, [](World& w) {
        for (const std::size_t n : sizes) {
            const auto out = pattern(n, 1);
            std::vector<std::byte> in(n);
            Request& send =
                w.process.start_send(ConstBuffer(out.data(), n, World::bytes()), 0, 1, w.comm);
            w.process.receive({in.data(), n, &World::bytes()}, any_source, any_tag, w.comm,
                              nullptr);
            w.process.wait(send);
            w.process.release(send);
            expect(in == out, "wrong bytes");
            Request& receive =
                w.process.start_receive({in.data(), n, &World::bytes()}, 0, 2, w.comm);
            w.send(out, 0, 2, Mode::synchronous);
            w.process.wait(receive);
            w.process.release(receive);
        }
    });
}

// PR-6: under every mixture of protocols, messages of one sender match in the order of sending.
TEST_P(Messages, KeepTheirOrderUnderWildcards) {
    run(3, [](World& w) {
        constexpr int n = 200;
        const auto size_of = [](int i) { return sizes[static_cast<std::size_t>(i * 7) % 15]; };
        if (w.rank() > 0) {
            for (int i = 0; i < n; ++i)
                w.send(pattern(size_of(i), static_cast<unsigned>(i)), 0, i % 3);
            return;
        }
        std::vector<int> next(3, 0);
        for (int i = 0; i < 2 * n; ++i) {
            Status status;
            const auto data = w.receive(1 << 20, any_source, any_tag, &status);
            int& expected = next[static_cast<std::size_t>(status.source)];
            expect(status.tag == expected % 3 &&
                       data == pattern(size_of(expected), static_cast<unsigned>(expected)),
                   "out of order");
            ++expected;
        }
    });
}

TEST_P(Messages, LongerThanTheBufferAreCutAndToldOf) {
    run(2, [](World& w) {
        for (const std::size_t n :
             {std::size_t{100}, std::size_t{10000}, std::size_t{30000}, std::size_t{300000}}) {
            if (w.rank() == 0) {
                w.send(pattern(n, 1), 1, 1);
                w.send(pattern(5, 2), 1, 1);
                continue;
            }
            std::vector<std::byte> in(n / 2 + 8, std::byte{0});
            Request& receive =
                w.process.start_receive({in.data(), n / 2, &World::bytes()}, 0, 1, w.comm);
            w.process.wait(receive);
            expect(receive.status().error == ErrorClass::truncate, "no error");
            w.process.release(receive);
            expect(in[n / 2] == std::byte{0}, "written behind the buffer");
            expect(w.receive(5, 0, 1) == pattern(5, 2), "the next message is wrong");
        }
    });
}

TEST_P(Messages, ProbedAndTaken) {
    run(2, [](World& w) {
        for (const std::size_t n :
             {std::size_t{10}, std::size_t{5000}, std::size_t{30000}, std::size_t{100000}}) {
            if (w.rank() == 0) {
                Request* request = nullptr;
                const auto data = pattern(n, 4);
                request = &w.process.start_send(ConstBuffer(data.data(), n, World::bytes()), 1, 6,
                                                w.comm);
                w.send(pattern(n, 5), 1, 6);
                w.process.wait(*request);
                w.process.release(*request);
                continue;
            }
            std::optional<Status> found;
            w.process.wait_until(
                [&] { return (found = w.process.probe(0, any_tag, w.comm)).has_value(); });
            expect(found->bytes == n && found->tag == 6, "probe is wrong");
            Message* message = w.process.matched_probe(any_source, 6, w.comm);
            expect(message != nullptr && message->status.bytes == n, "no message");
            // The first one is taken: a receive gets the second.
            Request* second = nullptr;
            std::vector<std::byte> in2(n);
            second = &w.process.start_receive({in2.data(), n, &World::bytes()}, 0, 6, w.comm);
            std::vector<std::byte> in(n);
            Request& first =
                w.process.start_receive(*message, {in.data(), n, &World::bytes()}, w.comm);
            w.process.wait(first);
            w.process.wait(*second);
            w.process.release(first);
            w.process.release(*second);
            expect(in == pattern(n, 4) && in2 == pattern(n, 5), "wrong bytes");
        }
    });
}

TEST_P(Messages, ReceivesCanBeCancelled) {
    run(2, [](World& w) {
        std::byte in{};
        if (w.rank() == 1) {
            Request& receive = w.process.start_receive({&in, 1, &World::bytes()}, 0, 1, w.comm);
            w.process.cancel(receive);
            expect(receive.is_complete() && receive.status().cancelled, "not cancelled");
            w.process.release(receive);
            w.send({}, 0, 2);
            expect(w.receive(4, 0, 1) == pattern(4, 9), "wrong bytes");
        } else {
            w.receive(0, 1, 2);
            w.send(pattern(4, 9), 1, 1);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(On, Messages,
                         testing::Values("shm", "iwarp", "shm+iwarp", "ideal", "infiniband-pcie",
                                         "berkeley-via", "quadrics", "mx10g-myrinet",
                                         "myrinet2000-gm"),
                         [](const auto& instance) { return test_name(instance.param); });

}  // namespace
}  // namespace railyard::mpi
