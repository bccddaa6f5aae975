#pragma once
/// What the generated entry points and the functions behind them need: the state, checks of plain
/// arguments, users' buffers as the engine takes them. An error names the argument.

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "mpi/abi/errors.hpp"
#include "mpi/abi/state.hpp"
#include "mpi/communicators/comm.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi::abi {

// The engine's words for no rank and any rank are the ABI's.
static_assert(no_rank == MPI_PROC_NULL && any_source == MPI_ANY_SOURCE && any_tag == MPI_ANY_TAG);

[[noreturn, gnu::cold]] void bad_count(int value, const char* argument);
[[noreturn, gnu::cold]] void bad_rank(int value, const Communicator& comm, const char* argument);
[[noreturn, gnu::cold]] void bad_root(int value, const Communicator& comm, const char* argument);
[[noreturn, gnu::cold]] void bad_tag(int value, const char* argument);
[[noreturn, gnu::cold]] void null_argument(const char* argument);

inline std::size_t to_count(int value, const char* argument) {
    if (value < 0) [[unlikely]]
        bad_count(value, argument);
    return static_cast<std::size_t>(value);
}

inline bool is_rank(int value, const Communicator& comm) {
    return static_cast<unsigned>(value) < static_cast<unsigned>(comm.size());
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
    if (!is_rank(value, comm)) [[unlikely]]
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
    if (pointer == nullptr) [[unlikely]]
        null_argument(argument);
    return *pointer;
}

/// A null address is right only with a type made of absolute addresses (MPI_BOTTOM).
[[gnu::cold]] void check_null_address(std::size_t count, const Datatype& type);

inline ConstBuffer const_buffer(const void* address, std::size_t count, const TypeRef& type) {
    if (address == nullptr) [[unlikely]]
        check_null_address(count, *type);
    return ConstBuffer(address, count, *type);
}

inline Buffer buffer(void* address, std::size_t count, const TypeRef& type) {
    if (address == nullptr) [[unlikely]]
        check_null_address(count, *type);
    return Buffer{address, count, type.get()};
}

/// A text that the user gave room for: `room` bytes, the closing zero included.
inline void copy_text(std::string_view text, char* to, std::size_t room, int& length) {
    if (to == nullptr) null_argument("the place for the text");
    const std::size_t n = text.size() < room ? text.size() : room - 1;
    if (n != 0) std::memcpy(to, text.data(), n);
    to[n] = '\0';
    length = static_cast<int>(n);
}

}  // namespace railyard::mpi::abi
