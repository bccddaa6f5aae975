// One-sided communication: a window, and epochs of every kind in which all ranks reach for each
// other's memory. Every rank draws what all of them do, and so knows what must be in all memory.
//
// A rank's memory is one block for each origin, whose block is another in every epoch, and one for
// all. What an origin does to its block in an epoch is of one kind, so that the outcome is not a
// matter of chance: puts that do not meet, gets, or accumulates, which keep their order. All add to
// the last block, and draw tickets from its last number.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "traffic/lane.hpp"
#include "traffic/random.hpp"

namespace railyard::soak {

namespace {

using Number = std::int64_t;
using Numbers = std::vector<Number>;

struct Access {
    enum class Kind : std::uint8_t {
        put,
        get,
        combine,  ///< MPI_Accumulate
        fetch,    ///< MPI_Get_accumulate; MPI_Fetch_and_op where it is one number
        look,     ///< the same by MPI_NO_OP
        swap,     ///< MPI_Compare_and_swap
        ticket,
    };
    Kind kind;
    int target;
    int first;   ///< number of the target's
    int count;   ///< of numbers
    int stride;  ///< from one to the next
    bool adds;   ///< MPI_SUM, else MPI_REPLACE
    std::uint64_t seed;

    Number given(int i) const {
        return static_cast<Number>(mix(seed, static_cast<std::uint64_t>(i)) >> 20);
    }
    /// Of a swap: it is given what is there to compare with.
    bool finds() const { return seed % 2 == 0; }
    bool fetches() const { return kind != Kind::put && kind != Kind::combine; }
};

/// How a rank's accesses become legal and complete.
enum class Epoch : std::uint8_t { fence, start_and_post, lock, lock_all };

class WindowRound {
  public:
    WindowRound(Lane& lane, const Team& team, std::uint64_t seed)
        : lane_(lane), team_(team), draw_(seed) {
        lane.arena.take_back();
        const int octave = draw_.from_to(1, lane.options->large ? 14 : 11);
        block_ = draw_.from_to(1, 1 << octave);
        numbers_ = block_ * (team.size + 1);
        memory_.assign(static_cast<std::size_t>(team.size),
                       Numbers(static_cast<std::size_t>(numbers_), 0));
        MPI_Comm_group(team.comm, &group_);
        make_window();
    }

    void play() {
        for (int n = draw_.from_to(1, 4); n > 0; --n) {
            plan(draw_.next());
            play_epoch(static_cast<Epoch>(draw_.below(4)), draw_.next());
            look();
        }
        if (is_dynamic_) MPI_Win_detach(win_, own_);
        MPI_Win_free(&win_);
        MPI_Group_free(&group_);
    }

  private:
    struct Mine {
        Access access;
        Number* data;    ///< what goes
        Number* result;  ///< what comes
        Numbers expected;
    };

    void make_window() {
        lane_.where.at("a window is made");
        const MPI_Aint bytes = numbers_ * static_cast<MPI_Aint>(sizeof(Number));
        const int flavor = draw_.below(3);
        is_dynamic_ = flavor == 2;
        starts_.assign(static_cast<std::size_t>(team_.size), 0);
        if (flavor == 0) {
            // MPICH 4.0 loses its way between ranks whose sizes are no multiples of 16.
            const MPI_Aint whole = (bytes + 15) / 16 * 16;
            MPI_Win_allocate(whole, sizeof(Number), MPI_INFO_NULL, team_.comm, &own_, &win_);
        } else {
            own_ = take(numbers_);
            if (is_dynamic_) {
                MPI_Win_create_dynamic(MPI_INFO_NULL, team_.comm, &win_);
                MPI_Win_attach(win_, own_, bytes);
                MPI_Aint mine = 0;
                MPI_Get_address(own_, &mine);
                MPI_Allgather(&mine, 1, MPI_AINT, starts_.data(), 1, MPI_AINT, team_.comm);
            } else {
                MPI_Win_create(own_, bytes, sizeof(Number), MPI_INFO_NULL, team_.comm, &win_);
            }
        }
        // Ours, before others may reach it.
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, team_.rank, 0, win_);
        std::fill_n(own_, numbers_, 0);
        MPI_Win_unlock(team_.rank, win_);
        MPI_Barrier(team_.comm);
    }

