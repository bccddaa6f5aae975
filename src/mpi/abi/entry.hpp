#pragma once
/// What the generated entry points and the functions behind them need: the state, checks of plain
/// arguments, users' buffers as the engine takes them. An error names the argument.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "mpi/abi/errors.hpp"
#include "mpi/abi/state.hpp"
#include "mpi/collectives/inter.hpp"
#include "mpi/communicators/comm.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi::abi {

// The engine's words for no rank and any rank are the ABI's.
static_assert(no_rank == MPI_PROC_NULL && any_source == MPI_ANY_SOURCE && any_tag == MPI_ANY_TAG);
static_assert(inter::root_here == MPI_ROOT && inter::no_root == MPI_PROC_NULL);

[[noreturn, gnu::cold]] void bad_count(MPI_Count value, const char* argument);
[[noreturn, gnu::cold]] void bad_rank(int value, const Communicator& comm, const char* argument);
[[noreturn, gnu::cold]] void bad_root(int value, const Communicator& comm, const char* argument);
[[noreturn, gnu::cold]] void bad_tag(int value, const char* argument);
[[noreturn, gnu::cold]] void null_argument(const char* argument);

/// Throws MpiError (comm) for an inter-communicator, on which this cannot be done.
inline void check_one_group(const Communicator& comm) {
    if (comm.is_inter()) [[unlikely]]
        throw MpiError(ErrorClass::comm,
                       "the communicator is an inter-communicator; this call is for one group of "
                       "ranks");
}

/// Of int or of 64 bits.
template <class Integer>
std::size_t to_count(Integer value, const char* argument) {
    if (value < 0) [[unlikely]]
        bad_count(value, argument);
    return static_cast<std::size_t>(value);
}

/// One that messages may go to: of an inter-communicator, a rank of the other group.
inline bool is_rank(int value, const Communicator& comm) {
    return static_cast<unsigned>(value) < static_cast<unsigned>(comm.peer_count());
}

inline int to_dest(int value, const Communicator& comm, const char* argument) {
    if (is_rank(value, comm)) [[likely]]
        return value;
    if (value != no_rank) [[unlikely]]
        bad_rank(value, comm, argument);
    return value;
}

inline int to_source(int value, const Communicator& comm, const char* argument) {
    if (is_rank(value, comm)) [[likely]]
        return value;
    if (value != no_rank && value != any_source) [[unlikely]]
        bad_rank(value, comm, argument);
    return value;
}

inline int to_root(int value, const Communicator& comm, const char* argument) {
    if (is_rank(value, comm)) [[likely]]
        return value;
    if (!comm.is_inter() || (value != inter::root_here && value != inter::no_root))
        bad_root(value, comm, argument);
    return value;
}

inline int to_tag(int value, const char* argument) {
    if (static_cast<unsigned>(value) > static_cast<unsigned>(max_tag)) [[unlikely]]
        bad_tag(value, argument);
    return value;
}

inline int to_any_tag(int value, const char* argument) {
    return value == any_tag ? value : to_tag(value, argument);
}

template <class T>
T& to_result(T* pointer, const char* argument) {
    // A status that is asked about cannot be one that was ignored.
    constexpr bool is_status = std::is_same_v<std::remove_const_t<T>, MPI_Status>;
    if (pointer == nullptr || (is_status && static_cast<const void*>(pointer) == MPI_STATUS_IGNORE))
        [[unlikely]]
        null_argument(argument);
    return *pointer;
}

inline MPI_Status* to_status(MPI_Status* status, const char* argument) {
    if (status == nullptr) [[unlikely]]
        null_argument(argument);
    return status;
}

template <class T>
T* to_array(T* array, MPI_Count length, const char* argument) {
    if (array == nullptr && length > 0) [[unlikely]]
        null_argument(argument);
    return array;
}

/// A number that a call gives back, as an int or with 64 bits. What an int cannot hold is
/// MPI_UNDEFINED in one.
class CountResult {
  public:
    CountResult(int& narrow) : narrow_(&narrow) {}  // NOLINT: the user's, as it is
    CountResult(MPI_Count& wide) : wide_(&wide) {}  // NOLINT

    MPI_Count get() const { return wide_ != nullptr ? *wide_ : *narrow_; }
    bool holds(MPI_Count value) const {
        return wide_ != nullptr || value == static_cast<int>(value);
    }
    const CountResult& operator=(MPI_Count value) const {
        if (wide_ != nullptr)
            *wide_ = value;
        else
            *narrow_ = holds(value) ? static_cast<int>(value) : MPI_UNDEFINED;
        return *this;
    }

  private:
    int* narrow_ = nullptr;
    MPI_Count* wide_ = nullptr;
};

/// A null address is right only with a type made of absolute addresses (MPI_BOTTOM); MPI_IN_PLACE
/// is none.
[[gnu::cold]] void check_address(const void* address, std::size_t count, const Datatype& type);

/// Throws if so many bytes cannot be.
[[gnu::cold]] void check_bytes(std::size_t count, const Datatype& type);

/// Whether the number of bytes may be more than 64 bits hold, or memory.
inline bool is_huge(std::size_t count, const Datatype& type) {
    return ((count | type.size()) >> 31) != 0;
}

/// MPI_BOTTOM or MPI_IN_PLACE, the lowest address and the highest.
inline bool is_special(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) + 1 <= 1;
}

/// Whether two buffers have memory in common, as far as is soon said: of data with gaps only
/// whether they begin at one place, as those of one may lie in the gaps of the other.
inline bool overlap(const ConstBuffer& a, const ConstBuffer& b) {
    if (a.type == nullptr || b.type == nullptr || is_special(a.address) || is_special(b.address))
        return false;
    const std::size_t a_bytes = a.count * a.type->size();
    const std::size_t b_bytes = b.count * b.type->size();
    if (a_bytes == 0 || b_bytes == 0) return false;
    if (!a.type->is_dense() || !b.type->is_dense()) return a.address == b.address;
    const std::byte* const a_data = a.type->dense_data(a.address);
    const std::byte* const b_data = b.type->dense_data(b.address);
    return a_data < b_data + b_bytes && b_data < a_data + a_bytes;
}

inline ConstBuffer const_buffer(const void* address, std::size_t count, const TypeRef& type) {
    if (is_special(address)) [[unlikely]]
        check_address(address, count, *type);
    if (is_huge(count, *type)) [[unlikely]]
        check_bytes(count, *type);
    return ConstBuffer(address, count, *type);
}

inline Buffer buffer(void* address, std::size_t count, const TypeRef& type) {
    if (is_special(address)) [[unlikely]]
        check_address(address, count, *type);
    if (is_huge(count, *type)) [[unlikely]]
        check_bytes(count, *type);
    return Buffer{address, count, type.get()};
}

/// The hints that are known of communicators; all others are passed over.
void take_hints(Comm& comm, Info* from);
/// All of them, with their values.
Info hints_of(Comm& comm);

/// A text that the user gave room for: `room` bytes, the closing zero included.
inline void copy_text(std::string_view text, char* to, std::size_t room, int& length) {
    if (to == nullptr) null_argument("the place for the text");
    const std::size_t n = text.size() < room ? text.size() : room - 1;
    if (n != 0) std::memcpy(to, text.data(), n);
    to[n] = '\0';
    length = static_cast<int>(n);
}

}  // namespace railyard::mpi::abi
