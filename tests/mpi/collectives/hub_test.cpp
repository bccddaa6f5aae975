// Collectives through shared memory, without an engine: ranks are threads, each of which has
// several collectives under way and goes on with them in an order of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "mpi/collectives/hub.hpp"
#include "mpi/collectives/long_meeting.hpp"
#include "mpi/collectives/meeting.hpp"
#include "railyard/base/cpu.hpp"

namespace railyard::mpi {
namespace {

struct NobodySleeps final : Hub::Bell {
    void ring(int) override { ADD_FAILURE() << "nobody sleeps"; }
};

struct Free {
    void operator()(std::byte* p) const { std::free(p); }
};

std::unique_ptr<std::byte, Free> zeroed(std::size_t bytes) {
    constexpr std::size_t page = 4096;
    const std::size_t size = (bytes + page - 1) / page * page;
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(page, size));
    std::fill_n(memory, size, std::byte{});
    return std::unique_ptr<std::byte, Free>(memory);
}

constexpr Collective kinds[] = {Collective::barrier,   Collective::bcast,    Collective::gather,
                                Collective::scatter,   Collective::reduce,   Collective::allreduce,
                                Collective::allgather, Collective::alltoall, Collective::bcast};

/// One collective of one rank: the same on all but for the data.
class Call {
  public:
    Call(unsigned seed, int rank, int size) : rank_(rank), size_(size) {
        std::minstd_rand random(seed * 7919 + 1);
        const auto below = [&](std::size_t n) { return random() / 7 % n; };
        kind_ = kinds[below(std::size(kinds))];
        root_ = static_cast<int>(below(static_cast<std::size_t>(size)));
        const std::size_t most =
            kind_ == Collective::alltoall
                ? Hub::small.capacity / sizeof(long) / static_cast<std::size_t>(size)
                : Hub::small.capacity / sizeof(long);
        n_ = 1 + below(below(2) == 0 ? 4 : most);
        base_ = static_cast<long>(seed) * 1'000'000;
        given_.resize(n_ * ranks());
        for (std::size_t i = 0; i < given_.size(); ++i)
            given_[i] = value(rank, i);
        got_.assign(n_ * ranks(), -1);
        if (kind_ == Collective::bcast && rank == root_)
            std::copy_n(given_.begin(), n_, got_.begin());
    }

    Meeting meeting() {
        const Datatype& type = *predefined(Basic::c_long);
        return Meeting({.collective = kind_,
                        .data = ConstBuffer(given_.data(), n_, type),
                        .result = {got_.data(), n_, &type},
                        .operation = predefined(Operation::Kind::sum).get(),
                        .root = root_});
    }

    void check() const {
        for (std::size_t i = 0; i < got_.size(); ++i)
            ASSERT_EQ(got_[i], expected(i)) << name(kind_) << " of " << n_ << ", element " << i;
    }

  private:
    std::size_t ranks() const { return static_cast<std::size_t>(size_); }
    long value(int rank, std::size_t i) const {
        return base_ + rank * 10'000L + static_cast<long>(i);
    }
    long expected(std::size_t i) const {
        const auto own = static_cast<std::size_t>(rank_);
        const int from = static_cast<int>(i / n_);
        const long sum = size_ * value(0, i) + 10'000L * size_ * (size_ - 1) / 2;
        switch (kind_) {
            case Collective::bcast:
                return i < n_ ? value(root_, i) : -1;
            case Collective::gather:
                return rank_ == root_ ? value(from, i % n_) : -1;
            case Collective::scatter:
                return i < n_ ? value(root_, own * n_ + i) : -1;
            case Collective::reduce:
                return i < n_ && rank_ == root_ ? sum : -1;
            case Collective::allreduce:
                return i < n_ ? sum : -1;
            case Collective::allgather:
                return value(from, i % n_);
            case Collective::alltoall:
                return value(from, own * n_ + i % n_);
            default:
                return -1;
        }
    }

    Collective kind_ = Collective::barrier;
    int rank_;
    int size_;
    int root_ = 0;
    std::size_t n_ = 1;
    long base_ = 0;
    std::vector<long> given_;
    std::vector<long> got_;
};

struct UnderWay {
    std::unique_ptr<Call> call;
    Meeting meeting;
};

/// Goes on with one of them; true: it is over, and was right.
bool go_on(Hub& hub, UnderWay& one) {
    if (!one.meeting.can_go_on(hub) || !one.meeting.go_on(hub)) return false;
    EXPECT_FALSE(one.meeting.disagreed());
    one.call->check();
    return true;
}

void on_threads(int ranks, const Hub::Shape& shape, const std::function<void(Hub&)>& body) {
    NobodySleeps bell;
    const auto memory = zeroed(Hub(0, ranks, shape, bell).memory_needed());
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            Hub hub(rank, ranks, shape, bell);
            hub.open(memory.get());
            body(hub);
        });
}

