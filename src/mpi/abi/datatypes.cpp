// Makes, commits and frees derived datatypes; what one is like, how it was made, and data packed by
// one.

#include <algorithm>
#include <limits>

#include "mpi/abi/entry.hpp"
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

/// Each not negative.
std::vector<std::size_t> to_counts(std::size_t count, const int values[], const char* argument) {
    std::vector<std::size_t> counts;
    counts.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        counts.push_back(to_count(values[i], argument));
    return counts;
}

std::vector<std::ptrdiff_t> distances(std::size_t count, const int values[]) {
    return {values, values + count};
}

void type_indexed(State& state, std::size_t count, const int lengths[], const int displacements[],
                  const TypeRef& old, MPI_Datatype& made) {
    made = state.add(indexed(to_counts(count, lengths, "array_of_blocklengths"),
                             distances(count, displacements), old));
}

void type_create_hindexed(State& state, std::size_t count, const int lengths[],
                          const MPI_Aint displacements[], const TypeRef& old, MPI_Datatype& made) {
    made = state.add(hindexed(to_counts(count, lengths, "array_of_blocklengths"),
                              Displacements(displacements, count), old));
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
    std::vector<TypeRef> refs;
    for (std::size_t i = 0; i < count; ++i)
        refs.push_back(state.type(types[i], "array_of_types"));
    made = state.add(create_struct(to_counts(count, lengths, "array_of_blocklengths"),
                                   Displacements(displacements, count), refs));
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
                  const TypeRef& old, MPI_Datatype& made) {
    type_create_hvector(state, count, length, stride, old, made);
}

void type_hindexed(State& state, std::size_t count, int lengths[], MPI_Aint displacements[],
                   const TypeRef& old, MPI_Datatype& made) {
    type_create_hindexed(state, count, lengths, displacements, old, made);
}

void type_struct(State& state, std::size_t count, int lengths[], MPI_Aint displacements[],
                 MPI_Datatype types[], MPI_Datatype& made) {
    type_create_struct(state, count, lengths, displacements, types, made);
}

void type_size_x(State&, const TypeRef& type, MPI_Count& size) {
    size = static_cast<MPI_Count>(type->size());
}

void type_size(State&, const TypeRef& type, int& size) {
    const bool fits = type->size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
    size = fits ? static_cast<int>(type->size()) : MPI_UNDEFINED;
}

void type_get_extent(State&, const TypeRef& type, MPI_Aint& lb, MPI_Aint& extent) {
    lb = type->lower_bound();
    extent = type->extent();
}

void type_get_extent_x(State& state, const TypeRef& type, MPI_Count& lb, MPI_Count& extent) {
    type_get_extent(state, type, lb, extent);
}

void type_get_true_extent(State&, const TypeRef& type, MPI_Aint& lb, MPI_Aint& extent) {
    lb = type->true_lower_bound();
    extent = type->true_extent();
}

void type_get_true_extent_x(State& state, const TypeRef& type, MPI_Count& lb, MPI_Count& extent) {
    type_get_true_extent(state, type, lb, extent);
}

void type_get_envelope(State&, const TypeRef& type, int& integers, int& addresses, int& types,
                       int& combiner) {
    const Contents& contents = type->contents();
    integers = static_cast<int>(contents.integers.size());
    addresses = static_cast<int>(contents.addresses.size());
    types = static_cast<int>(contents.types.size());
    combiner = static_cast<int>(contents.combiner);
}

void type_get_contents(State& state, const TypeRef& type, std::size_t max_integers,
                       std::size_t max_addresses, std::size_t max_types, int integers[],
                       MPI_Aint addresses[], MPI_Datatype types[]) {
    const TypeRef keep = type;
    const Contents& contents = keep->contents();
    if (contents.combiner == Combiner::named)
        throw MpiError(ErrorClass::type, "datatype is predefined; it was not made of others");
    if (max_integers < contents.integers.size() || max_addresses < contents.addresses.size() ||
        max_types < contents.types.size())
        throw MpiError(ErrorClass::arg,
                       "an array is too short; MPI_Type_get_envelope says how "
                       "long each must be");
    to_array(integers, static_cast<int>(contents.integers.size()), "array_of_integers");
    to_array(addresses, static_cast<int>(contents.addresses.size()), "array_of_addresses");
    to_array(types, static_cast<int>(contents.types.size()), "array_of_datatypes");
    for (std::size_t i = 0; i < contents.integers.size(); ++i)
        integers[i] = static_cast<int>(contents.integers[i]);
    std::copy(contents.addresses.begin(), contents.addresses.end(), addresses);
    for (std::size_t i = 0; i < contents.types.size(); ++i) {
        const TypeRef& part = contents.types[i];
        types[i] = part->is_predefined() ? handle_of(part->basic()) : state.add(part, true);
    }
}

