#include "launch/job/bootstrap.hpp"

#include <fmt/format.h>

namespace railyard::job {

UsageError bootstrap_no_such_rank(int rank, int ranks) {
    return UsageError(fmt::format("bootstrap: there is no rank {} in a job of {}", rank, ranks));
}

UsageError bootstrap_put_twice(int rank, std::string_view key) {
    return UsageError(fmt::format("bootstrap: rank {} puts '{}' twice", rank, key));
}

Error bootstrap_full(int rank, std::size_t room, std::string_view key, std::size_t value_size) {
    return Error(
        fmt::format("bootstrap: rank {} has room for {} more bytes and '{}' has {}; send "
                    "large data over the fabric",
                    rank, room, key, value_size));
}

Error bootstrap_never_put(int rank, std::string_view key) {
    return Error(fmt::format("bootstrap: rank {} ended without putting '{}'", rank, key));
}

Error bootstrap_outside_fence(int absent, int waiting) {
    return Error(fmt::format("bootstrap: rank {} ended outside the fence that rank {} is in",
                             absent, waiting));
}

}  // namespace railyard::job
