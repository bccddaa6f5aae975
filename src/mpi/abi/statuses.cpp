// What a status says, and how users set one.

#include <cstring>

#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

void set_bytes(MPI_Status& status, std::size_t bytes) {
    status.count_lo = static_cast<int>(bytes & 0xffffffff);
    status.count_hi_and_cancelled =
        static_cast<int>((bytes >> 32) << 1) | (status.count_hi_and_cancelled & 1);
}

void test_cancelled(State&, const MPI_Status& status, int& flag) {
    flag = status.count_hi_and_cancelled & 1;
}

void get_count(State&, const MPI_Status& status, const TypeRef& type, CountResult count) {
    const std::size_t bytes = bytes_of(status);
    if (type->size() == 0)
        count = bytes == 0 ? 0 : MPI_UNDEFINED;
    else
        count = bytes % type->size() == 0 ? signed_of(bytes / type->size()) : MPI_UNDEFINED;
}

void get_elements(State&, const MPI_Status& status, const TypeRef& type, CountResult count) {
    // Nothing, any number of times, is no bytes.
    if (type->size() == 0 && bytes_of(status) != 0)
        count = MPI_UNDEFINED;
    else
        count = signed_of(type->basics_in(bytes_of(status)));
}

void get_elements_x(State& state, const MPI_Status& status, const TypeRef& type, MPI_Count& count) {
    get_elements(state, status, type, count);
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
    set_bytes(status, bytes_for(to_count(count, "count"), *type));
}

void status_set_elements(State& state, MPI_Status& status, const TypeRef& type, int count) {
    status_set_elements_x(state, status, type, count);
}

void status_set_cancelled(State&, MPI_Status& status, int flag) {
    status.count_hi_and_cancelled = (status.count_hi_and_cancelled & ~1) | (flag != 0 ? 1 : 0);
}

void status_get_source(State&, const MPI_Status& status, int& source) {
    source = status.MPI_SOURCE;
}

void status_get_tag(State&, const MPI_Status& status, int& tag) {
    tag = status.MPI_TAG;
}

void status_get_error(State&, const MPI_Status& status, int& error) {
    error = status.MPI_ERROR;
}

void status_set_source(State&, MPI_Status& status, int source) {
    status.MPI_SOURCE = source;
}

void status_set_tag(State&, MPI_Status& status, int tag) {
    status.MPI_TAG = tag;
}

void status_set_error(State&, MPI_Status& status, int error) {
    status.MPI_ERROR = error;
}

// A status is the same five integers in all languages.

template <class To, class From>
void convert_status(const From* from, const char* from_name, To* to, const char* to_name) {
    static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status));
    if (from == nullptr) null_argument(from_name);
    if (to == nullptr) null_argument(to_name);
    std::memcpy(to, from, sizeof(MPI_Status));
}

void status_c2f(const MPI_Status& from, MPI_Fint* to) {
    convert_status(&from, "c_status", to, "f_status");
}

void status_f2c(const MPI_Fint* from, MPI_Status& to) {
    convert_status(from, "f_status", &to, "c_status");
}

void status_c2f08(const MPI_Status& from, MPI_F08_status* to) {
    convert_status(&from, "c_status", to, "f08_status");
}

void status_f082c(const MPI_F08_status* from, MPI_Status& to) {
    convert_status(from, "f08_status", &to, "c_status");
}

void status_f2f08(const MPI_Fint* from, MPI_F08_status* to) {
    convert_status(from, "f_status", to, "f08_status");
}

void status_f082f(const MPI_F08_status* from, MPI_Fint* to) {
    convert_status(from, "f08_status", to, "f_status");
}

}  // namespace

#include <entries/statuses.inc>

}  // namespace railyard::mpi::abi
