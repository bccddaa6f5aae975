/// Atomics under contention (IB-7: atomic against each other, and they return the old value).

#include <algorithm>
#include <atomic>
#include <cstring>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;
using namespace railyard::literals;

class Atomics : public Contract {};

constexpr int home = 0;

/// Rank 0 has the word; every other rank is connected with it.
class Shared {
  public:
    Shared(Team& team, Memory memory) : word(team.nic(), 0, memory), old(team.nic()), team_(team) {
        const auto blobs = team.gather(word.region().export_blob());
        remote_ = team.nic().import_region(blobs[home]);
        if (team.id() != home) connect(home);
        for (int rank = 1; team.id() == home && rank < team.size(); ++rank)
            connect(rank);
        team.barrier();
    }
    std::uint64_t fetch_add(std::uint64_t addend) {
        ends_[0]->fetch_add(1, old.slice(), Buffer::at(*remote_), addend);
        ends_[0]->expect_sent(1);
        return old.get();
    }
    std::uint64_t compare_swap(std::uint64_t expected, std::uint64_t wanted) {
        ends_[0]->compare_swap(2, old.slice(), Buffer::at(*remote_), expected, wanted);
        ends_[0]->expect_sent(2);
        return old.get();
    }
    Endpoint& end() { return *ends_[0]; }
    const fabric::RemoteRegion& remote() const { return *remote_; }

    Word word, old;

  private:
    void connect(int rank) {
        ends_.push_back(std::make_unique<Endpoint>(team_));
        ends_.back()->connect(rank, 1);
    }
    Team& team_;
    std::unique_ptr<fabric::RemoteRegion> remote_;
    std::vector<std::unique_ptr<Endpoint>> ends_;
};

TEST_P(Atomics, concurrent_additions_sum_up_and_every_old_value_is_seen_once) {
    const std::uint64_t each = static_cast<std::uint64_t>(rounds(1000));
    run(4, [=](Team& team) {
        for (const Memory memory : memories) {
            Shared shared(team, memory);
            const std::uint64_t adders = static_cast<std::uint64_t>(team.size() - 1);
            Buffer tally(team.nic(), each * adders * 8);
            const auto blobs = team.gather(tally.region().export_blob());
            const auto remote = team.nic().import_region(blobs[home]);
            if (team.id() != home) {
                // Each rank puts the old values that it saw into its part of rank 0's tally.
                for (std::uint64_t i = 0; i < each; ++i) {
                    const std::uint64_t old = shared.fetch_add(1);
                    std::memcpy(tally.data(i * 8, 8).data(), &old, 8);
                }
                const std::uint64_t part = static_cast<std::uint64_t>(team.id() - 1) * each * 8;
                shared.end().write(9, tally.slice(0, each * 8), Buffer::at(*remote, part),
                                   Flags::remote_completion);
                shared.end().expect_sent(9);
            }
            team.barrier();
            if (team.id() == home) {
                check_equal(shared.word.get(), each * adders, "sum");
                std::vector<std::uint64_t> olds(each * adders);
                std::memcpy(olds.data(), tally.data().data(), tally.size());
                std::ranges::sort(olds);
                for (std::uint64_t i = 0; i < olds.size(); ++i)
                    check_equal(olds[i], i, "an old value, in their order");
            }
            team.barrier();
        }
    });
}

TEST_P(Atomics, many_outstanding_at_once) {
    run(3, [](Team& team) {
        Shared shared(team, Memory::nic);
        Buffer olds(team.nic(), 64 * 8);
        if (team.id() != home) {
            for (std::uint64_t i = 0; i < 64; ++i)
                shared.end().fetch_add(i, olds.slice(i * 8, 8), Buffer::at(shared.remote()), 1);
            std::uint64_t last = 0;
            for (std::uint64_t i = 0; i < 64; ++i) {
                shared.end().expect_sent(i);
                std::uint64_t old;
                std::memcpy(&old, olds.data(i * 8, 8).data(), 8);
                check(i == 0 || old > last, "one's own additions happen in order");
                last = old;
            }
        }
        team.barrier();
        if (team.id() == home) check_equal(shared.word.get(), 128, "sum");
        team.barrier();
    });
}

