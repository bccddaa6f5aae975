#pragma once
/// Memory that all ranks of a communicator reach by loads and stores, for collectives without
/// messages. It has sets of slots: one for each rank, and one for a result. A collective takes the
/// next set; all ranks begin collectives in the same order, and so agree on it. Several may be
/// under way: a set is used again once all ranks have left it.
///
/// What a rank gives it leaves in its slot, and says so: in the slot, to one who looks there, or by
/// arriving. The last to arrive works for all and releases them. Whoever gets nothing, or gets what
/// is there already, waits for nobody.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "railyard/base/cpu.hpp"

namespace railyard::mpi {

class Hub {
  public:
    struct Shape {
        std::size_t capacity;  ///< what a slot holds
        /// Sets that collectives take in turn: by so many a rank may be ahead of others, where it
        /// need not wait for them. Not more than a word has bits.
        std::uint32_t in_turn;
        /// Sets that persistent collectives keep, as they are started in any order.
        std::uint32_t to_keep;
    };
    /// For collectives of few bytes; and for large ones, segment by segment.
    static constexpr Shape small{.capacity = 2048, .in_turn = 64, .to_keep = 8};
    static constexpr Shape wide{.capacity = 32 << 10, .in_turn = 8, .to_keep = 0};

    /// Wakes ranks that sleep.
    class Bell {
      public:
        virtual void ring(int rank) = 0;

      protected:
        ~Bell() = default;
    };

    /// One use of a set. Numbers of a set's uses grow.
    struct Round {
        std::uint64_t number = 0;
        std::uint32_t set = 0;
    };

    /// The bell outlives the hub.
    Hub(int rank, int size, const Shape& shape, Bell& bell)
        : rank_(rank), size_(size), shape_(shape), bell_(bell) {}
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;

    std::size_t memory_needed() const;
    /// The same memory on all ranks; zero at first, on a page, and outlives the hub.
    void open(std::byte* memory) { memory_ = memory; }
    bool is_open() const { return memory_ != nullptr; }

    int rank() const { return rank_; }
    int size() const { return size_; }
    const Shape& shape() const { return shape_; }

    Round next() { return in_turn(taken_++); }
    /// The first of so many.
    std::uint64_t next(std::size_t rounds) { return std::exchange(taken_, taken_ + rounds); }
    Round in_turn(std::uint64_t number) const {
        return {number, static_cast<std::uint32_t>(number % shape_.in_turn)};
    }
    bool has_set_to_keep() const { return kept_ < shape_.to_keep; }
    Round keep_one() { return {0, shape_.in_turn + kept_++}; }

    /// Whether all have left the set's last use.
    bool is_free(const Round& round) {
        const bool is_known = !is_kept(round) && round.number < free_below_;
        return is_known || all_have_left(round);
    }
    /// Somebody has said that the slot is ready; of the result: that all may go on.
    bool is_ready(const Round& round, int slot) const {
        // Acquire: what was written before is seen after it.
        return word(line(round, slot).ready).load(std::memory_order_acquire) > round.number;
    }
    bool is_released(const Round& round) const { return is_ready(round, size_); }

    /// Where so many bytes are in a slot. The result is the slot after the last rank's.
    std::byte* data(const Round& round, int slot, std::size_t bytes) const {
        return bytes <= sizeof(Line::data) ? line(round, slot).data : body(round, slot);
    }
    std::uint64_t& length(const Round& round, int slot) const { return line(round, slot).length; }
    int result() const { return size_; }

    /// Begins to take back a slot's beginning that others have read last, as it will be written to
    /// soon: not of the next use, at which they look already. (Always inlined, as in
    /// CellRingReader.)
    [[gnu::always_inline]] void prepare_slot_after(const Round& round, int slot) const {
        if (!is_kept(round)) fetch_to_write(&line(in_turn(round.number + 2), slot));
    }

    /// Says that the own slot is ready.
    void give(const Round& round) { set_ready(round, rank_); }
    /// True: all others have arrived. They may wait for release().
    bool arrive(const Round& round);
    // Two ranks come to a point, which a slot's number stands for. Each brings a vector, in some
    // slot.

