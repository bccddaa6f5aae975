#pragma once
/// The ring between one writer and one reader, who may be threads, processes or hosts. Its cells
/// are one cache line each and carry their own stamp, so that a message of up to a line is one line
/// handed from core to core, or one RDMA write; there is no shared index to read first.
///
/// A stamp is the lap in which its cell was filled, counted from one: memory that is all zero is an
/// empty ring, and nothing is ever cleared. Bytes that do not fit into a cell lie in a data ring
/// beside the cells; or, where cells are written by RDMA, right before their cell, in its slot, so
/// that one write brings both and the stamp comes last. Both sides compute the same places from the
/// same lengths, so no positions travel.
///
/// The reader tells what it has emptied in RingCounts, at which the writer looks only when its last
/// knowledge says that the ring is full. Where they lie and how often they are told is up to the
/// user: in the reader's memory after every cell, or in the writer's now and then.
///
/// All that stands on a small message's way is always inlined: how much GCC inlines by itself
/// depends on how large the file is in which it finds the call.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "railyard/base/cpu.hpp"

namespace railyard {

/// How much the reader has emptied since the beginning. All zero at first.
struct alignas(cache_line) RingCounts {
    std::uint64_t cells = 0;
    std::uint64_t bytes = 0;  ///< of the data ring

    // Release: the reader's reads of what it has emptied come before the writer's writing there.
    void tell_cells(std::uint64_t count) {
        std::atomic_ref(cells).store(count, std::memory_order_release);
    }
    void tell_bytes(std::uint64_t count) {
        std::atomic_ref(bytes).store(count, std::memory_order_release);
    }
    // Acquire: pairs with the above. atomic_ref takes no const, but a load does not write.
    std::uint64_t told_cells() const {
        return std::atomic_ref(const_cast<std::uint64_t&>(cells)).load(std::memory_order_acquire);
    }
    std::uint64_t told_bytes() const {
        return std::atomic_ref(const_cast<std::uint64_t&>(bytes)).load(std::memory_order_acquire);
    }
};

/// Pieces of a data ring begin on lines of their own.
constexpr std::uint64_t in_lines(std::uint64_t length) {
    return (length + (cache_line - 1)) & ~std::uint64_t{cache_line - 1};
}

/// Where one side stands in the data ring: pieces come in order and never wrap around its end.
class DataCursor {
  public:
    /// `size`: whole lines.
    explicit DataCursor(std::uint64_t size = 0) : size_(size) {}

    /// Where the next `length` bytes begin, counted from the start of the ring.
    std::uint64_t offset_of(std::uint64_t length) const { return wraps(length) ? 0 : offset_; }
    /// The same, counted from the beginning of time.
    std::uint64_t start_of(std::uint64_t length) const {
        return wraps(length) ? position_ + (size_ - offset_) : position_;
    }
    void move_past(std::uint64_t length) {
        position_ = start_of(length) + in_lines(length);
        offset_ = offset_of(length) + in_lines(length);
    }
    std::uint64_t size() const { return size_; }
    std::uint64_t position() const { return position_; }

  private:
    bool wraps(std::uint64_t length) const { return offset_ + length > size_; }

    std::uint64_t size_;
    std::uint64_t position_ = 0;
    std::uint64_t offset_ = 0;  ///< position_ within the ring; its size where the end is reached
};

/// The memory of a ring, as one side sees it. `Cell` is one line and has a member `stamp`, a byte
/// or an unsigned number.
template <class Cell>
struct RingMemory {
    Cell* cells = nullptr;
    std::uint64_t count = 0;  ///< a power of two
    std::byte* data = nullptr;
    std::uint64_t data_size = 0;  ///< whole lines
    std::uint64_t stride =
        sizeof(Cell);  ///< from cell to cell: more than a line where cells end slots
};

/// Where one side stands among the cells, and which stamp the next cell has once it is filled.
template <class Cell>
class CellCursor {
  public:
    using Stamp = decltype(Cell::stamp);

    CellCursor() = default;
    explicit CellCursor(const RingMemory<Cell>& memory)
        : current_(memory.cells),
          first_(memory.cells),
          stride_(memory.stride),
          mask_(memory.count - 1) {}

    Cell* cell() const { return current_; }
    Stamp stamp() const { return stamp_; }
    std::uint64_t position() const { return next_; }
    std::uint64_t count() const { return mask_ + 1; }
    Cell* ahead(std::uint64_t by) const { return &first_[(next_ + by) & mask_]; }