TEST_P(Atomics, compare_swap_elects_one) {
    const std::uint64_t turns = static_cast<std::uint64_t>(rounds(200));
    run(4, [=](Team& team) {
        Shared shared(team, Memory::nic);
        std::uint64_t won = 0;
        for (std::uint64_t turn = 0; turn < turns; ++turn) {
            // All want to take the word from one value to the next; exactly one does.
            if (team.id() != home && shared.compare_swap(turn, turn + 1) == turn) ++won;
            team.barrier();
        }
        std::uint64_t all = 0;
        for (const std::uint64_t wins : team.gather(won))
            all += wins;
        check_equal(all, turns, "winners");
        if (team.id() == home) check_equal(shared.word.get(), turns, "the word");
        team.barrier();
    });
}

/// A counter raised by compare-and-swap and by fetch-and-add at once: they are atomic against each
/// other.
TEST_P(Atomics, both_kinds_on_one_word) {
    const std::uint64_t each = static_cast<std::uint64_t>(rounds(300));
    run(3, [=](Team& team) {
        Shared shared(team, Memory::user);
        if (team.id() == 1)
            for (std::uint64_t i = 0; i < each; ++i)
                shared.fetch_add(1);
        if (team.id() == 2) {
            std::uint64_t guess = 0;
            for (std::uint64_t done = 0; done < each;) {
                const std::uint64_t found = shared.compare_swap(guess, guess + 1);
                if (found == guess) ++done;
                guess = found == guess ? guess + 1 : found;
            }
        }
        team.barrier();
        if (team.id() == home) check_equal(shared.word.get(), 2 * each, "sum");
        team.barrier();
    });
}

TEST_P(Atomics, coherent_with_those_of_the_cpu) {
    if (!traits().coherent_atomics) GTEST_SKIP() << "atomics are not coherent with the CPU's here";
    const std::uint64_t each = static_cast<std::uint64_t>(rounds(2000));
    run(2, [=](Team& team) {
        for (const Memory memory : memories) {
            Shared shared(team, memory);
            std::atomic_ref<std::uint64_t> mine(shared.word.value());
            if (team.id() == home) {
                for (std::uint64_t i = 0; i < each; ++i) {
                    mine.fetch_add(1, std::memory_order_relaxed);
                    if (i % 16 == 0) team.pause(1_us);
                }
                // The peer may need us to go on: wait for its last one, and watch them come.
                team.await([&] { return mine.load(std::memory_order_relaxed) == 2 * each; },
                           "all additions");
            } else {
                for (std::uint64_t i = 0; i < each; ++i)
                    shared.fetch_add(1);
            }
            team.barrier();
            if (team.id() == home) check_equal(mine.load(), 2 * each, "sum");
            team.barrier();
        }
    });
}

TEST_P(Atomics, next_to_each_other_do_not_disturb) {
    run(3, [](Team& team) {
        Shared shared(team, Memory::nic);
        Buffer words(team.nic(), 16, Memory::nic);
        words.blank();
        std::ranges::fill(words.data(), std::byte{0});
        const auto blobs = team.gather(words.region().export_blob());
        const auto remote = team.nic().import_region(blobs[home]);
        if (team.id() != home)
            for (int i = 0; i < 200; ++i) {
                const std::size_t at = team.id() == 1 ? 0 : 8;
                shared.end().fetch_add(1, shared.old.slice(), Buffer::at(*remote, at),
                                       std::uint64_t{1} << 32 | 1);
                shared.end().expect_sent(1);
            }
        team.barrier();
        if (team.id() == home)
            for (const std::size_t at : {0, 8}) {
                std::uint64_t sum;
                std::memcpy(&sum, words.data(at, 8).data(), 8);
                check_equal(sum, (std::uint64_t{200} << 32) + 200, "one of two words");
            }
        team.barrier();
    });
}

RAILYARD_CONTRACT(Atomics);

}  // namespace
}  // namespace railyard::contract
