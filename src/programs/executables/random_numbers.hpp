#pragma once
/// rand, random and drand48 of one rank: the C library's sequences, each rank its own.

#include <stdlib.h>

#include <array>
#include <utility>

namespace railyard::executables {

class RandomNumbers {
  public:
    RandomNumbers() {
        // As the C library begins.
        ::initstate_r(1, table_.data(), table_.size(), &plain_);
    }
    RandomNumbers(const RandomNumbers&) = delete;
    RandomNumbers& operator=(const RandomNumbers&) = delete;

    random_data& plain() { return plain_; }
    drand48_data& long_ones() { return long_ones_; }
    /// The table that is in use; another one from now on.
    char* change_table(char* table) { return std::exchange(current_, table); }

  private:
    std::array<char, 128> table_{};
    char* current_ = table_.data();
    random_data plain_{};
    drand48_data long_ones_{};
};

}  // namespace railyard::executables
