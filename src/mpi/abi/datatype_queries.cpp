// What a datatype is like, how it was made, and data packed by one.

#include <algorithm>
#include <limits>

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

namespace {

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
    const std::size_t begin = claim(position, bytes, room);
    type->pack(data.address, count, 0, {static_cast<std::byte*>(out) + begin, bytes});
}

void unpack(State&, const void* in, std::size_t room, int& position, void* out, std::size_t count,
            const TypeRef& type, Comm&) {
    const Buffer data = buffer(out, count, type);
    const std::size_t bytes = count * type->size();
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

}  // namespace railyard::mpi::abi
