// Copies between elements and their packed stream: block by block in the order of the stream, or
// one member of many elements at a time.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "mpi/types/copy_loops.hpp"
#include "mpi/types/layout.hpp"
#include "railyard/base/cpu.hpp"

namespace railyard::mpi {

namespace {

/// Every other one: with a stride that it knows, the compiler makes vector loads of it. False if
/// these are not such.
template <class Unit>
bool gather_alternate(Address at, std::size_t count, std::ptrdiff_t stride, std::byte* to) {
    if (stride != 2 * static_cast<std::ptrdiff_t>(sizeof(Unit)) || at % alignof(Unit) != 0 ||
        reinterpret_cast<Address>(to) % alignof(Unit) != 0)
        return false;
    const auto* from = reinterpret_cast<const std::byte*>(at);
    for (std::size_t i = 0; i < count; ++i) {
        Unit unit;
        std::memcpy(&unit, from + 2 * i * sizeof(Unit), sizeof(Unit));
        std::memcpy(to + i * sizeof(Unit), &unit, sizeof(Unit));
    }
    return true;
}

constexpr std::size_t few_members = 16;
constexpr std::size_t few_records = 16;  ///< so many stay in the first cache, however far apart
constexpr std::size_t cache_line = 64;   ///< bytes
constexpr std::size_t near = 16 * 1024;  ///< bytes, about half of a first cache

/// A record's members, small ones cut into words: a double and the char behind it are one block,
/// and are copied as two words.
struct RecordWords {
    static constexpr std::size_t largest_cut = 31;  ///< bytes: five words at most
    std::array<std::ptrdiff_t, 5 * few_members> offsets;
    std::array<std::size_t, 5 * few_members + 1> starts;
    std::size_t count = 0;

    explicit RecordWords(const Layout& record) {
        for (std::size_t i = 0; i < record.count; ++i) {
            const std::size_t end = record.starts[i + 1];
            const bool is_cut = end - record.starts[i] <= largest_cut;
            for (std::size_t at = record.starts[i]; at != end;) {
                offsets[count] = record.offsets[i] + signed_of(at - record.starts[i]);
                starts[count++] = at;
                at += is_cut ? std::min(std::bit_floor(end - at), std::size_t{16}) : end - at;
            }
        }
        starts[count] = record.bytes;
    }
};

template <class Way>
class Walk {
  public:
    explicit Walk(typename Way::Byte* stream) : stream_(stream) {}

    /// Bytes `from` to `from` + `size` of one `layout` at `base`.
    void part(const Layout& layout, Address base, std::size_t from, std::size_t size) {
        if (size == layout.bytes) return whole(layout, base);
        switch (layout.kind) {
            case Layout::Kind::empty:
                break;
            case Layout::Kind::block:
                block(moved(base, layout.offset) + from, size);
                break;
            case Layout::Kind::strided:
                strided_part(*layout.child, layout.stride, moved(base, layout.offset), from, size);
                break;
            case Layout::Kind::same:
                same_part(layout, base, from, size);
                break;
            case Layout::Kind::blocks:
            case Layout::Kind::mixed:
                list_part(layout, base, from, size);
                break;
        }
    }

    /// The same of as many layouts as it takes, each `stride` after the one before.
    void strided_part(const Layout& child, std::ptrdiff_t stride, Address base, std::size_t from,
                      std::size_t size) {
        if (size == child.bytes && from == 0) return whole(child, base);
        if (from >= child.bytes) {
            const std::size_t skipped = from / child.bytes;
            base = moved(base, static_cast<std::ptrdiff_t>(skipped) * stride);
            from -= skipped * child.bytes;
        }
        if (from != 0) {
            const std::size_t head = std::min(size, child.bytes - from);
            part(child, base, from, head);
            base = moved(base, stride);
            size -= head;
        }
        if (size >= child.bytes) {
            const std::size_t count = size / child.bytes;
            strided_whole(child, count, stride, base);
            base = moved(base, static_cast<std::ptrdiff_t>(count) * stride);
            size -= count * child.bytes;
        }
        if (size != 0) part(child, base, 0, size);
    }

  private:
    void whole(const Layout& layout, Address base) {
        switch (layout.kind) {
            case Layout::Kind::empty:
                break;
            case Layout::Kind::block:
                block(moved(base, layout.offset), layout.bytes);
                break;
            case Layout::Kind::strided:
                strided_whole(*layout.child, layout.count, layout.stride,
                              moved(base, layout.offset));
                break;
            case Layout::Kind::same:
                same_whole(layout, 0, layout.count, base);
                break;
            case Layout::Kind::blocks:
                blocks_whole(layout, 0, layout.count, base);
                break;
            case Layout::Kind::mixed:
                for (std::size_t i = 0; i < layout.count; ++i)
                    whole(*layout.children[i], moved(base, layout.offsets[i]));
                break;
        }
    }

    void strided_whole(const Layout& child, std::size_t count, std::ptrdiff_t stride,
                       Address base) {
        if (count > 1 && runs_across(child, stride)) return across(child, count, stride, base);
        if (child.kind == Layout::Kind::blocks && child.count <= few_members && count > 1)
            return records(child, count, stride, base);
        if (child.kind != Layout::Kind::block) {
            for (std::size_t i = 0; i < count; ++i, base = moved(base, stride))
                whole(child, base);
            return;
        }
        base = moved(base, child.offset);
        if (!alternate(child.bytes, count, stride, base))
            with_piece(child.bytes, [&](auto piece) {
                each<Way>({base, stride, 0, piece.size(), count}, stream_, piece);
            });
        stream_ += count * child.bytes;
    }

