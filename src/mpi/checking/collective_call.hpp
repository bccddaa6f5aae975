#pragma once
/// What one rank says of a collective call that it makes, for another to compare.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/checking/call_text.hpp"
#include "mpi/types/type_sequence.hpp"

namespace railyard::mpi::checking {

struct CollectiveCall {
    struct Amount {
        std::uint64_t bytes = 0;
        TypeSequence types;
    };
    /// Data that go to other ranks, or come from them: by rank of the communicator, of an
    /// inter-communicator by rank of the other group; one: the same for each; none: nobody says.
    struct Data {
        std::vector<Amount> amounts;
        /// Of a neighbourhood: whose each amount is. A rank may be there several times; the first
        /// that one gives is then the first that the other takes.
        std::vector<int> ranks;
        bool is_of_neighbours = false;

        /// Null: nobody says.
        const Amount* with(std::size_t rank) const;
        std::uint64_t bytes() const;  ///< of all
    };

    std::uint64_t number = 0;  ///< among those on its communicator
    std::string function;      ///< one of large counts is the same as the other
    std::optional<int> root;   ///< as it was given; none: it has none
    std::string op;            ///< empty: it has none, or the rank has no part in it
    Data gives;
    Data takes;
    /// All ranks give the same: of an inter-communicator those of a group, and the groups as much
    /// in all.
    bool must_be_alike = false;
    std::string text;  ///< for people

    static CollectiveCall of(const MadeCall& call, const Comm& comm, std::uint64_t number,
                             Objects& objects);
    std::string encoded() const;
    static std::optional<CollectiveCall> decoded(std::string_view text);
};

/// The ranks of both groups of an inter-communicator in a row, and where the second group begins;
/// of any other, its ranks.
struct Groups {
    std::size_t divided_at = 0;  ///< 0: it is one

    bool is_inter() const { return divided_at > 0; }
    bool are_together(std::size_t one, std::size_t other) const {
        return (one < divided_at) == (other < divided_at);
    }
    /// In its group.
    std::size_t rank(std::size_t member) const {
        return member < divided_at ? member : member - divided_at;
    }
};

/// What is wrong with two ranks' calls of one number; empty: nothing that these two could say.
std::string difference(const CollectiveCall& one, std::size_t one_rank, const CollectiveCall& other,
                       std::size_t other_rank, const Groups& groups);
/// What is wrong with what `from` gives `to`; empty: nothing. Ranks are those that the two know
/// each other by.
std::string difference_of_data(const CollectiveCall& from, std::size_t from_rank,
                               const CollectiveCall& to, std::size_t to_rank);

}  // namespace railyard::mpi::checking