class Hubs : public testing::TestWithParam<int> {};

TEST_P(Hubs, HaveManyCollectivesUnderWay) {
    on_threads(GetParam(), Hub::small, [](Hub& hub) {
        std::minstd_rand random(static_cast<unsigned>(hub.rank()) + 1);
        std::vector<UnderWay> all;
        constexpr unsigned calls = 600;
        for (unsigned begun = 0; begun < calls || !all.empty();) {
            // More than there are sets, now and then.
            if (begun < calls && all.size() < Hub::small.in_turn + 18 && random() / 7 % 3 != 0) {
                auto call = std::make_unique<Call>(begun++, hub.rank(), hub.size());
                Meeting meeting = call->meeting();
                meeting.plan(hub.next());
                meeting.begin(hub);
                all.push_back({std::move(call), meeting});
            }
            if (all.empty()) continue;
            const std::size_t which = random() / 7 % all.size();
            if (go_on(hub, all[which]))
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(which));
            else
                std::this_thread::yield();
        }
        EXPECT_EQ(hub.under_way, 0);
    });
}

// Each rank starts them in another order, as often as the others.
TEST_P(Hubs, KeepSetsForPersistentOnes) {
    on_threads(GetParam(), Hub::small, [](Hub& hub) {
        std::minstd_rand random(static_cast<unsigned>(hub.rank()) + 7);
        std::vector<UnderWay> all;
        for (unsigned i = 0; hub.has_set_to_keep(); ++i) {
            auto call = std::make_unique<Call>(i + 100, hub.rank(), hub.size());
            Meeting meeting = call->meeting();
            meeting.plan(hub.keep_one());
            all.push_back({std::move(call), meeting});
        }
        for (int times = 0; times < 60; ++times) {
            std::vector<UnderWay*> started;
            for (UnderWay& one : all)
                started.push_back(&one);
            std::shuffle(started.begin(), started.end(), random);
            for (UnderWay* one : started)
                one->meeting.begin(hub);
            while (!started.empty()) {
                const std::size_t which = random() / 7 % started.size();
                if (go_on(hub, *started[which]))
                    started.erase(started.begin() + static_cast<std::ptrdiff_t>(which));
                else
                    std::this_thread::yield();
            }
        }
    });
}

/// The composition of x -> a x + b: of two, the left one is applied last. It does not commute.
void compose(const void* left, void* right, std::size_t count, const Datatype&) {
    const auto* l = static_cast<const std::uint64_t*>(left);
    auto* r = static_cast<std::uint64_t*>(right);
    for (std::size_t i = 0; i + 1 < count; i += 2) {
        r[i + 1] = l[i] * r[i + 1] + l[i + 1];
        r[i] = l[i] * r[i];
    }
}

