// Collectives in which ranks read straight from each other's memory.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/collectives/collectives.hpp"
#include "mpi/engine/world.hpp"
#include "mpi/types/constructors.hpp"

namespace railyard::mpi {
namespace {

class DirectMeetings : public testing::TestWithParam<int> {
  protected:
    void run(const std::function<void(World&, Team&)>& body, const Change& change = {}) {
        const job::Result result = run_world(
            "shm", GetParam(),
            [&](World& w) {
                const auto team = w.process.make_team(w.comm);
                body(w, *team);
            },
            [&](Settings& s) {
                s.algorithms = "alltoall=direct,allgather=direct,bcast=direct,reduce=direct";
                if (change) change(s);
            });
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

const Datatype& longs() {
    return *predefined(Basic::c_long);
}

/// a op b = 3 a + 2 b does not commute.
const Operation& lopsided() {
    static const auto operation = std::make_shared<const Operation>(
        [](const void* in, void* inout, std::size_t count, const Datatype&) {
            const auto* const a = static_cast<const long*>(in);
            auto* const b = static_cast<long*>(inout);
            for (std::size_t i = 0; i < count; ++i)
                b[i] = 3 * a[i] + 2 * b[i];
        },
        false);
    return *operation;
}

/// To that root, with and without order, in place and not. Only two ranks do it directly, and only
/// of two the lopsided one has an answer that does not depend on brackets.
void play_reduce(Team& team, long round, int root, std::size_t n) {
    const bool has_order = team.size() == 2 && round / 2 % 2 == 0;
    const bool in_place_too = round / 4 % 2 == 0 && team.rank() == root;
    const auto value = [&](int rank, std::size_t i) {
        return round * 1'000'000 + rank * 10'000 + static_cast<long>(i);
    };
    std::vector<long> own(n);
    for (std::size_t i = 0; i < n; ++i)
        own[i] = value(team.rank(), i);
    std::vector<long> total = in_place_too ? own : std::vector<long>(n, -1);
    const Operation& operation = has_order ? lopsided() : *predefined(Operation::Kind::sum);
    reduce(team, in_place_too ? ConstBuffer(in_place()) : ConstBuffer(own.data(), n, longs()),
           Buffer{total.data(), n, &longs()}, operation, root);
    for (std::size_t i = 0; i < n; ++i) {
        long expected = has_order ? 3 * value(0, i) + 2 * value(1, i) : 0;
        for (int rank = 0; rank < team.size() && !has_order; ++rank)
            expected += value(rank, i);
        if (team.rank() == root) expect(total[i] == expected, "not the total");
        expect(in_place_too || own[i] == value(team.rank(), i), "what was given was changed");
    }
}

/// Rounds of all four, of lengths that come and go.
void play(World& w, Team& team, long rounds) {
    const auto ranks = static_cast<std::size_t>(w.size());
    const Datatype& type = longs();
    for (long round = 0; round < rounds; ++round) {
        const std::size_t n = 1 + static_cast<std::size_t>(round * round) % 3000;
        const auto value = [&](int from, int to, std::size_t i) {
            return round * 1'000'000'000 + from * 10'000'000 + to * 100'000 + static_cast<long>(i);
        };
        std::vector<long> out(ranks * n);
        std::vector<long> in(ranks * n, -1);
        for (std::size_t i = 0; i < ranks * n; ++i)
            out[i] = value(w.rank(), static_cast<int>(i / n), i % n);
        alltoall(team, ConstBuffer(out.data(), n, type), Buffer{in.data(), n, &type});
        for (std::size_t i = 0; i < ranks * n; ++i)
            expect(in[i] == value(static_cast<int>(i / n), w.rank(), i % n), "not for us");
        // Nobody reads it any more.
        std::fill(out.begin(), out.end(), -2);

        std::fill(in.begin(), in.end(), -1);
        const bool in_place_too = round % 2 == 1;
        std::vector<long> own(n);
        for (std::size_t i = 0; i < n; ++i)
            own[i] = value(w.rank(), 0, i);
        const auto place = in.begin() + static_cast<std::ptrdiff_t>(n) * w.rank();
        if (in_place_too) std::copy(own.begin(), own.end(), place);
        allgather(team, in_place_too ? ConstBuffer(in_place()) : ConstBuffer(own.data(), n, type),
                  Buffer{in.data(), n, &type});
        for (std::size_t i = 0; i < ranks * n; ++i)
            expect(in[i] == value(static_cast<int>(i / n), 0, i % n), "not that rank's");

        const int root = static_cast<int>(round % w.size());
        std::vector<long> word(n, -1);
        for (std::size_t i = 0; i < n && w.rank() == root; ++i)
            word[i] = value(root, root, i);
        bcast(team, Buffer{word.data(), n, &type}, root);
        for (std::size_t i = 0; i < n; ++i)
            expect(word[i] == value(root, root, i), "not the root's");
        play_reduce(team, round, root, n);
    }
}

TEST_P(DirectMeetings, BringWhatOthersHave) {
    run([](World& w, Team& team) { play(w, team, 60); });
}

TEST_P(DirectMeetings, SendNoMessagesOnceRanksAreConnected) {
    run([](World& w, Team& team) {
        const std::size_t n = 4000;
        const auto ranks = static_cast<std::size_t>(w.size());
        const std::vector<long> out(ranks * n, w.rank());
        std::vector<long> in(ranks * n, -1);
        const auto exchange = [&] {
            alltoall(team, ConstBuffer(out.data(), n, longs()), Buffer{in.data(), n, &longs()});
        };
        exchange();
        const std::uint64_t before = w.process.counters().bytes_sent;
        for (int i = 0; i < 5; ++i)
            exchange();
        expect(w.process.counters().bytes_sent == before, "bytes were sent");
        for (std::size_t i = 0; i < ranks * n; ++i)
            expect(in[i] == static_cast<long>(i / n), "not that rank's");
    });
}

/// The same four that do not block, many at a time, some of them small or of those that others
/// pass through memory, and blocking ones between.
void play_started(World& w, Team& team, long rounds) {
    constexpr long at_once = 5;
    const auto ranks = static_cast<std::size_t>(w.size());
    const Datatype& type = longs();
    const auto length = [](long round) {
        return 1 + static_cast<std::size_t>(round * round * 7) % 5000;
    };
    const auto value = [](long round, int from, int to, std::size_t i) {
        return round * 1'000'000'000 + from * 10'000'000 + to * 100'000 + static_cast<long>(i);
    };
    struct Buffers {
        std::vector<long> out, in, all, word, own, total;
        int root = 0;
        std::vector<Request*> requests;
    };
    for (long first = 0; first < rounds; first += at_once) {
        std::vector<Buffers> many(at_once);
        for (long k = 0; k < at_once; ++k) {
            Buffers& one = many[static_cast<std::size_t>(k)];
            const long round = first + k;
            const std::size_t n = length(round);
            one.root = static_cast<int>(round % w.size());
            one.out.resize(ranks * n);
            one.in.assign(ranks * n, -1);
            one.all.assign(ranks * n, -1);
            one.word.assign(n, -1);
            one.own.resize(n);
            one.total.assign(n, -1);
            for (std::size_t i = 0; i < ranks * n; ++i)
                one.out[i] = value(round, w.rank(), static_cast<int>(i / n), i % n);
            for (std::size_t i = 0; i < n; ++i)
                one.own[i] = value(round, w.rank(), 0, i);
            if (w.rank() == one.root) one.word = one.own;
            const auto start = [&](auto&& work) {
                one.requests.push_back(&w.process.start_collective(w.comm, work));
            };
            start([&](Team& t) {
                alltoall(t, ConstBuffer(one.out.data(), n, type), Buffer{one.in.data(), n, &type});
            });
            start([&](Team& t) {
                allgather(t, ConstBuffer(one.own.data(), n, type),
                          Buffer{one.all.data(), n, &type});
            });
            start([&](Team& t) { bcast(t, Buffer{one.word.data(), n, &type}, one.root); });
            start([&](Team& t) {
                reduce(t, ConstBuffer(one.own.data(), n, type), Buffer{one.total.data(), n, &type},
                       *predefined(Operation::Kind::sum), one.root);
            });
            if (round % 3 == 0) {
                long here = round;
                bcast(team, Buffer{&here, 1, &type}, one.root);
                expect(here == round, "not the root's between them");
            }
        }
        for (long k = 0; k < at_once; ++k) {
            Buffers& one = many[static_cast<std::size_t>(k)];
            const long round = first + k;
            const std::size_t n = length(round);
            for (Request* const request : one.requests) {
                w.process.wait(*request);
                w.process.release(*request);
            }
            for (std::size_t i = 0; i < ranks * n; ++i) {
                const int from = static_cast<int>(i / n);
                expect(one.in[i] == value(round, from, w.rank(), i % n), "not for us");
                expect(one.all[i] == value(round, from, 0, i % n), "not that rank's");
            }
            for (std::size_t i = 0; i < n; ++i) {
                expect(one.word[i] == value(round, one.root, 0, i), "not the root's");
                long sum = 0;
                for (int rank = 0; rank < w.size(); ++rank)
                    sum += value(round, rank, 0, i);
                expect(w.rank() != one.root || one.total[i] == sum, "not the total");
            }
        }
    }
}

TEST_P(DirectMeetings, DoNotBlockIfTheyNeedNot) {
    run([](World& w, Team& team) { play_started(w, team, 40); });
}

TEST_P(DirectMeetings, ThatDoNotBlockAndCannotReadAreDoneByMessages) {
    run([](World& w, Team& team) { play_started(w, team, 20); },
        [](Settings& s) { s.max_connections = 2; });
}

TEST_P(DirectMeetings, ThatDoNotBlockSendNoMessagesOnceRanksAreConnected) {
    run([](World& w, Team&) {
        const std::size_t n = 4000;
        const auto ranks = static_cast<std::size_t>(w.size());
        const std::vector<long> out(ranks * n, w.rank());
        std::vector<long> in(ranks * n, -1);
        const auto exchange = [&] {
            Request& request = w.process.start_collective(w.comm, [&](Team& t) {
                alltoall(t, ConstBuffer(out.data(), n, longs()), Buffer{in.data(), n, &longs()});
            });
            w.process.wait(request);
            w.process.release(request);
        };
        exchange();
        const std::uint64_t before = w.process.counters().bytes_sent;
        for (int i = 0; i < 5; ++i)
            exchange();
        expect(w.process.counters().bytes_sent == before, "bytes were sent");
        for (std::size_t i = 0; i < ranks * n; ++i)
            expect(in[i] == static_cast<long>(i / n), "not that rank's");
    });
}

// As many as it takes to give it up, and more.
TEST_P(DirectMeetings, ThatCannotReadAreDoneByMessages) {
    run([](World& w, Team& team) { play(w, team, 12); },
        [](Settings& s) { s.max_connections = 2; });
}

// Ranks lay the same data out in different ways.
TEST_P(DirectMeetings, PackAndUnpackWhatHasGaps) {
    run([](World& w, Team& team) {
        const std::size_t n = 700;
        const auto ranks = static_cast<std::size_t>(w.size());
        const TypeRef pairs = resized(contiguous(1, predefined(Basic::c_long)), 0, 16);
        for (int round = 0; round < 6; ++round) {
            const auto is_wide = [&](int rank, int what) { return (rank + round + what) % 2 == 0; };
            const auto value = [&](int from, int to, std::size_t i) {
                return round * 100'000'000L + from * 1'000'000 + to * 10'000 + static_cast<long>(i);
            };
            const std::size_t step_out = is_wide(w.rank(), 0) ? 2 : 1;
            const std::size_t step_in = is_wide(w.rank(), 1) ? 2 : 1;
            const Datatype& type_out = step_out == 2 ? *pairs : longs();
            const Datatype& type_in = step_in == 2 ? *pairs : longs();
            std::vector<long> out(ranks * n * step_out, -3);
            std::vector<long> in(ranks * n * step_in, -1);
            for (std::size_t i = 0; i < ranks * n; ++i)
                out[i * step_out] = value(w.rank(), static_cast<int>(i / n), i % n);
            alltoall(team, ConstBuffer(out.data(), n, type_out), Buffer{in.data(), n, &type_in});
            for (std::size_t i = 0; i < ranks * n; ++i) {
                expect(in[i * step_in] == value(static_cast<int>(i / n), w.rank(), i % n),
                       "not for us");
                expect(step_in == 1 || in[i * step_in + 1] == -1, "a gap was written to");
            }
            allgather(team, ConstBuffer(out.data(), n, type_out), Buffer{in.data(), n, &type_in});
            for (std::size_t i = 0; i < ranks * n; ++i)
                expect(in[i * step_in] == value(static_cast<int>(i / n), 0, i % n),
                       "not that rank's");
            bcast(team, Buffer{out.data(), n, &type_out}, 0);
            for (std::size_t i = 0; i < n; ++i)
                expect(out[i * step_out] == value(0, 0, i), "not the root's");
        }
    });
}

// Whoever gets another length than it was to get is told, and nobody hangs.
TEST_P(DirectMeetings, RanksThatDisagreeAboutLengthsAreTold) {
    run([](World& w, Team& team) {
        std::vector<long> all(5000 * static_cast<std::size_t>(w.size()), 1);
        const auto gather_of = [&](std::size_t n) {
            std::vector<long> own(n, w.rank());
            allgather(team, ConstBuffer(own.data(), n, longs()), Buffer{all.data(), n, &longs()});
        };
        gather_of(4000);
        gather_of(4000);
        expect(!team.disagreed(), "they agree");
        gather_of(w.rank() == 0 ? 4000 : 3000);
        expect(team.disagreed(), "nobody told");
        gather_of(4000);
        expect(!team.disagreed(), "they agree again");
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, DirectMeetings, testing::Values(2, 3, 7));

}  // namespace
}  // namespace railyard::mpi
