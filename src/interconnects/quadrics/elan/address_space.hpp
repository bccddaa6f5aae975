#pragma once
/// One process' memory as its adapter sees it: 32-bit addresses, pages in either memory, and who
/// may reach what from other nodes. System software keeps it in step with the host's own tables, so
/// the same bytes are here at the same place for the host's processor (GV).

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "interconnects/quadrics/elan/memory_path.hpp"
#include "interconnects/quadrics/elan/parameters.hpp"

namespace railyard::elan {

/// The physical pages of one node: those of the adapter's SDRAM, 28-bit addresses, and those of
/// main memory as PCI sees it, 48-bit addresses. Bytes exist from the first use on.
struct Frame {
    Home home = Home::main;
    std::uint64_t physical = 0;
    std::byte* bytes = nullptr;  ///< null: only the timing counts, unless somebody lends some
    bool exists() const { return physical != 0; }
    friend bool operator==(const Frame&, const Frame&) = default;
};

class Frames {
  public:
    explicit Frames(Bytes sdram_size) : sdram_pages_(sdram_size.count() / page_size) {}

    /// Throws Error where the SDRAM is full.
    Frame take(Home home);
    /// Memory that somebody else owns, a page or less of it. Of an adapter's, nobody else can own
    /// the content.
    Frame foreign(Home home, std::byte* bytes) { return {home, next_main(), bytes}; }
    void give_back(const Frame& frame);

  private:
    using Content = std::array<std::byte, page_size>;
    static constexpr std::uint64_t main_base = std::uint64_t{1} << 32;

    std::uint64_t next_main() { return main_base + page_size * mains_++; }

    const std::uint64_t sdram_pages_;
    std::uint64_t sdrams_ = 0;
    std::uint64_t mains_ = 0;
    std::vector<std::unique_ptr<Content>> contents_;
    std::array<std::vector<Frame>, 2> free_;  ///< by home
};

using Address = std::uint32_t;
using HostAddress = std::uint64_t;
using Vpid = std::uint32_t;  ///< a process of a job

constexpr Address null_address = 0;

enum class Access : std::uint8_t { read, write };

struct Page {
    enum class State : std::uint8_t { absent, on_demand, bound };
    State state = State::absent;
    bool owned = false;        ///< the frame goes back when it is unmapped
    bool mapped = false;       ///< its place was given by map(), and may be given again
    std::uint32_t length = 0;  ///< bytes of it that may be touched
    Frame frame;               ///< while it is not bound, only its home counts
};

/// A range that other processes of the job may reach. Where no range says more, nobody may.
struct Segment {
    Address first = 0;
    Address last = 0;
    bool readable = true;
    bool writable = true;
    std::optional<std::set<Vpid>> partners;  ///< nothing: all of the job
};

class AddressSpace {
  public:
    /// Where the allocator's heap begins, in both views (GV-5's example).
    static constexpr Address heap_base = 0x0C80'8000;

    AddressSpace(Frames& frames, std::uint64_t host_offset)
        : frames_(frames), host_offset_(host_offset) {}
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;
    ~AddressSpace();

    /// Told of every page whose mapping changes: adapters forget what they know of it.
    std::function<void(std::uint32_t page)> on_change;

    /// Memory of the heap, all of it in one home; pages are bound when first touched. A multiple of
    /// 64 bytes, so that blocks are whole.
    Address allocate(Home home, std::uint32_t size);
    void release(Address address, std::uint32_t size);
    /// The plain allocator's: for the host alone, outside what 32 bits reach where the host has 64.
    HostAddress allocate_plain(std::uint32_t size);

    /// Makes the owner's own memory part of the space, where nothing else is, open to the job. A
    /// null pointer is memory whose content nobody looks at. Throws UsageError for no memory at
    /// all, and Error where there is no room.
    Address map(std::byte* memory, std::uint64_t size);
    /// The same for memory of that home whose content nobody looks at, and whose pages are bound
    /// when first touched.
    Address reserve(Home home, std::uint64_t size);
    /// Whole pages, of one mapping or of the heap. Places that map() has given may be given again.
    void unmap(Address address, std::uint32_t size);
    /// Until it is taken back, that is what stands there, in pages without content of their own.
    /// Ranges that are lent do not overlap.
    void lend(Address address, std::span<std::byte> memory) { lent_.emplace(address, memory); }
    void take_back(Address address) { lent_.erase(address); }
    /// Null unless all of it is lent.
    std::byte* lent(Address address, std::size_t size) const;

    /// Who may reach what from outside; later words count more. All of the heap is open to the
    /// job at first.
    void expose(const Segment& segment);
    bool allows(Vpid who, Address address, std::uint32_t size, Access access) const;

    /// System software's answer to a fault: false if there is nothing to bind.
    bool bind(Address address);
    const Page* find(Address address) const;
    /// What is there, or would be; nothing for an address that means nothing.
    std::optional<Home> home_of(Address address) const;

    /// The host's processor: binds what it touches. False if any of it is not mapped.
    bool store(Address address, std::span<const std::byte> data);
    bool load(Address address, std::span<std::byte> data);

    HostAddress to_host(Address address) const { return address + host_offset_; }
    /// Nothing where it is out of reach.
    std::optional<Address> to_elan(HostAddress address) const;

  private:
    static constexpr std::uint32_t leaf_bits = 6;  ///< pages: a small process has one leaf
    static constexpr std::uint32_t leaf_shift = 12 + leaf_bits;
    static constexpr std::uint32_t first_leaf = heap_base >> leaf_shift;  ///< none is below
    using Leaf = std::array<Page, 1 << leaf_bits>;

    static std::size_t place_in_leaf(Address address) {
        return address >> 12 & ((1U << leaf_bits) - 1);
    }
    /// Makes the leaf where there is none.
    Page& page(Address address);
    Page* find_page(Address address) { return const_cast<Page*>(find(address)); }
    Address map_pages(Page::State state, Home home, std::byte* memory, std::uint64_t size);
    Address take_pages(std::uint64_t pages);
    void give_back_pages(Address first, std::uint32_t pages);
    /// Nothing is said any more of what is there.
    void forget_segments(Address first, Address last);
    template <class Do>
    bool for_each_piece(Address address, std::size_t size, Do what);

    Frames& frames_;
    const std::uint64_t host_offset_;
    std::vector<std::unique_ptr<Leaf>> table_;      ///< as far up as anything has been given away
    std::map<Address, Segment> segments_;           ///< by their first addresses; none overlap
    std::map<Address, std::span<std::byte>> lent_;  ///< by their first addresses
    Address next_page_ = heap_base;
    std::map<Address, std::uint32_t> free_pages_;  ///< below next_page_: how many from there on
    struct Arena {
        Address next = 0;
        Address end = 0;
        std::map<std::uint32_t, std::vector<Address>> free;  ///< by size
    };
    std::array<Arena, 2> arenas_;  ///< by home
    HostAddress next_plain_ = 0x1'2000'0000;
};

}  // namespace railyard::elan