    bool alternate(std::size_t size, std::size_t count, std::ptrdiff_t stride, Address base) {
        if constexpr (std::is_same_v<Way, Gather>)
            return (size == 8 && gather_alternate<std::uint64_t>(base, count, stride, stream_)) ||
                   (size == 4 && gather_alternate<std::uint32_t>(base, count, stride, stream_));
        return false;
    }

    /// Rows across memory: a stretch of each of those that share lines of the cache at a time.
    void across(const Layout& row, std::size_t count, std::ptrdiff_t stride, Address base) {
        const std::size_t size = row.child->bytes;
        base = moved(base, row.offset + row.child->offset);
        with_piece(size, [&](auto piece) {
            for (std::size_t i = 0; i < count; i += cache_line / size)
                for (std::size_t j = 0; j < row.count; j += Way::stretch)
                    for (std::size_t k = i; k < std::min(i + cache_line / size, count); ++k)
                        each<Way>({moved(base, signed_of(k) * stride + signed_of(j) * row.stride),
                                   row.stride, (k * row.count + j) * size, size,
                                   std::min(Way::stretch, row.count - j)},
                                  stream_, piece);
        });
        stream_ += count * row.bytes;
    }

    /// Records of few members: some words of many records at a time, so that each mix of them has a
    /// loop of its own, over as many records as stay in the first cache meanwhile.
    void records(const Layout& record, std::size_t count, std::ptrdiff_t stride, Address base) {
        const RecordWords words(record);
        const bool in_one_pass = words.count <= words_at_once || count < few_records;
        const auto apart = static_cast<std::size_t>(std::abs(stride));
        const std::size_t at_once = in_one_pass ? count : near / std::max(apart, record.bytes) + 1;
        while (count != 0) {
            const std::size_t now = std::min(count, at_once);
            for (std::size_t i = 0; i < words.count;)
                i += copy_some<Way>({base, stride, record.bytes, now, words.offsets.data() + i,
                                     words.starts.data() + i},
                                    words.count - i, stream_);
            stream_ += now * record.bytes;
            base = moved(base, static_cast<std::ptrdiff_t>(now) * stride);
            count -= now;
        }
    }

    void same_whole(const Layout& layout, std::size_t first, std::size_t end, Address base) {
        const Layout& child = *layout.child;
        if (child.kind != Layout::Kind::block) {
            for (std::size_t i = first; i < end; ++i)
                whole(child, moved(base, layout.offsets[i]));
            return;
        }
        base = moved(base, child.offset);
        const std::span offsets = std::span(layout.offsets).subspan(first, end - first);
        with_piece(child.bytes, [&](auto piece) { each_at<Way>(offsets, base, stream_, piece); });
        stream_ += offsets.size() * child.bytes;
    }

    void same_part(const Layout& layout, Address base, std::size_t from, std::size_t size) {
        const std::size_t each = layout.child->bytes;
        std::size_t i = from / each;
        if (const std::size_t inside = from % each; inside != 0) {
            const std::size_t head = std::min(size, each - inside);
            part(*layout.child, moved(base, layout.offsets[i++]), inside, head);
            size -= head;
        }
        const std::size_t end = i + size / each;
        same_whole(layout, i, end, base);
        if (size % each != 0) part(*layout.child, moved(base, layout.offsets[end]), 0, size % each);
    }

    void blocks_whole(const Layout& layout, std::size_t first, std::size_t end, Address base) {
        for (std::size_t i = first; i < end; ++i)
            block(moved(base, layout.offsets[i]), layout.starts[i + 1] - layout.starts[i]);
    }

    /// Of pieces of different sizes: the first is found by halving.
    void list_part(const Layout& layout, Address base, std::size_t from, std::size_t size) {
        const auto behind = std::upper_bound(layout.starts.begin(), layout.starts.end(), from);
        auto i = static_cast<std::size_t>(behind - layout.starts.begin()) - 1;
        for (std::size_t inside = from - layout.starts[i]; size != 0; ++i, inside = 0) {
            const std::size_t length = layout.starts[i + 1] - layout.starts[i];
            const std::size_t now = std::min(size, length - inside);
            const Address address = moved(base, layout.offsets[i]);
            if (layout.kind == Layout::Kind::blocks)
                block(address + inside, now);
            else
                part(*layout.children[i], address, inside, now);
            size -= now;
        }
    }

    void block(Address at, std::size_t size) {
        copy_block<Way>(at, stream_, size);
        stream_ += size;
    }

    typename Way::Byte* stream_;
};

}  // namespace

void gather(const Elements& elements, const void* address, std::size_t from,
            std::span<std::byte> out) {
    if (out.empty()) return;
    Walk<Gather> walk(out.data());
    walk.strided_part(elements.layout, elements.extent, reinterpret_cast<Address>(address), from,
                      out.size());
}

void scatter(const Elements& elements, void* address, std::size_t from,
             std::span<const std::byte> in) {
    if (in.empty()) return;
    Walk<Scatter> walk(in.data());
    walk.strided_part(elements.layout, elements.extent, reinterpret_cast<Address>(address), from,
                      in.size());
}

}  // namespace railyard::mpi
