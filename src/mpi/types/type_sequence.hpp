#pragma once
/// The sequence of basic types that data are made of, wherever they lie: MPI's type signature, as a
/// digest that two ranks can compare. Whether what is sent as one type may be received as another.

#include <cstddef>
#include <cstdint>
#include <string>

#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

struct TypeSequence {
    /// Of numbers, one for each basic in order, as the digits of one large number: so the digest of
    /// a part that is repeated needs no look at each. Basics of the same sort and width are alike.
    std::uint64_t hash = 0;
    std::uint64_t basics = 0;  ///< a pair is two
    /// Some of it is MPI_BYTE or MPI_PACKED, which say nothing of what they stand for.
    bool is_untyped = false;
};

/// Of so many elements.
TypeSequence sequence_of(const Datatype& type, std::size_t count);
/// Of the first `basics` of them; of all, if there are fewer.
TypeSequence beginning_of(const Datatype& type, std::size_t count, std::uint64_t basics);

/// Whether both are the same, as far as that can be told.
bool go_together(const TypeSequence& one, const TypeSequence& other);
/// Whether a message of that may be received so: it may be shorter than there is room.
bool go_together(const TypeSequence& sent, const Datatype& type, std::size_t count);

/// What one element is made of, for people: "MPI_INT, 2 MPI_DOUBLE".
std::string basics_text(const Datatype& type);

}  // namespace railyard::mpi
