#pragma once
/// The complaints of a bootstrap exchange, the same for ranks of every kind.

#include <cstddef>
#include <string_view>

#include "railyard/base/error.hpp"

namespace railyard::job {

UsageError bootstrap_no_such_rank(int rank, int ranks);
UsageError bootstrap_put_twice(int rank, std::string_view key);
Error bootstrap_full(int rank, std::size_t room, std::string_view key, std::size_t value_size);
Error bootstrap_never_put(int rank, std::string_view key);
Error bootstrap_outside_fence(int absent, int waiting);

}  // namespace railyard::job
