// Makes, commits and frees derived datatypes.

#include "mpi/abi/entry.hpp"
#include "mpi/types/constructors.hpp"

namespace railyard::mpi::abi {

namespace {

/// Where a call puts the handle of the type that it makes.
class NewType {
  public:
    NewType(State& state, MPI_Datatype& handle, bool large)
        : state_(state), handle_(handle), large_(large) {}
    const NewType& operator=(const TypeRef& made) const {
        handle_ = state_.add(large_ ? with_large_counts(made) : made);
        return *this;
    }

  private:
    State& state_;
    MPI_Datatype& handle_;
    bool large_;  ///< the call is a large-count one, and the type's contents are to say so
};

void type_contiguous(State&, std::size_t count, const TypeRef& old, NewType made) {
    made = contiguous(count, old);
}

void type_vector(State&, std::size_t count, std::size_t length, MPI_Count stride,
                 const TypeRef& old, NewType made) {
    made = vector(count, length, stride, old);
}

void type_create_hvector(State&, std::size_t count, std::size_t length, MPI_Aint stride,
                         const TypeRef& old, NewType made) {
    made = hvector(count, length, stride, old);
}

/// Each not negative.
std::vector<std::size_t> to_counts(std::size_t count, Integers values, const char* argument) {
    std::vector<std::size_t> counts;
    counts.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        counts.push_back(to_count(values[i], argument));
    return counts;
}

std::vector<std::ptrdiff_t> distances(std::size_t count, Integers values) {
    std::vector<std::ptrdiff_t> list;
    list.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        list.push_back(values[i]);
    return list;
}

void type_indexed(State&, std::size_t count, Integers lengths, Integers displacements,
                  const TypeRef& old, NewType made) {
    made = indexed(to_counts(count, lengths, "array_of_blocklengths"),
                   distances(count, displacements), old);
}

void type_create_hindexed(State&, std::size_t count, Integers lengths,
                          const MPI_Aint displacements[], const TypeRef& old, NewType made) {
    made = hindexed(to_counts(count, lengths, "array_of_blocklengths"),
                    Displacements(displacements, count), old);
}

void type_create_indexed_block(State&, std::size_t count, std::size_t length,
                               Integers displacements, const TypeRef& old, NewType made) {
    made = indexed_block(length, distances(count, displacements), old);
}

void type_create_hindexed_block(State&, std::size_t count, std::size_t length,
                                const MPI_Aint displacements[], const TypeRef& old, NewType made) {
    made = hindexed_block(length, Displacements(displacements, count), old);
}

void type_create_struct(State& state, std::size_t count, Integers lengths,
                        const MPI_Aint displacements[], const MPI_Datatype types[], NewType made) {
    std::vector<TypeRef> refs;
    for (std::size_t i = 0; i < count; ++i)
        refs.push_back(state.type(types[i], "array_of_types"));
    made = create_struct(to_counts(count, lengths, "array_of_blocklengths"),
                         Displacements(displacements, count), refs);
}

Order to_order(int order) {
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        throw MpiError(ErrorClass::arg, "order is " + std::to_string(order) +
                                            "; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN");
    return static_cast<Order>(order);
}

void type_create_subarray(State&, std::size_t dimensions, Integers sizes, Integers subsizes,
                          Integers starts, int order, const TypeRef& old, NewType made) {
    made = subarray(to_counts(dimensions, sizes, "array_of_sizes"),
                    to_counts(dimensions, subsizes, "array_of_subsizes"),
                    to_counts(dimensions, starts, "array_of_starts"), to_order(order), old);
}

Distribution to_distribution(int value) {
    if (value < MPI_DISTRIBUTE_BLOCK || value > MPI_DISTRIBUTE_NONE)
        throw MpiError(ErrorClass::arg, "array_of_distribs has " + std::to_string(value) +
                                            "; it must be one of MPI_DISTRIBUTE_*");
    return static_cast<Distribution>(value);
}

void type_create_darray(State&, std::size_t size, int rank, std::size_t dimensions, Integers sizes,
                        const int distributions[], const int arguments[], const int processes[],
                        int order, const TypeRef& old, NewType made) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= size)
        throw MpiError(ErrorClass::arg, "rank is " + std::to_string(rank) + ", of " +
                                            std::to_string(size) + " processes");
    const auto all_sizes = to_counts(dimensions, sizes, "array_of_gsizes");
    const auto all_processes = to_counts(dimensions, processes, "array_of_psizes");
    std::vector<DistributedDimension> list;
    for (std::size_t i = 0; i < dimensions; ++i)
        list.push_back(
            {all_sizes[i], to_distribution(distributions[i]), arguments[i], all_processes[i]});
    made = darray(size, static_cast<std::size_t>(rank), list, to_order(order), old);
}

void type_create_resized(State&, const TypeRef& old, MPI_Aint lb, MPI_Aint extent, NewType made) {
    made = resized(old, lb, extent);
}

/// The handle of Fortran's kind: always the same for the same requirements.
MPI_Datatype f90_handle(State& state, const TypeRef& wanted) {
    MPI_Datatype found = MPI_DATATYPE_NULL;
    state.types.any([&](int handle, const TypeEntry& entry) {
        const Contents& contents = entry.type->contents();
        if (contents.combiner != wanted->contents().combiner ||
            contents.integers != wanted->contents().integers)
            return false;
        found = handle;
        return true;
    });
    return found != MPI_DATATYPE_NULL ? found : state.add(wanted, true);
}

void type_create_f90_integer(State& state, int range, MPI_Datatype& made) {
    made = f90_handle(state, f90_integer(range));
}

void type_create_f90_real(State& state, int digits, int range, MPI_Datatype& made) {
    made = f90_handle(state, f90_real(digits, range));
}

void type_create_f90_complex(State& state, int digits, int range, MPI_Datatype& made) {
    made = f90_handle(state, f90_complex(digits, range));
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
    if (!type->is_named()) state.type_entry(datatype, "datatype").committed = true;
}

void type_free(State& state, MPI_Datatype& datatype) {
    TypeEntry& entry = state.type_entry(datatype, "datatype");
    if (entry.type->is_predefined())
        throw MpiError(ErrorClass::type,
                       "datatype is one of Fortran's kinds, which are predefined; those are not "
                       "freed");
    entry.extras.attributes.erase_all(datatype);
    state.bury(state.types.remove(datatype));
    datatype = MPI_DATATYPE_NULL;
}

// As MPI-1 calls them.

void address(void* location, MPI_Aint& result) {
    result = reinterpret_cast<MPI_Aint>(location);
}

void type_extent(State&, const TypeRef& type, MPI_Aint& extent) {
    extent = type->extent();
}

void type_lb(State&, const TypeRef& type, MPI_Aint& displacement) {
    displacement = type->lower_bound();
}

void type_ub(State&, const TypeRef& type, MPI_Aint& displacement) {
    displacement = type->upper_bound();
}

void type_hvector(State& state, std::size_t count, std::size_t length, MPI_Aint stride,
                  const TypeRef& old, NewType made) {
    type_create_hvector(state, count, length, stride, old, made);
}

void type_hindexed(State& state, std::size_t count, int lengths[], MPI_Aint displacements[],
                   const TypeRef& old, NewType made) {
    type_create_hindexed(state, count, lengths, displacements, old, made);
}

void type_struct(State& state, std::size_t count, int lengths[], MPI_Aint displacements[],
                 MPI_Datatype types[], NewType made) {
    type_create_struct(state, count, lengths, displacements, types, made);
}

}  // namespace

#include <entries/datatypes.inc>
#include <entries/old_datatypes.inc>

}  // namespace railyard::mpi::abi
