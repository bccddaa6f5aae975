#include "mpi/communicators/context_ids.hpp"

#include <array>
#include <bit>

#include "mpi/collectives/collectives.hpp"
#include "mpi/types/error.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

// A context is twice its place: each has one beside it for collectives.
ContextIds::ContextIds() : free_(window, ~std::uint64_t{0}) {
    free_[0] &= ~std::uint64_t{0b11};  // world and self
}

std::uint32_t ContextIds::agree(Team& team) {
    const Datatype& word = *predefined(Basic::uint64);
    const Operation& both = *predefined(Operation::Kind::band);
    for (std::size_t first = 0; first < windows * window; first += window) {
        if (free_.size() < first + window) free_.resize(first + window, ~std::uint64_t{0});
        std::array<std::uint64_t, window> common{};
        allreduce(team, ConstBuffer(&free_[first], window, word),
                  Buffer{common.data(), window, &word}, both);
        for (std::size_t i = 0; i < window; ++i) {
            if (common[i] == 0) continue;
            const auto bit = static_cast<unsigned>(std::countr_zero(common[i]));
            free_[first + i] &= ~(std::uint64_t{1} << bit);
            return static_cast<std::uint32_t>(2 * ((first + i) * 64 + bit));
        }
    }
    throw MpiError(ErrorClass::other,
                   "all 16384 contexts are in use; free communicators that are not needed");
}

void ContextIds::give_back(std::uint32_t context) {
    const std::size_t place = context / 2;
    free_[place / 64] |= std::uint64_t{1} << (place % 64);
}

}  // namespace railyard::mpi