    Number* take(int count) {
        return reinterpret_cast<Number*>(
            lane_.arena.take(static_cast<std::size_t>(count) * sizeof(Number)));
    }

    /// What everyone does in an epoch, and what becomes of all memory.
    void plan(std::uint64_t seed) {
        mine_.clear();
        const int shift = static_cast<int>(mix(seed) % static_cast<unsigned>(team_.size));
        first_tickets_.clear();
        for (const Numbers& numbers : memory_)
            first_tickets_.push_back(numbers.back());
        for (int origin = 0; origin < team_.size; ++origin) {
            Draw draw(mix(seed, static_cast<std::uint64_t>(origin) + 1));
            const int begin = (origin + shift) % team_.size * block_;
            const auto kind = static_cast<Access::Kind>(draw.below(6));
            const bool adds = draw.one_in(2);
            std::vector<int> used(static_cast<std::size_t>(team_.size), 0);
            for (int n = draw.below(13); n > 0; --n) {
                Access access{kind, draw.below(team_.size), 0, 1, 1, adds, draw.next()};
                if (draw.one_in(3))
                    draw_in_common(draw, access);
                else if (!draw_in_block(draw, begin, used, access))
                    continue;
                carry_out(origin, access);
            }
        }
    }

    void draw_in_common(Draw& draw, Access& access) const {
        const int begin = team_.size * block_;
        access.kind = Access::Kind::ticket;
        access.first = numbers_ - 1;
        if (block_ == 1 || draw.one_in(2)) return;
        // What is added by all is fetched at chance, and so by nobody.
        access.kind = Access::Kind::combine;
        access.adds = true;
        access.count = 1 + draw.below(block_ - 1);
        access.first = begin + draw.below(block_ - access.count);
    }

    /// False: there is no room left.
    bool draw_in_block(Draw& draw, int begin, std::vector<int>& used, Access& access) const {
        using Kind = Access::Kind;
        int& from = used[static_cast<std::size_t>(access.target)];
        const int room = block_ - from;
        if (room == 0) return false;
        access.stride = draw.one_in(4) ? draw.from_to(2, 3) : 1;
        access.count = 1 + draw.below((room + access.stride - 1) / access.stride);
        if (access.kind == Kind::swap) access.count = 1;
        const int span = (access.count - 1) * access.stride + 1;
        access.first = begin + from + draw.below(room - span + 1);
        // Puts do not meet; others may.
        if (access.kind == Kind::put) from = access.first - begin + span;
        const bool accumulates = access.kind == Kind::combine || access.kind == Kind::fetch;
        if (accumulates && draw.one_in(3)) access.kind = draw.one_in(2) ? Kind::fetch : Kind::look;
        return true;
    }

    /// In the mirror of all memory; if it is ours, it is kept, with what it must fetch.
    void carry_out(int origin, const Access& access) {
        using Kind = Access::Kind;
        ++lane_.planned;
        Numbers& numbers = memory_[static_cast<std::size_t>(access.target)];
        Mine one{access, nullptr, nullptr, {}};
        for (int i = 0; i < access.count; ++i) {
            Number& number = numbers[static_cast<std::size_t>(access.first + i * access.stride)];
            if (access.fetches()) one.expected.push_back(number);
            if (access.kind == Kind::ticket)
                ++number;
            else if (access.kind == Kind::swap)
                number = access.finds() ? access.given(0) : number;
            else if (access.kind == Kind::put)
                number = access.given(i);
            else if (access.kind == Kind::combine || access.kind == Kind::fetch)
                number = access.adds ? number + access.given(i) : access.given(i);
        }
        if (origin != team_.rank) return;
        one.data = take(access.count + 1);
        one.result = take(access.count);
        for (int i = 0; i < access.count; ++i)
            one.data[i] = access.kind == Kind::ticket ? 1 : access.given(i);
        if (access.kind == Kind::swap) one.data[1] = one.expected[0] + (access.finds() ? 0 : 1);
        const bool is_wrong =
            lane_.where.round.load(std::memory_order_relaxed) == lane_.options->wrong_at_round;
        if (is_wrong && access.kind == Kind::put) one.data[0] ^= 1;
        std::fill_n(one.result, access.count, -1);
        mine_.push_back(std::move(one));
    }

