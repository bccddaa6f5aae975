#pragma once
/// An MPI call with its arguments, free of addresses and handles, so that it means the same in
/// another run.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/calls/call.hpp"

namespace railyard::runs {

struct RecordedCall {
    mpi::calls::Function function{};
    /// Whether all arguments are kept. Functions without a signature, and datatypes and operations
    /// of the program's own, are not: such a call has no arguments, and cannot be made again.
    bool whole = true;
    std::vector<std::int64_t> arguments;  ///< as the signature says

    friend auto operator<=>(const RecordedCall&, const RecordedCall&) = default;
};

/// What a code of a signature stands for, and what a recording keeps of it.
namespace kind {
inline constexpr char memory = '@';       ///< of a count and a type, the next ones: piece, offset
inline constexpr char memory_all = '%';   ///< the same, once for each rank
inline constexpr char memory_span = '$';  ///< of counts, displacements and a type, the next ones
inline constexpr char count = 'k';
inline constexpr char number = 'n';  ///< a rank, a tag, a colour
inline constexpr char type = 't';    ///< its place among the types
inline constexpr char op = 'o';      ///< its place among the operations
inline constexpr char comm = 'c';    ///< a number; the world is 0
inline constexpr char new_comm = 'C';
inline constexpr char old_comm = 'x';  ///< to be freed
inline constexpr char new_request = 'r';
inline constexpr char old_request = 'w';   ///< to be waited for; -1 for none
inline constexpr char old_requests = 'W';  ///< how many, and their numbers
inline constexpr char each_rank = 'V';     ///< how many, and a number for each rank
inline constexpr char result = 's';        ///< what the call answers: nothing is kept
}  // namespace kind

/// A code for each parameter; none if calls of this function cannot be made again.
std::optional<std::string_view> signature(mpi::calls::Function function);

/// Where a piece of memory would be.
inline constexpr std::int64_t no_memory = -1;  ///< a null pointer
inline constexpr std::int64_t in_place = -2;   ///< MPI_IN_PLACE

inline constexpr std::int64_t world = 0;
inline constexpr std::int64_t self = 1;
inline constexpr std::int64_t no_handle = -1;

/// The predefined datatypes and operations that recordings know.
struct NamedHandle {
    std::string_view name;  ///< without "MPI_"
    int handle;
    std::size_t size;  ///< of a type
};
std::span<const NamedHandle> recorded_types();
std::span<const NamedHandle> recorded_ops();

/// Memory that a whole call names: where in `arguments` its piece stands, and how long it is.
struct MemoryUse {
    std::size_t at;
    std::uint64_t length;
};
/// None at all if the call's arguments make no sense. `ranks` of the job: no communicator is
/// larger.
std::optional<std::vector<MemoryUse>> memory_of(const RecordedCall& call, std::size_t ranks);

/// "Send 3+128 1 DOUBLE 1 0 0"; "Start ?" for one that is not whole.
std::string to_string(const RecordedCall& call);
/// None if it is no call.
std::optional<RecordedCall> parse_call(std::string_view text);

}  // namespace railyard::runs
