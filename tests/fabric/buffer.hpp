#pragma once
/// Registered memory for tests: data whose every byte depends on its position, between guards that
/// nobody may touch.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fabric/spmd.hpp"
#include "railyard/nic.hpp"

namespace railyard::contract {

/// Fills with bytes that follow from `seed` and the position: a byte lost, doubled or moved shows.
void fill_pattern(std::span<std::byte> data, std::uint64_t seed);
/// The first position that does not hold the pattern; data.size() if all do.
std::size_t find_mismatch(std::span<const std::byte> data, std::uint64_t seed);
void check_pattern(std::span<const std::byte> data, std::uint64_t seed, std::string_view what,
                   Where where = Where::current());
/// A seed for what `rank` sends in `round`.
constexpr std::uint64_t seed_of(int rank, std::uint64_t round) {
    return round * 1'000'003 + static_cast<std::uint64_t>(rank) + 1;
}

enum class Memory : std::uint8_t {
    user,  ///< the test's own, registered
    nic,   ///< allocated by the Nic
};
inline constexpr Memory memories[] = {Memory::user, Memory::nic};

class Buffer {
  public:
    static constexpr std::size_t guard = 64;
    static constexpr std::byte untouched{0xa5};

    Buffer(fabric::Nic& nic, std::size_t size, Memory memory = Memory::user,
           fabric::Access access = fabric::Access::all);

    std::size_t size() const { return size_; }
    const fabric::Region& region() const { return *region_; }
    std::span<std::byte> data() const { return region_->span().subspan(guard, size_); }
    std::span<std::byte> data(std::size_t at, std::size_t n) const { return data().subspan(at, n); }

    /// A piece of the data, as a local slice; without arguments all of it.
    fabric::Slice slice(std::size_t at, std::size_t n) const {
        return {*region_, Bytes(guard + at), Bytes(n)};
    }
    fabric::Slice slice() const { return slice(0, size_); }
    /// A place in the same data of a peer, whose buffer has the same layout.
    static fabric::RemoteSlice at(const fabric::RemoteRegion& peer, std::size_t offset = 0) {
        return {&peer, Bytes(guard + offset)};
    }

    void fill(std::uint64_t seed) const { fill_pattern(data(), seed); }
    void fill(std::uint64_t seed, std::size_t n) const { fill_pattern(data(0, n), seed); }
    /// Makes the first `n` bytes and what lies around them ready for check().
    void blank(std::size_t n) const;
    void blank() const { blank(size_); }
    /// The first `n` bytes hold the pattern and the bytes around them are as blank() left them.
    void check(std::size_t n, std::uint64_t seed, std::string_view what,
               Where where = Where::current()) const;
    /// All is as blank(n) left it.
    void check_blank(std::size_t n, std::string_view what, Where where = Where::current()) const;

  private:
    std::span<std::byte> around(std::size_t n) const {
        return region_->span().first(n + 2 * guard);
    }

    std::vector<std::byte> own_;  // behind a region of user memory; outlives it
    std::unique_ptr<fabric::Region> region_;
    std::size_t size_;
};

/// Eight bytes for atomics, between guards.
class Word {
  public:
    explicit Word(fabric::Nic& nic, std::uint64_t value = 0, Memory memory = Memory::user)
        : buffer_(nic, sizeof(std::uint64_t), memory) {
        set(value);
    }
    std::uint64_t get() const;
    void set(std::uint64_t value) const;
    const fabric::Region& region() const { return buffer_.region(); }
    fabric::Slice slice() const { return buffer_.slice(); }
    /// For the CPU's own atomics.
    std::uint64_t& value() const {
        return *reinterpret_cast<std::uint64_t*>(static_cast<void*>(buffer_.data().data()));
    }

  private:
    Buffer buffer_;
};

}  // namespace railyard::contract
