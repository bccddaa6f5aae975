// One-sided operations, with and without requests.

#include "mpi/abi/entry.hpp"
#include "mpi/abi/requests.hpp"
#include "mpi/windows/plain_access.hpp"
#include "mpi/windows/window.hpp"

namespace railyard::mpi::abi {

namespace {

MPI_Request request_of(const Request* under_way) {
    return under_way != nullptr ? handle_of(*under_way) : done_request;
}

void put(State&, const void* origin, std::size_t origin_count, const TypeRef& origin_type, int rank,
         MPI_Aint displacement, std::size_t count, const TypeRef& type, Window& win) {
    if (rank == no_rank) [[unlikely]]
        return;
    if (type == origin_type && count == origin_count && !is_special(origin) &&
        win.put_plain(origin, count, *type, rank, displacement)) [[likely]]
        return;
    win.put(const_buffer(origin, origin_count, origin_type),
            {rank, displacement, count, type.get()});
}

void get(State&, void* origin, std::size_t origin_count, const TypeRef& origin_type, int rank,
         MPI_Aint displacement, std::size_t count, const TypeRef& type, Window& win) {
    if (rank == no_rank) [[unlikely]]
        return;
    if (type == origin_type && count == origin_count && !is_special(origin) &&
        win.get_plain(origin, count, *type, rank, displacement)) [[likely]]
        return;
    win.get(buffer(origin, origin_count, origin_type), {rank, displacement, count, type.get()});
}

void accumulate(State&, const void* origin, std::size_t origin_count, const TypeRef& origin_type,
                int rank, MPI_Aint displacement, std::size_t count, const TypeRef& type,
                const Operation& op, Window& win) {
    if (rank == no_rank) return;
    win.accumulate(const_buffer(origin, origin_count, origin_type),
                   {rank, displacement, count, type.get()}, op);
}

/// The origin of an operation that may only read, and then needs none.
ConstBuffer optional_origin(const void* address, std::size_t count, const TypeRef& type,
                            const Operation& op) {
    if (op.kind() == Operation::Kind::no_op) return ConstBuffer(nullptr, 0, *type);
    return const_buffer(address, count, type);
}

void get_accumulate(State&, const void* origin, std::size_t origin_count,
                    const TypeRef& origin_type, void* result, std::size_t result_count,
                    const TypeRef& result_type, int rank, MPI_Aint displacement, std::size_t count,
                    const TypeRef& type, const Operation& op, Window& win) {
    if (rank == no_rank) return;
    win.get_accumulate(optional_origin(origin, origin_count, origin_type, op),
                       buffer(result, result_count, result_type),
                       {rank, displacement, count, type.get()}, op);
}

void check_predefined(const TypeRef& type) {
    if (!type->is_predefined())
        throw MpiError(ErrorClass::type, "datatype is a derived one; it must be predefined");
}

void fetch_and_op(State&, const void* origin, void* result, const TypeRef& type, int rank,
                  MPI_Aint displacement, const Operation& op, Window& win) {
    check_predefined(type);
    if (rank == no_rank) return;
    if (!is_special(origin) && !is_special(result) &&
        win.fetch_plain(origin, result, *type, rank, displacement, op)) [[likely]]
        return;
    win.get_accumulate(optional_origin(origin, 1, type, op), buffer(result, 1, type),
                       {rank, displacement, 1, type.get()}, op);
}

void compare_and_swap(State&, const void* origin, const void* compare, void* result,
                      const TypeRef& type, int rank, MPI_Aint displacement, Window& win) {
    check_predefined(type);
    if (rank == no_rank) return;
    win.compare_and_swap(const_buffer(origin, 1, type).address,
                         const_buffer(compare, 1, type).address, buffer(result, 1, type).address,
                         {rank, displacement, 1, type.get()});
}

void rput(State&, const void* origin, std::size_t origin_count, const TypeRef& origin_type,
          int rank, MPI_Aint displacement, std::size_t count, const TypeRef& type, Window& win,
          MPI_Request& request) {
    request = done_request;
    if (rank == no_rank) return;
    win.check_passive(rank);
    request = request_of(win.put(const_buffer(origin, origin_count, origin_type),
                                 {rank, displacement, count, type.get()}, true));
}

void rget(State&, void* origin, std::size_t origin_count, const TypeRef& origin_type, int rank,
          MPI_Aint displacement, std::size_t count, const TypeRef& type, Window& win,
          MPI_Request& request) {
    request = done_request;
    if (rank == no_rank) return;
    win.check_passive(rank);
    request = request_of(win.get(buffer(origin, origin_count, origin_type),
                                 {rank, displacement, count, type.get()}, true));
}

void raccumulate(State&, const void* origin, std::size_t origin_count, const TypeRef& origin_type,
                 int rank, MPI_Aint displacement, std::size_t count, const TypeRef& type,
                 const Operation& op, Window& win, MPI_Request& request) {
    request = done_request;
    if (rank == no_rank) return;
    win.check_passive(rank);
    request = request_of(win.accumulate(const_buffer(origin, origin_count, origin_type),
                                        {rank, displacement, count, type.get()}, op, true));
}

void rget_accumulate(State&, const void* origin, std::size_t origin_count,
                     const TypeRef& origin_type, void* result, std::size_t result_count,
                     const TypeRef& result_type, int rank, MPI_Aint displacement, std::size_t count,
                     const TypeRef& type, const Operation& op, Window& win, MPI_Request& request) {
    request = done_request;
    if (rank == no_rank) return;
    win.check_passive(rank);
    request = request_of(win.get_accumulate(optional_origin(origin, origin_count, origin_type, op),
                                            buffer(result, result_count, result_type),
                                            {rank, displacement, count, type.get()}, op, true));
}

}  // namespace

#include <entries/one_sided.inc>

}  // namespace railyard::mpi::abi