void type_get_name(State& state, MPI_Datatype datatype, char* name, int& resultlen) {
    const std::string& given = state.type_extras(datatype, "datatype").name;
    copy_text(given.empty() ? state.type(datatype, "datatype")->name() : std::string_view(given),
              name, MPI_MAX_OBJECT_NAME, resultlen);
}

void type_set_name(State& state, MPI_Datatype datatype, const char* name) {
    if (name == nullptr) null_argument("type_name");
    state.type_extras(datatype, "datatype").name =
        std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
}

void type_match_size(State& state, int typeclass, int size, MPI_Datatype& datatype) {
    const std::initializer_list<MPI_Datatype> reals = {MPI_REAL4, MPI_REAL8, MPI_REAL16};
    const std::initializer_list<MPI_Datatype> integers = {MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4,
                                                          MPI_INTEGER8};
    const std::initializer_list<MPI_Datatype> complexes = {MPI_COMPLEX8, MPI_COMPLEX16,
                                                           MPI_COMPLEX32};
    if (typeclass < MPI_TYPECLASS_REAL || typeclass > MPI_TYPECLASS_COMPLEX)
        throw MpiError(ErrorClass::arg, "typeclass is " + std::to_string(typeclass) +
                                            "; it must be one of MPI_TYPECLASS_*");
    const auto& candidates = typeclass == MPI_TYPECLASS_REAL      ? reals
                             : typeclass == MPI_TYPECLASS_INTEGER ? integers
                                                                  : complexes;
    for (const MPI_Datatype candidate : candidates)
        if (state.type(candidate, "datatype")->size() == static_cast<std::size_t>(size)) {
            datatype = candidate;
            return;
        }
    throw MpiError(ErrorClass::arg,
                   "no type of this class has a size of " + std::to_string(size) + " bytes");
}

/// Where packed data go on, if `bytes` more of them fit.
std::size_t claim(int& position, std::size_t bytes, std::size_t room) {
    const std::size_t begin = to_count(position, "position");
    if (begin > room || room - begin < bytes)
        throw MpiError(ErrorClass::truncate, "the packed buffer has " + std::to_string(room) +
                                                 " bytes; " + std::to_string(bytes) +
                                                 " from position " + std::to_string(begin) +
                                                 " on do not fit");
    position = static_cast<int>(begin + bytes);
    return begin;
}

void pack(State&, const void* in, std::size_t count, const TypeRef& type, void* out,
          std::size_t room, int& position, Comm&) {
    const ConstBuffer data = const_buffer(in, count, type);
    const std::size_t bytes = count * type->size();
    buffer(out, bytes, predefined(Basic::packed));
    const std::size_t begin = claim(position, bytes, room);
    type->pack(data.address, count, 0, {static_cast<std::byte*>(out) + begin, bytes});
}

void unpack(State&, const void* in, std::size_t room, int& position, void* out, std::size_t count,
            const TypeRef& type, Comm&) {
    const Buffer data = buffer(out, count, type);
    const std::size_t bytes = count * type->size();
    const_buffer(in, bytes, predefined(Basic::packed));
    const std::size_t begin = claim(position, bytes, room);
    type->unpack(data.address, count, 0, {static_cast<const std::byte*>(in) + begin, bytes});
}

void pack_size(State&, std::size_t count, const TypeRef& type, Comm&, int& size) {
    const std::size_t bytes = count * type->size();
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw MpiError(ErrorClass::count, std::to_string(bytes) + " bytes do not fit into an int");
    size = static_cast<int>(bytes);
}

void get_address(const void* location, MPI_Aint& address) {
    address = reinterpret_cast<MPI_Aint>(location);
}

// Addresses are added as they are: what overflows comes back by subtraction.

MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) {
    return static_cast<MPI_Aint>(static_cast<unsigned long>(base) +
                                 static_cast<unsigned long>(disp));
}

MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
    return static_cast<MPI_Aint>(static_cast<unsigned long>(addr1) -
                                 static_cast<unsigned long>(addr2));
}

}  // namespace

#include <entries/datatype_queries.inc>
#include <entries/datatypes.inc>
#include <entries/old_datatypes.inc>

}  // namespace railyard::mpi::abi