/// Of much data: several, of any length, begun one after the other.
class LongCall {
  public:
    LongCall(unsigned seed, int rank, int size, const Operation& composition)
        : rank_(rank), size_(size) {
        std::minstd_rand random(seed * 7919 + 3);
        const auto below = [&](std::size_t n) { return random() / 7 % n; };
        constexpr Collective long_kinds[] = {Collective::bcast, Collective::reduce,
                                             Collective::allreduce, Collective::allgather,
                                             Collective::alltoall};
        kind_ = long_kinds[seed % 5];
        root_ = static_cast<int>(below(static_cast<std::size_t>(size)));
        composes_ = below(2) == 0;
        operation_ = composes_ ? &composition : predefined(Operation::Kind::sum).get();
        n_ = 2 * (1 + below(15'000));
        const std::size_t all = n_ * static_cast<std::size_t>(size);
        given_.resize(all);
        got_.resize(all);
        for (std::size_t i = 0; i < all; ++i)
            given_[i] = value(rank, i);
        if (kind_ == Collective::bcast && rank == root_) got_ = given_;
    }

    LongMeeting meeting() {
        const Datatype& type = *predefined(Basic::uint64);
        return LongMeeting({.collective = kind_,
                            .data = ConstBuffer(given_.data(), n_, type),
                            .result = {got_.data(), n_, &type},
                            .operation = operation_,
                            .root = root_});
    }

    void check() const {
        if (kind_ == Collective::reduce && rank_ != root_) return;
        const bool has_blocks = kind_ == Collective::allgather || kind_ == Collective::alltoall;
        for (std::size_t i = 0; i < (has_blocks ? got_.size() : n_); i += 2)
            ASSERT_EQ(std::pair(got_[i], got_[i + 1]), expected(i))
                << name(kind_) << " of " << n_ << ", element " << i;
    }

  private:
    static std::uint64_t value(int rank, std::size_t i) {
        return static_cast<std::uint64_t>(rank + 3) * 2654435761U + i;
    }
    std::pair<std::uint64_t, std::uint64_t> expected(std::size_t i) const {
        if (kind_ == Collective::bcast) return {value(root_, i), value(root_, i + 1)};
        const int from = static_cast<int>(i / n_);
        const std::size_t in_block = i % n_;
        const std::size_t ours = static_cast<std::size_t>(rank_) * n_ + in_block;
        if (kind_ == Collective::allgather)
            return {value(from, in_block), value(from, in_block + 1)};
        if (kind_ == Collective::alltoall) return {value(from, ours), value(from, ours + 1)};
        std::uint64_t total[2] = {value(size_ - 1, i), value(size_ - 1, i + 1)};
        for (int rank = size_ - 1; rank-- > 0;) {
            const std::uint64_t left[2] = {value(rank, i), value(rank, i + 1)};
            if (composes_)
                compose(left, total, 2, *predefined(Basic::uint64));
            else
                for (int k = 0; k < 2; ++k)
                    total[k] += left[k];
        }
        return {total[0], total[1]};
    }

    Collective kind_ = Collective::bcast;
    int rank_;
    int size_;
    int root_ = 0;
    bool composes_ = false;
    const Operation* operation_ = nullptr;
    std::size_t n_ = 0;
    std::vector<std::uint64_t> given_;
    std::vector<std::uint64_t> got_;
};

TEST_P(Hubs, TakeLongOnesInSegments) {
    const Operation composition(compose, false);
    on_threads(GetParam(), Hub::wide, [&](Hub& hub) {
        std::minstd_rand random(static_cast<unsigned>(hub.rank()) + 1);
        struct Long {
            std::unique_ptr<LongCall> call;
            LongMeeting meeting;
        };
        std::vector<Long> all;
        constexpr unsigned calls = 60;
        for (unsigned begun = 0; begun < calls || !all.empty();) {
            if (begun < calls && all.size() < 4) {
                auto call =
                    std::make_unique<LongCall>(begun++, hub.rank(), hub.size(), composition);
                LongMeeting meeting = call->meeting();
                meeting.plan(hub);
                meeting.begin(hub);
                all.push_back({std::move(call), meeting});
            }
            const std::size_t which = random() / 7 % all.size();
            Long& one = all[which];
            if (one.meeting.can_go_on(hub) && one.meeting.go_on(hub)) {
                EXPECT_FALSE(one.meeting.disagreed());
                one.call->check();
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(which));
            } else {
                std::this_thread::yield();
            }
        }
    });
}

// A root that broadcasts, and those who only give, wait for nobody until all sets are taken.
TEST(Hub, LetsThoseAheadWhoNeedNobody) {
    NobodySleeps bell;
    Hub first(0, 2, Hub::small, bell);
    Hub second(1, 2, Hub::small, bell);
    const auto memory = zeroed(first.memory_needed());
    first.open(memory.get());
    second.open(memory.get());
    const Datatype& type = *predefined(Basic::c_long);
    const auto run = [&](Hub& hub, long& value) {
        Meeting meeting({.collective = Collective::bcast, .result = {&value, 1, &type}});
        meeting.plan(hub.next());
        meeting.begin(hub);
        return meeting.can_go_on(hub) && meeting.go_on(hub);
    };
    for (long i = 0; i < static_cast<long>(Hub::small.in_turn); ++i)
        ASSERT_TRUE(run(first, i)) << i;
    long one_more = 100;
    EXPECT_FALSE(run(first, one_more)) << "no set is free";
    for (long i = 0; i < static_cast<long>(Hub::small.in_turn); ++i) {
        long value = -1;
        ASSERT_TRUE(run(second, value));
        ASSERT_EQ(value, i);
    }
}

TEST(Hub, TellsOfLengthsThatDiffer) {
    NobodySleeps bell;
    Hub first(0, 2, Hub::small, bell);
    Hub second(1, 2, Hub::small, bell);
    const auto memory = zeroed(first.memory_needed());
    first.open(memory.get());
    second.open(memory.get());
    long values[2] = {};
    const Datatype& type = *predefined(Basic::c_long);
    const auto part = [&](std::size_t n) {
        Meeting meeting({.collective = Collective::bcast, .result = {values, n, &type}});
        return meeting;
    };
    Meeting root = part(2);
    Meeting other = part(1);
    root.plan(first.next());
    other.plan(second.next());
    root.begin(first);
    other.begin(second);
    ASSERT_TRUE(root.go_on(first));
    ASSERT_TRUE(other.go_on(second));
    EXPECT_FALSE(root.disagreed());
    ASSERT_TRUE(other.disagreed());
    EXPECT_EQ(other.lengths().came, 16U);
    EXPECT_EQ(other.lengths().expected, 8U);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Hubs, testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace railyard::mpi
