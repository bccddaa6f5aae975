#pragma once
/// What one rank says of a collective call that it makes, for another to compare.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/checking/call_text.hpp"
#include "mpi/types/basic.hpp"

namespace railyard::mpi::checking {

struct CollectiveCall {
    /// Data that go to other ranks, or come from them.
    struct Data {
        Basic basic = Basic::none;
        /// By rank of the communicator; one: the same for each; none: nobody says.
        std::vector<std::uint64_t> bytes;

        std::optional<std::uint64_t> with(std::size_t rank) const;
    };

    std::uint64_t number = 0;  ///< among those on its communicator
    std::string function;      ///< one of large counts is the same as the other
    std::string root;          ///< empty: it has none
    std::string op;
    Data gives;
    Data takes;
    bool must_be_alike = false;  ///< all ranks give the same number of bytes
    std::string text;            ///< for people

    static CollectiveCall of(const MadeCall& call, const Communicator& comm, std::uint64_t number,
                             Objects& objects);
    std::string encoded() const;
    static std::optional<CollectiveCall> decoded(std::string_view text);
};

/// What is wrong with two ranks' calls of one number; empty: nothing that these two could say.
std::string difference(const CollectiveCall& one, const CollectiveCall& other);
/// What is wrong with what `from` gives `to`; empty: nothing.
std::string difference(const CollectiveCall& from, std::size_t from_rank, const CollectiveCall& to,
                       std::size_t to_rank);

}  // namespace railyard::mpi::checking
