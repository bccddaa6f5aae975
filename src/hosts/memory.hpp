#pragma once
/// The memory of a host in virtual time, as its processor meets it: what was used lately is in its
/// cache and its TLB, and the rest costs time. Only buffers of programs are known here; what
/// libraries use all the time is taken to be at hand.
///
/// Lines and pages are counted from where a buffer begins, and buffers are told apart by what
/// overlaps what: nothing depends on where the memory of this process happened to lie.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "base/rate.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"

namespace railyard::hosts {

class Memory {
  public:
    static constexpr Bytes line_size{64};
    static constexpr Bytes page_size{4096};

    struct Parameters {
        Bytes cache{};         ///< its size; 0: everything is always in it
        Duration miss{};       ///< the first line of a page, if it is read from memory ...
        Rate rate{};           ///< ... and how fast lines go between memory and cache besides
        unsigned fills = 0;    ///< lines under way while the processor goes on writing
        unsigned entries = 0;  ///< pages that the TLB knows; 0: all
        Duration walk{};       ///< finding another one's address

        bool costs() const { return cache > Bytes() || entries > 0; }
        friend bool operator==(const Parameters&, const Parameters&) = default;
    };

    explicit Memory(const Parameters& parameters);

    /// How much longer the processor takes to read or write a buffer than if all of it were at
    /// hand, as it is from now on. A line that is written without having been there is fetched
    /// first and goes back some time: both are paid for here, but for the last lines, which nobody
    /// waits for.
    Duration read(const std::byte* buffer, std::uint64_t n);
    Duration write(const std::byte* buffer, std::uint64_t n);
    /// An adapter has written there: what the cache has of it is worth nothing.
    void overwritten(const std::byte* buffer, std::uint64_t n);

  private:
    enum Order : std::uint8_t { in_cache, in_tlb };  ///< of which a page has a place in each

    struct Page {
        std::uint64_t lines = 0;  ///< a bit for each that is in the cache
        struct {
            Page* newer = nullptr;
            Page* older = nullptr;
        } places[2];
        bool known = false;  ///< to the TLB
    };
    /// Pages by when they were used.
    struct Ages {
        Page* newest = nullptr;
        Page* oldest = nullptr;
    };
    struct Buffer {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        std::unique_ptr<Page[]> pages;
    };

    /// Calls back with each page of a buffer between two of its bytes, and bits for the lines.
    template <class Each>
    static void for_pages(const Buffer& buffer, std::uintptr_t at, std::uintptr_t end, Each each);
    Buffer& buffer_at(std::uintptr_t at, std::uintptr_t end);
    /// What of a buffer was not at hand, and is now.
    struct Missing {
        std::int64_t translations = 0;
        std::int64_t pages = 0;  ///< that lack a line or more ...
        std::int64_t lines = 0;  ///< ... and these lines
    };
    Missing use(const std::byte* buffer, std::uint64_t n);
    std::int64_t fetch(Page& page, std::uint64_t lines);
    bool translate(Page& page);
    void make_room(const Page& used);
    void drop(Page& page, std::uint64_t lines);
    void put_first(Page& page, Order order, bool is_in);
    void take_out(Page& page, Order order);

    Parameters parameters_;
    Duration line_time_;
    std::uint64_t capacity_ = 0;  ///< of the cache, in lines
    std::uint64_t held_ = 0;
    unsigned known_ = 0;  ///< pages in the TLB
    std::array<Ages, 2> ages_{};
    std::map<std::uintptr_t, Buffer> buffers_;  ///< by their ends: looked up, never walked through
    std::array<Buffer*, 64> lately_{};          ///< some that were found before
};

}  // namespace railyard::hosts
