#pragma once
/// Trees of datatypes by chance, always the same for a seed: as the library makes them and as the
/// naive oracle does.

#include <random>
#include <string>

#include "naive.hpp"

namespace railyard::mpi {

struct Twin {
    TypeRef type;
    Naive naive;
    std::string made;  ///< how, for a failure's message
};

class RandomTypes {
  public:
    explicit RandomTypes(std::uint64_t seed) : random_(seed) {}

    Twin make(int depth);
    Twin make_basic();

    /// From `low` to `high`, both included.
    std::ptrdiff_t number(std::ptrdiff_t low, std::ptrdiff_t high);
    std::size_t count(std::size_t low, std::size_t high);

  private:
    std::size_t some(std::size_t most);  ///< seldom none
    Twin make_vector(const Twin& old, std::size_t most, bool in_bytes);
    Twin make_indexed(const Twin& old, std::size_t most, bool in_bytes);
    Twin make_indexed_block(const Twin& old, std::size_t most, bool in_bytes);
    Twin make_struct(int depth, const Twin& first, std::size_t most);
    Twin make_resized(const Twin& old);
    Twin make_subarray(const Twin& old, std::size_t most);
    Twin make_darray(const Twin& old, std::size_t most);

    std::mt19937_64 random_;
};

}  // namespace railyard::mpi