    [[gnu::always_inline]] void advance() {
        current_ = reinterpret_cast<Cell*>(reinterpret_cast<std::byte*>(current_) + stride_);
        if ((++next_ & mask_) == 0) {
            current_ = first_;
            stamp_ = following(stamp_);
        }
    }

  private:
    /// Zero is no stamp: untouched memory has it.
    static Stamp following(Stamp stamp) {
        using Number =
            typename std::conditional_t<std::is_enum_v<Stamp>, std::underlying_type<Stamp>,
                                        std::type_identity<Stamp>>::type;
        const auto next = static_cast<Number>(static_cast<Number>(stamp) + 1);
        return static_cast<Stamp>(next == 0 ? Number{1} : next);
    }

    Cell* current_ = nullptr;
    Stamp stamp_{1};
    Cell* first_ = nullptr;
    std::uint64_t stride_ = sizeof(Cell);
    std::uint64_t mask_ = 0;
    std::uint64_t next_ = 0;
};

/// A placement says how a filled cell gets into the reader's memory: `slotted()`, whether bytes lie
/// with their cell, `in_slot(cell, bytes)`, where they do then, and `show(cell, stamp, bytes)`,
/// which hands over the cell, the bytes in its slot, and the stamp last. This one is for memory
/// that the writer has mapped.
struct Mapped {
    static constexpr bool slotted() { return false; }
    template <class Cell>
    static std::byte* in_slot(Cell& /*cell*/, std::uint64_t /*bytes*/) {
        return nullptr;
    }
    template <class Cell>
    [[gnu::always_inline]] static void show(Cell& cell, decltype(Cell::stamp) stamp,
                                            std::uint64_t /*bytes*/) {
        // Release: what was put into the cell and the data ring is seen by who sees the stamp.
        std::atomic_ref(cell.stamp).store(stamp, std::memory_order_release);
    }
};

template <class Cell, class Placement = Mapped>
class CellRingWriter {
  public:
    CellRingWriter() = default;
    /// `emptied`: where the reader tells.
    CellRingWriter(const RingMemory<Cell>& memory, const RingCounts& emptied,
                   Placement placement = {})
        : cursor_(memory),
          placement_(std::move(placement)),
          emptied_(&emptied),
          data_(memory.data),
          data_cursor_(memory.data_size) {}

    /// Whether so many cells are free, and in the data ring so many bytes in one piece.
    [[gnu::always_inline]] bool has_room(std::uint64_t bytes = 0, std::uint64_t cells = 1) {
        return fits(bytes, cells) || (look(), fits(bytes, cells));
    }
    /// The cell to fill next. Only after has_room().
    Cell& cell() const { return *cursor_.cell(); }
    /// Where the bytes of the next cell go that do not fit into it. Only after has_room().
    [[gnu::always_inline]] std::byte* place(std::uint64_t bytes) {
        if (placement_.slotted()) return placement_.in_slot(*cursor_.cell(), bytes);
        return data_ + data_cursor_.offset_of(bytes);
    }
    /// The two in one: null while there is no room.
    [[gnu::always_inline]] Cell* claim() { return has_room() ? cursor_.cell() : nullptr; }
    std::byte* reserve(std::uint64_t bytes) { return has_room(bytes) ? place(bytes) : nullptr; }

    /// Shows the cell, the bytes at place(), and all that was stored before, to the reader.
    [[gnu::always_inline]] void publish(std::uint64_t bytes = 0) {
        if (bytes != 0 && !placement_.slotted()) data_cursor_.move_past(bytes);
        placement_.show(*cursor_.cell(), cursor_.stamp(), bytes);
        cursor_.advance();
        // A cell that the reader has emptied is in its cache. Taking it back takes as long as all
        // the rest of a small message, and is done when its turn comes. Not of the next one, at
        // which the reader looks already.
        if (!placement_.slotted()) fetch_to_write(cursor_.ahead(2));
    }
    /// How many cells were published since the beginning.
    std::uint64_t published() const { return cursor_.position(); }
    /// How many of them the reader has emptied.
    std::uint64_t emptied() { return cells_emptied_ = emptied_->told_cells(); }
    /// The reader has told by another way, with the lowest 16 bits of its count.
    void credit(std::uint16_t cells) {
        // Of what was told by another way since, this may be less.
        const auto more = static_cast<std::uint16_t>(cells - cells_emptied_);
        if (more <= cursor_.count()) cells_emptied_ += more;
    }

