#pragma once
/// A call in words: its name and the arguments that say something to people.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "mpi/calls/call.hpp"
#include "mpi/checking/objects.hpp"

namespace railyard::mpi::checking {

using calls::Function;
using calls::Word;

/// A call under way, as it was made.
struct MadeCall {
    static constexpr std::size_t most_arguments = 16;

    MadeCall() = default;
    MadeCall(Function its_function, std::span<const Word> its_arguments)
        : function(its_function), count(std::min(its_arguments.size(), most_arguments)) {
        std::copy_n(its_arguments.begin(), count, words.begin());
    }
    std::span<const Word> arguments() const { return std::span(words).first(count); }

    Function function{};
    std::size_t count = 0;
    std::array<Word, most_arguments> words{};
};

/// "MPI_Recv(count 4, MPI_INT, source 1, tag 7, MPI_COMM_WORLD)".
std::string text_of(const MadeCall& call, Objects& objects);

}  // namespace railyard::mpi::checking
