// What a datatype is like, and how it was made.

#include <algorithm>

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

namespace {

void type_size(State&, const TypeRef& type, CountResult size) {
    size = signed_of(type->size());
}

void type_size_x(State& state, const TypeRef& type, MPI_Count& size) {
    type_size(state, type, size);
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

/// Contents of a type that large counts made have no place in what calls without them return.
void check_without_large_counts(const Datatype& type) {
    if (!type.contents().large_counts.empty())
        throw MpiError(ErrorClass::type,
                       "datatype was made by a large-count call; ask MPI_Type_get_envelope_c and "
                       "MPI_Type_get_contents_c");
}

void type_get_envelope_c(State&, const TypeRef& type, MPI_Count& integers, MPI_Count& addresses,
                         MPI_Count& large_counts, MPI_Count& types, int& combiner) {
    const Contents& contents = type->contents();
    integers = signed_of(contents.integers.size());
    addresses = signed_of(contents.addresses.size());
    large_counts = signed_of(contents.large_counts.size());
    types = signed_of(contents.types.size());
    combiner = static_cast<int>(contents.combiner);
}

void type_get_envelope(State&, const TypeRef& type, int& integers, int& addresses, int& types,
                       int& combiner) {
    check_without_large_counts(*type);
    const Contents& contents = type->contents();
    integers = static_cast<int>(contents.integers.size());
    addresses = static_cast<int>(contents.addresses.size());
    types = static_cast<int>(contents.types.size());
    combiner = static_cast<int>(contents.combiner);
}

/// A list of contents into a user's array, which has room for `room` of them.
template <class To, class From, class Convert>
void hand_out(const std::vector<From>& list, To* array, std::size_t room, const char* argument,
              Convert convert) {
    if (room < list.size())
        throw MpiError(ErrorClass::arg, std::string(argument) + " has room for " +
                                            std::to_string(room) + " of " +
                                            std::to_string(list.size()) +
                                            "; MPI_Type_get_envelope says how many there are");
    to_array(array, signed_of(list.size()), argument);
    std::transform(list.begin(), list.end(), array, convert);
}

void give_contents(State& state, const TypeRef& type, std::size_t max_integers,
                   std::size_t max_addresses, std::size_t max_large_counts, std::size_t max_types,
                   int integers[], MPI_Aint addresses[], MPI_Count large_counts[],
                   MPI_Datatype types[]) {
    const TypeRef keep = type;  // new handles may move what `type` refers to
    const Contents& contents = keep->contents();
    if (keep->is_named())
        throw MpiError(ErrorClass::type, "datatype is predefined; it was not made of others");
    const auto same = [](std::ptrdiff_t value) { return value; };
    hand_out(contents.integers, integers, max_integers, "array_of_integers",
             [](std::ptrdiff_t value) { return static_cast<int>(value); });
    hand_out(contents.addresses, addresses, max_addresses, "array_of_addresses", same);
    hand_out(contents.large_counts, large_counts, max_large_counts, "array_of_large_counts", same);
    // Handles of predefined types are the only ones that the user does not free.
    hand_out(contents.types, types, max_types, "array_of_datatypes", [&](const TypeRef& part) {
        return part->is_predefined() ? state.find_handle(*part) : state.add(part, true);
    });
}

void type_get_contents(State& state, const TypeRef& type, std::size_t max_integers,
                       std::size_t max_addresses, std::size_t max_types, int integers[],
                       MPI_Aint addresses[], MPI_Datatype types[]) {
    check_without_large_counts(*type);
    give_contents(state, type, max_integers, max_addresses, 0, max_types, integers, addresses,
                  nullptr, types);
}

void type_get_contents_c(State& state, const TypeRef& type, MPI_Count max_integers,
                         MPI_Count max_addresses, MPI_Count max_large_counts, MPI_Count max_types,
                         int integers[], MPI_Aint addresses[], MPI_Count large_counts[],
                         MPI_Datatype types[]) {
    give_contents(state, type, to_count(max_integers, "max_integers"),
                  to_count(max_addresses, "max_addresses"),
                  to_count(max_large_counts, "max_large_counts"),
                  to_count(max_types, "max_datatypes"), integers, addresses, large_counts, types);
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

/// What MPI_MINLOC and MPI_MAXLOC take. A pair that has no name is none of ours.
void type_get_value_index(State& state, MPI_Datatype value_type, MPI_Datatype index_type,
                          MPI_Datatype& pair_type) {
    struct Pair {
        MPI_Datatype value, index, pair;
    };
    static constexpr Pair pairs[] = {
        {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
        {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
        {MPI_LONG, MPI_INT, MPI_LONG_INT},
        {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
        {MPI_INT, MPI_INT, MPI_2INT},
        {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
        {MPI_REAL, MPI_REAL, MPI_2REAL},
        {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
        {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
    };
    state.type(value_type, "value_type");
    state.type(index_type, "index_type");
    pair_type = MPI_DATATYPE_NULL;
    for (const auto& [value, index, pair] : pairs)
        if (value == value_type && index == index_type) pair_type = pair;
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

}  // namespace railyard::mpi::abi