    Placement& placement() { return placement_; }
    const Placement& placement() const { return placement_; }

  private:
    [[gnu::always_inline]] bool fits(std::uint64_t bytes, std::uint64_t cells) const {
        return cursor_.position() + cells - cells_emptied_ <= cursor_.count() &&
               (bytes == 0 ||
                data_cursor_.start_of(bytes) + bytes - bytes_emptied_ <= data_cursor_.size());
    }
    void look() {
        // The reader has read what it says it has emptied before we write there again. Of two
        // counts an older one is only cautious, and what credit() was told may be newer.
        cells_emptied_ = std::max(cells_emptied_, emptied_->told_cells());
        bytes_emptied_ = emptied_->told_bytes();
    }

    CellCursor<Cell> cursor_;          ///< in the reader's memory, or in a shadow of it
    std::uint64_t cells_emptied_ = 0;  ///< as last seen
    [[no_unique_address]] Placement placement_;
    const RingCounts* emptied_ = nullptr;
    std::byte* data_ = nullptr;
    DataCursor data_cursor_;
    std::uint64_t bytes_emptied_ = 0;
};

/// `look_ahead`: how many cells are looked at together. A fence between two cells would keep the
/// loads of the second from starting before those of the first have ended; but whoever waits for
/// one cell only takes the next lines away from a writer who is about to fill them.
template <class Cell, unsigned look_ahead = 1>
class CellRingReader {
  public:
    CellRingReader() = default;
    explicit CellRingReader(const RingMemory<Cell>& memory)
        : cursor_(memory), data_(memory.data), data_cursor_(memory.data_size) {}

    /// The oldest cell not yet popped, or null.
    [[gnu::always_inline]] Cell* front() {
        if constexpr (look_ahead == 1) {
            // Acquire: the rest of the cell, and the data, are read after the stamp.
            Cell* const cell = cursor_.cell();
            return acquire_if_equal(std::atomic_ref(cell->stamp), cursor_.stamp()) ? cell : nullptr;
        } else {
            if (seen_ == cursor_.position() && !look()) return nullptr;
            return cursor_.cell();
        }
    }
    /// The bytes of the front cell that lie outside it.
    const std::byte* data(std::uint64_t bytes) const {
        if (data_ == nullptr) return reinterpret_cast<const std::byte*>(cursor_.cell()) - bytes;
        return data_ + data_cursor_.offset_of(bytes);
    }
    /// Done with so many bytes at data(), and with the front cell.
    void pop_data(std::uint64_t bytes) {
        if (data_ != nullptr) data_cursor_.move_past(bytes);
    }
    [[gnu::always_inline]] void pop() { cursor_.advance(); }

    /// The next cell, filled or not, and the stamp that fills it.
    const CellCursor<Cell>& next() const { return cursor_; }
    /// What was emptied since the beginning, to be told in RingCounts.
    std::uint64_t cells() const { return cursor_.position(); }
    std::uint64_t bytes() const { return data_cursor_.position(); }
    bool slotted() const { return data_ == nullptr; }
    std::uint64_t data_size() const { return data_cursor_.size(); }

    /// Fetches the lines of cells that are likely filled already. Not when waiting for one: taking
    /// a line from a writer that is about to fill it makes both wait. (Always inlined: GCC takes a
    /// function that only prefetches for one that does nothing, and drops the call.)
    [[gnu::always_inline]] void expect_more() const {
        if (slotted()) return;
        for (std::uint64_t by = 2; by < 6; ++by)
            __builtin_prefetch(cursor_.ahead(by));
    }

  private:
    [[gnu::always_inline]] bool look() {
        CellCursor<Cell> ahead = cursor_;
        while (ahead.position() - cursor_.position() < look_ahead &&
               std::atomic_ref(ahead.cell()->stamp).load(relaxed_before_acquire) == ahead.stamp())
            ahead.advance();
        seen_ = ahead.position();
        if (seen_ == cursor_.position()) return false;
        // Acquire: payloads are read after the stamps that announce them.
        acquire_after_relaxed();
        return true;
    }

    CellCursor<Cell> cursor_;
    std::uint64_t seen_ = 0;  ///< cells before this one are known to be filled, if looked ahead
    const std::byte* data_ = nullptr;
    DataCursor data_cursor_;
};

}  // namespace railyard