    static constexpr int nobody = -1;
    /// The slot that the first brought, or nobody.
    int first_at(const Round& round, int point) const;
    /// The same; if nobody came before, we are the first, and bring that slot.
    int come_to(const Round& round, int point, int slot);
    /// By the second, for the next use.
    void forget(const Round& round, int point) {
        // Relaxed: whoever comes there next has seen that we left, which comes later.
        word(line(round, point).length).store(0, std::memory_order_relaxed);
    }
    void release(const Round& round) { set_ready(round, size_); }
    /// Nothing in the set is read any more by this rank, nor written unless others wait for it.
    void leave(const Round& round);

    /// Ranks have met in wrong rounds, or will: nothing in here can be relied on any more.
    void fall_out_of_step();
    bool is_out_of_step() const {
        // Relaxed: whoever sees it takes nothing.
        return word(head().out_of_step).load(std::memory_order_relaxed) != 0;
    }

    /// A rank that is about to sleep while it waits here says so before its last look, between
    /// which there is a heavy fence.
    void fall_asleep();
    void wake_up();
    /// How many collectives of this rank are in the hub.
    int under_way = 0;

  private:
    /// The beginning of a slot, with room for what is small.
    struct alignas(cache_line) Line {
        std::uint64_t ready;  ///< the number of the last use in which it was, plus one
        std::uint64_t length;
        std::byte data[cache_line - 2 * sizeof(std::uint64_t)];
    };
    /// What a rank says of itself; others read it.
    struct alignas(cache_line) Marks {
        std::uint64_t left;  ///< the rounds below have all been left
        std::uint32_t asleep;
        alignas(cache_line) std::uint64_t left_kept[small.to_keep];  ///< uses of each
    };
    struct alignas(cache_line) Count {
        std::uint64_t arrived;
    };
    struct Head {
        alignas(cache_line) std::uint32_t sleepers;
        std::uint32_t out_of_step;
        Count counts[small.in_turn + small.to_keep];
    };
    static_assert(wide.in_turn <= small.in_turn && wide.to_keep <= small.to_keep);

    template <class Word>
    static std::atomic_ref<Word> word(Word& shared) {
        return std::atomic_ref(shared);
    }
    bool is_kept(const Round& round) const { return round.set >= shape_.in_turn; }
    std::uint64_t& left_kept(int rank, const Round& round) const {
        return marks(rank).left_kept[round.set - shape_.in_turn];
    }
    std::uint32_t sets() const { return shape_.in_turn + shape_.to_keep; }
    std::size_t slots() const { return static_cast<std::size_t>(size_) + 1; }
    Head& head() const { return *reinterpret_cast<Head*>(memory_); }
    Marks& marks(int rank) const { return reinterpret_cast<Marks*>(memory_ + sizeof(Head))[rank]; }
    Line& line(const Round& round, int slot) const {
        auto* const lines = reinterpret_cast<Line*>(&marks(size_));
        return lines[round.set * slots() + static_cast<std::size_t>(slot)];
    }
    std::byte* body(const Round& round, int slot) const {
        auto* const bodies = reinterpret_cast<std::byte*>(&line({0, sets()}, 0));
        return bodies + (round.set * slots() + static_cast<std::size_t>(slot)) * shape_.capacity;
    }
    void set_ready(const Round& round, int slot);
    bool all_have_left(const Round& round);
    void wake_sleepers();

    int rank_;
    int size_;
    Shape shape_;
    Bell& bell_;
    std::byte* memory_ = nullptr;
    std::uint64_t taken_ = 0;
    std::uint32_t kept_ = 0;
    /// Sets in turn are free for rounds below this, as far as was last seen.
    std::uint64_t free_below_ = 0;
    std::uint64_t left_ = 0;         ///< as in the marks
    std::uint64_t left_beyond_ = 0;  ///< a bit for each further round
};

}  // namespace railyard::mpi
