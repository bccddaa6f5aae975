#include "mpi/abi/type_making.hpp"

#include "mpi/types/constructors.hpp"

namespace railyard::mpi::abi {

std::vector<std::size_t> to_counts(std::size_t count, const int values[], const char* argument) {
    std::vector<std::size_t> counts;
    counts.reserve(count);
    if (count != 0 && values == nullptr) null_argument(argument);
    for (std::size_t i = 0; i < count; ++i)
        counts.push_back(to_count(values[i], argument));
    return counts;
}

TypeRef make_hindexed(std::size_t count, const int lengths[], const MPI_Aint displacements[],
                      const TypeRef& old) {
    return hindexed(to_counts(count, lengths, "array_of_blocklengths"),
                    Displacements(displacements, count), old);
}

TypeRef make_struct(State& state, std::size_t count, const int lengths[],
                    const MPI_Aint displacements[], const MPI_Datatype types[]) {
    std::vector<TypeRef> refs;
    for (std::size_t i = 0; i < count; ++i)
        refs.push_back(state.type(types[i], "array_of_types"));
    return create_struct(to_counts(count, lengths, "array_of_blocklengths"),
                         Displacements(displacements, count), refs);
}

}  // namespace railyard::mpi::abi
