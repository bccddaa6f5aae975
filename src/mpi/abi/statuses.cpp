// What a status says, and how users set one.

#include <limits>

#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

std::size_t bytes_of(const MPI_Status& status) {
    return static_cast<std::size_t>(static_cast<std::uint32_t>(status.count_lo)) |
           static_cast<std::size_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1)
               << 32;
}

void set_bytes(MPI_Status& status, std::size_t bytes) {
    status.count_lo = static_cast<int>(bytes & 0xffffffff);
    status.count_hi_and_cancelled =
        static_cast<int>((bytes >> 32) << 1) | (status.count_hi_and_cancelled & 1);
}

int as_int(std::size_t n) {
    return n > static_cast<std::size_t>(std::numeric_limits<int>::max()) ? MPI_UNDEFINED
                                                                         : static_cast<int>(n);
}

void test_cancelled(State&, const MPI_Status& status, int& flag) {
    flag = status.count_hi_and_cancelled & 1;
}

void get_count(State&, const MPI_Status& status, const TypeRef& type, int& count) {
    const std::size_t bytes = bytes_of(status);
    if (type->size() == 0)
        count = bytes == 0 ? 0 : MPI_UNDEFINED;
    else
        count = bytes % type->size() == 0 ? as_int(bytes / type->size()) : MPI_UNDEFINED;
}

void get_elements(State&, const MPI_Status& status, const TypeRef& type, int& count) {
    count = as_int(type->basics_in(bytes_of(status)));
}

void get_elements_x(State&, const MPI_Status& status, const TypeRef& type, MPI_Count& count) {
    count = static_cast<MPI_Count>(type->basics_in(bytes_of(status)));
}

/// The fewest bytes that hold so many basics.
std::size_t bytes_for(std::size_t basics, const Datatype& type) {
    if (type.basic_count() == 0) return 0;
    const std::size_t whole = basics / type.basic_count();
    const std::size_t rest = basics % type.basic_count();
    std::size_t low = 0;
    std::size_t high = type.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (type.basics_in(middle) < rest)
            low = middle + 1;
        else
            high = middle;
    }
    return whole * type.size() + low;
}

void status_set_elements_x(State&, MPI_Status& status, const TypeRef& type, MPI_Count count) {
    if (count < 0)
        throw MpiError(ErrorClass::count,
                       "count is " + std::to_string(count) + "; it must not be negative");
    set_bytes(status, bytes_for(static_cast<std::size_t>(count), *type));
}

void status_set_elements(State& state, MPI_Status& status, const TypeRef& type, int count) {
    status_set_elements_x(state, status, type, count);
}

void status_set_cancelled(State&, MPI_Status& status, int flag) {
    status.count_hi_and_cancelled = (status.count_hi_and_cancelled & ~1) | (flag != 0 ? 1 : 0);
}

// A status is the same five integers in both languages.

void status_c2f(const MPI_Status& from, MPI_Fint* to) {
    if (to == nullptr) null_argument("f_status");
    std::memcpy(to, &from, sizeof from);
}

void status_f2c(const MPI_Fint* from, MPI_Status& to) {
    if (from == nullptr) null_argument("f_status");
    std::memcpy(&to, from, sizeof to);
}

}  // namespace

#include <entries/statuses.inc>

}  // namespace railyard::mpi::abi
