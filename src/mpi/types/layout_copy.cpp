// Copies between elements and their packed stream: block by block in the order of the stream, or
// one member of many elements at a time.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "mpi/types/layout.hpp"
#include "railyard/base/cpu.hpp"

namespace railyard::mpi {

namespace {

/// Addresses are counted as integers: an absolute address has no object that it is an offset into.
using Address = std::uintptr_t;

inline Address moved(Address address, std::ptrdiff_t by) {
    return address + static_cast<Address>(by);
}

/// The same member of `count` elements: `stride` apart where they are, `step` apart in the stream.
struct Lattice {
    Address at;
    std::ptrdiff_t stride;
    std::size_t start;  ///< in the stream, from its current place
    std::size_t step;
    std::size_t count;
};

template <class Byte, class One>
void each(Lattice l, Byte* stream, One one) {  // copies: no store can change them
    stream += l.start;
    for (; l.count != 0; --l.count, l.at = moved(l.at, l.stride), stream += l.step)
        one(l.at, stream);
}

/// Copies from the user's memory; `stream` runs ahead.
struct Gather {
    std::byte* stream;
    static constexpr std::size_t stretch = 256;  ///< of a row across memory; measured

    template <std::size_t n>
    void fixed(Address at) {
        std::memcpy(stream, reinterpret_cast<const void*>(at), n);
        stream += n;
    }
    void bytes(Address at, std::size_t n) {
        std::memcpy(stream, reinterpret_cast<const void*>(at), n);
        stream += n;
    }
    void apart(const Lattice& l, std::size_t n) const {
        each(l, stream, [n](Address at, std::byte* to) {
            std::memcpy(to, reinterpret_cast<const void*>(at), n);
        });
    }
    template <std::size_t n>
    void fixed_apart(const Lattice& l) const {
        each(l, stream, [](Address at, std::byte* to) {
            std::memcpy(to, reinterpret_cast<const void*>(at), n);
        });
    }
    /// Every other one: with a stride that it knows, the compiler makes vector loads of it.
    template <class Unit>
    bool alternate(Address at, std::size_t count, std::ptrdiff_t stride) {
        if (stride != 2 * static_cast<std::ptrdiff_t>(sizeof(Unit)) || at % alignof(Unit) != 0 ||
            reinterpret_cast<Address>(stream) % alignof(Unit) != 0)
            return false;
        const auto* from = reinterpret_cast<const std::byte*>(at);
        std::byte* to = stream;
        for (std::size_t i = 0; i < count; ++i) {
            Unit unit;
            std::memcpy(&unit, from + 2 * i * sizeof(Unit), sizeof(Unit));
            std::memcpy(to + i * sizeof(Unit), &unit, sizeof(Unit));
        }
        stream += count * sizeof(Unit);
        return true;
    }
};

/// Copies to the user's memory.
struct Scatter {
    const std::byte* stream;
    static constexpr std::size_t stretch = 16;  ///< less, as each element goes to another page

    template <std::size_t n>
    void fixed(Address at) {
        std::memcpy(reinterpret_cast<void*>(at), stream, n);
        stream += n;
    }
    void bytes(Address at, std::size_t n) {
        std::memcpy(reinterpret_cast<void*>(at), stream, n);
        stream += n;
    }
    void apart(const Lattice& l, std::size_t n) const {
        each(l, stream, [n](Address at, const std::byte* from) {
            std::memcpy(reinterpret_cast<void*>(at), from, n);
        });
    }
    template <std::size_t n>
    void fixed_apart(const Lattice& l) const {
        each(l, stream, [](Address at, const std::byte* from) {
            std::memcpy(reinterpret_cast<void*>(at), from, n);
        });
    }
    /// What lies between may belong to others, so that whole vectors cannot be stored.
    template <class Unit>
    bool alternate(Address, std::size_t, std::ptrdiff_t) {
        return false;
    }
};

constexpr std::size_t few_members = 16;
constexpr std::size_t cache_line = 64;   ///< bytes
constexpr std::size_t near = 16 * 1024;  ///< bytes, about half of a first cache

template <class Copy>
class Walk {
  public:
    explicit Walk(Copy copy) : copy_(copy) {}

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
        switch (child.bytes) {
            case 1:
                return strided_fixed<1>(count, stride, base);
            case 2:
                return strided_fixed<2>(count, stride, base);
            case 4:
                if (!copy_.template alternate<std::uint32_t>(base, count, stride))
                    strided_fixed<4>(count, stride, base);
                return;
            case 8:
                if (!copy_.template alternate<std::uint64_t>(base, count, stride))
                    strided_fixed<8>(count, stride, base);
                return;
            case 12:
                return strided_fixed<12>(count, stride, base);
            case 16:
                return strided_fixed<16>(count, stride, base);
            case 24:
                return strided_fixed<24>(count, stride, base);
            case 32:
                return strided_fixed<32>(count, stride, base);
            default:
                for (std::size_t i = 0; i < count; ++i, base = moved(base, stride))
                    copy_.bytes(base, child.bytes);
        }
    }

