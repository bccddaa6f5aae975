#pragma once
/// A derived datatype drawn from a seed, and where its bytes are: worked out here as well as by the
/// library, so that the one checks the other.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "traffic/random.hpp"

namespace railyard::soak {

/// The basic types that messages are made of.
struct Base {
    MPI_Datatype type;
    std::size_t size;
};
Base base_type(int index);
inline constexpr int base_count = 4;

class Layout {
  public:
    struct Block {
        std::size_t at;
        std::size_t length;
    };

    /// The basic type itself.
    explicit Layout(Base base);
    /// One constructor or a few, one around the other.
    static std::shared_ptr<const Layout> draw(std::uint64_t seed, Base base);

    std::size_t size() const { return size_; }
    std::size_t extent() const { return end_ - start_; }
    /// From the buffer's beginning to the last byte of `count`.
    std::size_t span(std::size_t count) const {
        return count == 0 ? 0 : (count - 1) * extent() + reach_;
    }
    /// In the order in which their bytes are sent.
    const std::vector<Block>& blocks() const { return blocks_; }
    Base base() const { return base_; }

    /// Committed; the caller frees it.
    MPI_Datatype make() const;

    /// Calls visit(place in the buffer, place in the message, length) until `bytes` are visited.
    template <class Visit>
    void walk(std::size_t bytes, const Visit& visit) const {
        std::size_t done = 0;
        for (std::size_t element = 0; done < bytes; ++element)
            for (const Block& block : blocks_) {
                const std::size_t length =
                    block.length < bytes - done ? block.length : bytes - done;
                if (length == 0) break;
                visit(element * extent() + block.at, done, length);
                done += length;
            }
    }

  private:
    enum class Kind : std::uint8_t {
        basic,
        contiguous,
        vector,
        hvector,
        indexed,
        hindexed,
        indexed_block,
        hindexed_block,
        structure,
        subarray,
        fortran_subarray,
        resized,
        duplicate,
    };

    static std::shared_ptr<Layout> around(std::shared_ptr<const Layout> inner, Draw& draw);
    void draw_strided(Draw& draw);
    void draw_indexed(Draw& draw);
    void draw_subarray(Draw& draw);
    /// `n` of the inner type, one behind the other, at `offset` bytes.
    void place(std::size_t offset, std::size_t n);
    MPI_Datatype constructed(MPI_Datatype inner) const;

    Kind kind_ = Kind::basic;
    Base base_;
    std::shared_ptr<const Layout> inner_;
    // What the constructor is called with.
    int count_ = 0;
    std::vector<int> lengths_;
    std::vector<int> at_;  ///< in extents of the inner type
    int sizes_[2] = {}, parts_[2] = {}, starts_[2] = {};
    // What comes of it.
    std::vector<Block> blocks_;
    std::size_t size_ = 0;
    std::size_t start_ = 0;
    std::size_t end_ = 0;
    std::size_t reach_ = 0;  ///< behind the last byte, which may be beyond the end
};

}  // namespace railyard::soak
