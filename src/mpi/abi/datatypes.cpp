// Makes, commits and frees derived datatypes.

#include "mpi/abi/deprecated.hpp"
#include "mpi/types/constructors.hpp"

namespace railyard::mpi::abi {

namespace {

void type_contiguous(State& state, std::size_t count, const TypeRef& old, MPI_Datatype& made) {
    made = state.add(contiguous(count, old));
}

void type_vector(State& state, std::size_t count, std::size_t length, int stride,
                 const TypeRef& old, MPI_Datatype& made) {
    made = state.add(vector(count, length, stride, old));
}

void type_create_hvector(State& state, std::size_t count, std::size_t length, MPI_Aint stride,
                         const TypeRef& old, MPI_Datatype& made) {
    made = state.add(hvector(count, length, stride, old));
}

std::vector<std::ptrdiff_t> distances(std::size_t count, const int values[]) {
    if (count == 0) return {};
    if (values == nullptr) null_argument("array_of_displacements");
    return {values, values + count};
}

void type_indexed(State& state, std::size_t count, const int lengths[], const int displacements[],
                  const TypeRef& old, MPI_Datatype& made) {
    made = state.add(indexed(to_counts(count, lengths, "array_of_blocklengths"),
                             distances(count, displacements), old));
}

void type_create_hindexed(State& state, std::size_t count, const int lengths[],
                          const MPI_Aint displacements[], const TypeRef& old, MPI_Datatype& made) {
    made = state.add(make_hindexed(count, lengths, displacements, old));
}

void type_create_indexed_block(State& state, std::size_t count, std::size_t length,
                               const int displacements[], const TypeRef& old, MPI_Datatype& made) {
    made = state.add(indexed_block(length, distances(count, displacements), old));
}

void type_create_hindexed_block(State& state, std::size_t count, std::size_t length,
                                const MPI_Aint displacements[], const TypeRef& old,
                                MPI_Datatype& made) {
    made = state.add(hindexed_block(length, Displacements(displacements, count), old));
}

void type_create_struct(State& state, std::size_t count, const int lengths[],
                        const MPI_Aint displacements[], const MPI_Datatype types[],
                        MPI_Datatype& made) {
    made = state.add(make_struct(state, count, lengths, displacements, types));
}

Order to_order(int order) {
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        throw MpiError(ErrorClass::arg, "order is " + std::to_string(order) +
                                            "; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN");
    return static_cast<Order>(order);
}

void type_create_subarray(State& state, std::size_t dimensions, const int sizes[],
                          const int subsizes[], const int starts[], int order, const TypeRef& old,
                          MPI_Datatype& made) {
    made =
        state.add(subarray(to_counts(dimensions, sizes, "array_of_sizes"),
                           to_counts(dimensions, subsizes, "array_of_subsizes"),
                           to_counts(dimensions, starts, "array_of_starts"), to_order(order), old));
}

Distribution to_distribution(int value) {
    if (value < MPI_DISTRIBUTE_BLOCK || value > MPI_DISTRIBUTE_NONE)
        throw MpiError(ErrorClass::arg, "array_of_distribs has " + std::to_string(value) +
                                            "; it must be one of MPI_DISTRIBUTE_*");
    return static_cast<Distribution>(value);
}

void type_create_darray(State& state, std::size_t size, int rank, std::size_t dimensions,
                        const int sizes[], const int distributions[], const int arguments[],
                        const int processes[], int order, const TypeRef& old, MPI_Datatype& made) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= size)
        throw MpiError(ErrorClass::arg, "rank is " + std::to_string(rank) + ", of " +
                                            std::to_string(size) + " processes");
    const auto all_sizes = to_counts(dimensions, sizes, "array_of_gsizes");
    const auto all_processes = to_counts(dimensions, processes, "array_of_psizes");
    std::vector<DistributedDimension> list;
    for (std::size_t i = 0; i < dimensions; ++i)
        list.push_back(
            {all_sizes[i], to_distribution(distributions[i]), arguments[i], all_processes[i]});
    made = state.add(darray(size, static_cast<std::size_t>(rank), list, to_order(order), old));
}

void type_create_resized(State& state, const TypeRef& old, MPI_Aint lb, MPI_Aint extent,
                         MPI_Datatype& made) {
    made = state.add(resized(old, lb, extent));
}

void type_dup(State& state, MPI_Datatype old, MPI_Datatype& made) {
    const TypeRef type = state.type(old, "oldtype");
    const TypeEntry* const entry = state.types.find(old);
    const bool committed = entry == nullptr || entry->committed;
    Attributes attributes = state.type_extras(old, "oldtype").attributes.copied(old);
    made = state.add(dup(type), committed);
    state.type_extras(made, "newtype").attributes = std::move(attributes);
}

void type_commit(State& state, MPI_Datatype& datatype) {
    const TypeRef& type = state.type(datatype, "datatype");
    if (!type->is_predefined()) state.type_entry(datatype, "datatype").committed = true;
}

void type_free(State& state, MPI_Datatype& datatype) {
    TypeEntry& entry = state.type_entry(datatype, "datatype");
    entry.extras.attributes.erase_all(datatype);
    state.types.remove(datatype);
    datatype = MPI_DATATYPE_NULL;
}

}  // namespace

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

#include <entries/datatypes.inc>

}  // namespace railyard::mpi::abi