    template <std::size_t n>
    void strided_fixed(std::size_t count, std::ptrdiff_t stride, Address base) {
        Copy copy = copy_;  // in registers: through `this`, each store could change it
        for (std::size_t i = 0; i < count; ++i, base = moved(base, stride))
            copy.template fixed<n>(base);
        copy_ = copy;
    }

    /// Rows across memory: a stretch of each of those that share lines of the cache at a time.
    void across(const Layout& row, std::size_t count, std::ptrdiff_t stride, Address base) {
        const std::size_t size = row.child->bytes;
        base = moved(base, row.offset + row.child->offset);
        for (std::size_t i = 0; i < count; i += cache_line / size)
            for (std::size_t j = 0; j < row.count; j += Copy::stretch)
                for (std::size_t k = i; k < std::min(i + cache_line / size, count); ++k)
                    member(
                        {moved(base, signed_of(k) * stride + signed_of(j) * row.stride), row.stride,
                         (k * row.count + j) * size, size, std::min(Copy::stretch, row.count - j)},
                        size);
        copy_.stream += count * row.bytes;
    }

    /// Records of few members: member by member, so that each has a loop of its own, over as many
    /// records as stay in the first cache meanwhile.
    void records(const Layout& record, std::size_t count, std::ptrdiff_t stride, Address base) {
        const auto apart = static_cast<std::size_t>(std::abs(stride));
        const std::size_t at_once = near / std::max(apart, record.bytes) + 1;
        while (count != 0) {
            const std::size_t now = std::min(count, at_once);
            for (std::size_t i = 0; i < record.count; ++i)
                member(
                    {moved(base, record.offsets[i]), stride, record.starts[i], record.bytes, now},
                    record.starts[i + 1] - record.starts[i]);
            copy_.stream += now * record.bytes;
            base = moved(base, static_cast<std::ptrdiff_t>(now) * stride);
            count -= now;
        }
    }

    void member(const Lattice& lattice, std::size_t size) {
        switch (size) {
            case 1:
                return copy_.template fixed_apart<1>(lattice);
            case 2:
                return copy_.template fixed_apart<2>(lattice);
            case 4:
                return copy_.template fixed_apart<4>(lattice);
            case 8:
                return copy_.template fixed_apart<8>(lattice);
            case 12:
                return copy_.template fixed_apart<12>(lattice);
            case 16:
                return copy_.template fixed_apart<16>(lattice);
            case 24:
                return copy_.template fixed_apart<24>(lattice);
            case 32:
                return copy_.template fixed_apart<32>(lattice);
            default:
                return copy_.apart(lattice, size);
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
        switch (child.bytes) {
            case 1:
                return same_fixed<1>(offsets, base);
            case 2:
                return same_fixed<2>(offsets, base);
            case 4:
                return same_fixed<4>(offsets, base);
            case 8:
                return same_fixed<8>(offsets, base);
            case 16:
                return same_fixed<16>(offsets, base);
            default:
                for (const std::ptrdiff_t offset : offsets)
                    block(moved(base, offset), child.bytes);
        }
    }

    template <std::size_t n>
    void same_fixed(std::span<const std::ptrdiff_t> offsets, Address base) {
        Copy copy = copy_;
        for (const std::ptrdiff_t offset : offsets)
            copy.template fixed<n>(moved(base, offset));
        copy_ = copy;
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
        switch (size) {
            case 1:
                return copy_.template fixed<1>(at);
            case 2:
                return copy_.template fixed<2>(at);
            case 4:
                return copy_.template fixed<4>(at);
            case 8:
                return copy_.template fixed<8>(at);
            case 16:
                return copy_.template fixed<16>(at);
            default:
                return copy_.bytes(at, size);
        }
    }

    Copy copy_;
};

}  // namespace

void gather(const Elements& elements, const void* address, std::size_t from,
            std::span<std::byte> out) {
    if (out.empty()) return;
    Walk walk(Gather{out.data()});
    walk.strided_part(elements.layout, elements.extent, reinterpret_cast<Address>(address), from,
                      out.size());
}

void scatter(const Elements& elements, void* address, std::size_t from,
             std::span<const std::byte> in) {
    if (in.empty()) return;
    Walk walk(Scatter{in.data()});
    walk.strided_part(elements.layout, elements.extent, reinterpret_cast<Address>(address), from,
                      in.size());
}

}  // namespace railyard::mpi