    void play_epoch(Epoch epoch, std::uint64_t seed) {
        // Each rank in its own way.
        Draw draw(mix(seed, static_cast<std::uint64_t>(team_.rank)));
        switch (epoch) {
            case Epoch::fence:
                lane_.where.at("window: fence");
                MPI_Win_fence(MPI_MODE_NOPRECEDE, win_);
                access_all(draw, false);
                MPI_Win_fence(MPI_MODE_NOSUCCEED, win_);
                return;
            case Epoch::start_and_post: {
                lane_.where.at("window: start and post");
                MPI_Win_post(group_, 0, win_);
                MPI_Win_start(group_, 0, win_);
                access_all(draw, false);
                MPI_Win_complete(win_);
                int done = draw.below(2);
                if (done == 1) MPI_Win_wait(win_);
                while (done == 0)
                    MPI_Win_test(win_, &done);
                break;
            }
            case Epoch::lock:
                lock_each(draw);
                break;
            case Epoch::lock_all:
                lane_.where.at("window: lock all");
                MPI_Win_lock_all(0, win_);
                access_all(draw, true);
                MPI_Win_unlock_all(win_);
                break;
        }
        MPI_Barrier(team_.comm);
    }

    /// One target after the other, in an order of chance.
    void lock_each(Draw& draw) {
        std::vector<int> targets(static_cast<std::size_t>(team_.size));
        std::iota(targets.begin(), targets.end(), 0);
        draw.shuffle(targets);
        for (const int target : targets) {
            lane_.where.at("window: lock", target);
            MPI_Win_lock(draw.one_in(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win_);
            access_all(draw, true, target);
            MPI_Win_unlock(target, win_);
        }
    }

    /// Those of one target; -1: of all. `flushes`: the epoch is a passive one.
    void access_all(Draw& draw, bool flushes, int target = -1) {
        for (const Mine& one : mine_) {
            const int to = one.access.target;
            if (target >= 0 && to != target) continue;
            access(one, flushes && draw.one_in(4));
            ++lane_.messages;
            lane_.bytes += static_cast<std::size_t>(one.access.count) * sizeof(Number);
            lane_.where.one_more();
            if (!flushes || !draw.one_in(3)) continue;
            if (draw.one_in(2)) MPI_Win_flush_local(to, win_);
            draw.one_in(4) ? MPI_Win_flush_all(win_) : MPI_Win_flush(to, win_);
            check_result(one);
        }
    }

    void access(const Mine& one, bool with_request) {
        using Kind = Access::Kind;
        const Access& a = one.access;
        const MPI_Aint unit = is_dynamic_ ? static_cast<MPI_Aint>(sizeof(Number)) : 1;
        const MPI_Aint at = starts_[static_cast<std::size_t>(a.target)] + a.first * unit;
        const MPI_Op op = a.kind == Kind::look ? MPI_NO_OP : a.adds ? MPI_SUM : MPI_REPLACE;
        const MPI_Datatype number = MPI_INT64_T;
        MPI_Datatype type = number;
        int count = a.count;
        if (a.stride != 1) {
            MPI_Type_vector(a.count, 1, a.stride, number, &type);
            MPI_Type_commit(&type);
            count = 1;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        switch (a.kind) {
            case Kind::put:
                with_request
                    ? MPI_Rput(one.data, a.count, number, a.target, at, count, type, win_, &request)
                    : MPI_Put(one.data, a.count, number, a.target, at, count, type, win_);
                break;
            case Kind::get:
                with_request
                    ? MPI_Rget(one.result, a.count, number, a.target, at, count, type, win_,
                               &request)
                    : MPI_Get(one.result, a.count, number, a.target, at, count, type, win_);
                break;
            case Kind::combine:
                with_request ? MPI_Raccumulate(one.data, a.count, number, a.target, at, count, type,
                                               op, win_, &request)
                             : MPI_Accumulate(one.data, a.count, number, a.target, at, count, type,
                                              op, win_);
                break;
            case Kind::fetch:
            case Kind::look:
                if (a.count == 1 && !with_request)
                    MPI_Fetch_and_op(one.data, one.result, number, a.target, at, op, win_);
                else if (with_request)
                    MPI_Rget_accumulate(one.data, a.count, number, one.result, a.count, number,
                                        a.target, at, count, type, op, win_, &request);
                else
                    MPI_Get_accumulate(one.data, a.count, number, one.result, a.count, number,
                                       a.target, at, count, type, op, win_);
                break;
            case Kind::swap:
                MPI_Compare_and_swap(one.data, one.data + 1, one.result, number, a.target, at,
                                     win_);
                break;
            case Kind::ticket:
                MPI_Fetch_and_op(one.data, one.result, number, a.target, at, MPI_SUM, win_);
                break;
        }
        if (type != number) MPI_Type_free(&type);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }

    void check_result(const Mine& one) const {
        if (!one.access.fetches() || one.access.kind == Access::Kind::ticket) return;
        for (std::size_t i = 0; i < one.expected.size(); ++i)
            if (one.result[i] != one.expected[i])
                lane_.fail("number " + std::to_string(i) + " of " +
                           std::to_string(one.access.count) + " from rank " +
                           std::to_string(one.access.target) + " is wrong");
    }

    /// All results, and all of one's own memory. Nobody goes on before all have looked.
    void look() {
        lane_.where.at("window: look");
        for (const Mine& one : mine_)
            check_result(one);
        check_tickets();
        MPI_Win_lock(MPI_LOCK_SHARED, team_.rank, 0, win_);
        const Numbers& expected = memory_[static_cast<std::size_t>(team_.rank)];
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (own_[i] != expected[i])
                lane_.fail("number " + std::to_string(i) + " of " + std::to_string(numbers_) +
                           " in the window is wrong");
        MPI_Win_unlock(team_.rank, win_);
        MPI_Barrier(team_.comm);
    }

    /// Each was drawn once: so their sum says, and one of what they are mixed to. One's own rise.
    void check_tickets() const {
        std::vector<std::uint64_t> sums(2 * memory_.size(), 0);
        Numbers last(memory_.size(), -1);
        const auto count = [&](std::size_t target, Number ticket, std::uint64_t sign) {
            sums[2 * target] += sign * static_cast<std::uint64_t>(ticket);
            sums[2 * target + 1] += sign * mix(static_cast<std::uint64_t>(ticket));
        };
        for (const Mine& one : mine_) {
            if (one.access.kind != Access::Kind::ticket) continue;
            const auto target = static_cast<std::size_t>(one.access.target);
            if (*one.result <= last[target]) lane_.fail("tickets are drawn in a wrong order");
            last[target] = *one.result;
            count(target, *one.result, 1);
        }
        MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_UINT64_T,
                      MPI_SUM, team_.comm);
        for (std::size_t target = 0; target < memory_.size(); ++target)
            for (Number t = first_tickets_[target]; t < memory_[target].back(); ++t)
                count(target, t, ~std::uint64_t{0});
        if (std::ranges::any_of(sums, [](std::uint64_t sum) { return sum != 0; }))
            lane_.fail("a ticket was drawn twice, or not at all");
    }

    Lane& lane_;
    const Team& team_;
    Draw draw_;
    int block_ = 1;
    int numbers_ = 0;
    std::vector<Numbers> memory_;  ///< of all ranks, as it must be
    Numbers first_tickets_;        ///< of the epoch, by target
    std::vector<Mine> mine_;       ///< accesses of the epoch
    MPI_Group group_ = MPI_GROUP_NULL;
    MPI_Win win_ = MPI_WIN_NULL;
    Number* own_ = nullptr;
    bool is_dynamic_ = false;
    std::vector<MPI_Aint> starts_;  ///< of a dynamic window: addresses
};

}  // namespace

void play_windows(Lane& lane, const Team& team, std::uint64_t seed) {
    WindowRound(lane, team, seed).play();
}

}  // namespace railyard::soak
