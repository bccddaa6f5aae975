#pragma once
/// Where the bytes of one element lie, in the order in which they are sent. A tree, shared between
/// types that are made of each other, so that a vector of a million blocks takes as little as one.
/// And the copies between elements where a user has them and their packed stream.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace railyard::mpi {

inline std::ptrdiff_t signed_of(std::size_t n) {
    return static_cast<std::ptrdiff_t>(n);
}

struct Layout;
using LayoutRef = std::shared_ptr<const Layout>;

struct Layout {
    enum class Kind : std::uint8_t {
        empty,
        block,    ///< `bytes` bytes at `offset`
        strided,  ///< `count` times `child`, at `offset`, `offset` + `stride`, …
        same,     ///< `child` at each of `offsets`
        blocks,   ///< bytes at each of `offsets`, as many as `starts` leaves for it
        mixed,    ///< each of `children` at its one of `offsets`
    };

    Kind kind = Kind::empty;
    std::size_t bytes = 0;      ///< of data
    std::ptrdiff_t offset = 0;  ///< from the element's address
    std::size_t count = 0;
    std::ptrdiff_t stride = 0;
    std::size_t pieces = 0;   ///< blocks in all
    std::uint32_t depth = 0;  ///< levels of others below this one
    LayoutRef child;
    std::vector<std::ptrdiff_t> offsets;
    std::vector<std::size_t> starts;  ///< place in the stream of each, and the end of the last
    std::vector<LayoutRef> children;
};

LayoutRef empty_layout();
LayoutRef block_layout(std::ptrdiff_t offset, std::size_t bytes);
/// `count` times `child`, the first moved by `offset`.
LayoutRef repeated(const LayoutRef& child, std::size_t count, std::ptrdiff_t stride,
                   std::ptrdiff_t offset);

/// Puts layouts one after the other. Neighbours become one block, even spacing becomes a stride.
class LayoutList {
  public:
    void add(const LayoutRef& child, std::size_t count, std::ptrdiff_t stride,
             std::ptrdiff_t offset);
    LayoutRef finish() &&;

  private:
    struct Piece {
        std::ptrdiff_t offset;
        std::size_t bytes;
        LayoutRef child;  ///< null: a block
    };

    void add_block(std::ptrdiff_t offset, std::size_t bytes);
    void flatten(const Layout& layout, std::ptrdiff_t offset);
    bool evenly_spaced() const;
    bool all_alike() const;

    std::vector<Piece> pieces_;
    /// The last one made of many, as the next is often the same.
    LayoutRef last_of_;
    std::size_t last_count_ = 0;
    std::ptrdiff_t last_stride_ = 0;
    LayoutRef last_;
};

/// Calls visit(offset, bytes) for each block of one `layout` that lies at `at`, in the order of the
/// stream. Neighbours may come as two.
template <class Visit>
void for_each_block(const Layout& layout, std::ptrdiff_t at, Visit& visit) {
    switch (layout.kind) {
        case Layout::Kind::empty:
            break;
        case Layout::Kind::block:
            visit(at + layout.offset, layout.bytes);
            break;
        case Layout::Kind::strided:
            for (std::size_t i = 0; i < layout.count; ++i)
                for_each_block(*layout.child, at + layout.offset + signed_of(i) * layout.stride,
                               visit);
            break;
        case Layout::Kind::same:
            for (const std::ptrdiff_t offset : layout.offsets)
                for_each_block(*layout.child, at + offset, visit);
            break;
        case Layout::Kind::blocks:
            for (std::size_t i = 0; i < layout.offsets.size(); ++i)
                visit(at + layout.offsets[i], layout.starts[i + 1] - layout.starts[i]);
            break;
        case Layout::Kind::mixed:
            for (std::size_t i = 0; i < layout.offsets.size(); ++i)
                for_each_block(*layout.children[i], at + layout.offsets[i], visit);
            break;
    }
}

/// Elements of a layout, each `extent` after the one before.
struct Elements {
    const Layout& layout;
    std::ptrdiff_t extent;
};

/// Whether copies run across memory: from one element of the stream to the next it is far, and from
/// one row of them to the next it is near, as in the transpose of a matrix. Then what shares a line
/// of the cache is far apart in the stream, and copies of many rows at once are worth their while.
bool runs_across(const Layout& layout, std::ptrdiff_t stride);

/// How much of the stream should be copied at once, in bytes; 0: it makes no difference.
std::size_t best_window(const Elements& elements);

/// Bytes `from`, `from` + 1, … of the stream, as many as `out` holds; it must not reach beyond the
/// elements that are there.
void gather(const Elements& elements, const void* address, std::size_t from,
            std::span<std::byte> out);
void scatter(const Elements& elements, void* address, std::size_t from,
             std::span<const std::byte> in);

}  // namespace railyard::mpi
