// Data packed by a datatype: as messages carry them, and as external32, which every machine reads.

#include "mpi/abi/entry.hpp"
#include "mpi/types/external32.hpp"

namespace railyard::mpi::abi {

namespace {

/// Where packed data go on, if `bytes` more of them fit. The position moves behind them.
std::size_t claim(CountResult position, std::size_t bytes, std::size_t room) {
    const std::size_t begin = to_count(position.get(), "position");
    if (begin > room || room - begin < bytes)
        throw MpiError(ErrorClass::truncate, "the packed buffer has " + std::to_string(room) +
                                                 " bytes; " + std::to_string(bytes) +
                                                 " from position " + std::to_string(begin) +
                                                 " on do not fit");
    position = signed_of(begin + bytes);
    return begin;
}

/// Where to pack to, or to unpack from. The address is checked as that of so many bytes.
std::byte* packed_place(const void* address, CountResult position, std::size_t bytes,
                        std::size_t room) {
    const_buffer(address, bytes, predefined(Basic::packed));
    const std::size_t begin = claim(position, bytes, room);
    return static_cast<std::byte*>(const_cast<void*>(address)) + begin;
}

void pack(State&, const void* in, std::size_t count, const TypeRef& type, void* out,
          std::size_t room, CountResult position, Comm&) {
    const ConstBuffer data = const_buffer(in, count, type);
    const std::size_t bytes = checked_product(count, type->size());
    type->pack(data.address, count, 0, {packed_place(out, position, bytes, room), bytes});
}

void unpack(State&, const void* in, std::size_t room, CountResult position, void* out,
            std::size_t count, const TypeRef& type, Comm&) {
    const Buffer data = buffer(out, count, type);
    const std::size_t bytes = checked_product(count, type->size());
    type->unpack(data.address, count, 0, {packed_place(in, position, bytes, room), bytes});
}

void pack_size(State&, std::size_t count, const TypeRef& type, Comm&, CountResult size) {
    const MPI_Count bytes = signed_of(checked_product(count, type->size()));
    if (!size.holds(bytes))
        throw MpiError(ErrorClass::count, std::to_string(bytes) +
                                              " bytes do not fit into an int; ask "
                                              "MPI_Pack_size_c");
    size = bytes;
}

void check_representation(const char* datarep) {
    if (datarep == nullptr) null_argument("datarep");
    if (std::string_view(datarep) != "external32")
        throw MpiError(ErrorClass::unsupported_datarep,
                       "datarep is '" + std::string(datarep).substr(0, MPI_MAX_DATAREP_STRING) +
                           "'; only 'external32' is packed");
}

void pack_external(State&, const char* datarep, const void* in, std::size_t count,
                   const TypeRef& type, void* out, MPI_Count room, MPI_Count& position) {
    check_representation(datarep);
    const ConstBuffer data = const_buffer(in, count, type);
    const std::size_t bytes = checked_product(count, external_size(*type));
    mpi::pack_external(data, packed_place(out, position, bytes, to_count(room, "outsize")));
}

void unpack_external(State&, const char* datarep, const void* in, MPI_Count room,
                     MPI_Count& position, void* out, std::size_t count, const TypeRef& type) {
    check_representation(datarep);
    const Buffer data = buffer(out, count, type);
    const std::size_t bytes = checked_product(count, external_size(*type));
    mpi::unpack_external(packed_place(in, position, bytes, to_count(room, "insize")), data);
}

void pack_external_size(State&, const char* datarep, std::size_t count, const TypeRef& type,
                        MPI_Count& size) {
    check_representation(datarep);
    size = signed_of(checked_product(count, external_size(*type)));
}

}  // namespace

#include <entries/packing.inc>

}  // namespace railyard::mpi::abi
