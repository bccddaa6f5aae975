#pragma once
/// What a rank's process tells its launcher through a pipe, in frames.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/frames.hpp"

namespace railyard::job {

enum class FrameKind : std::uint64_t {
    delivery,   ///< bytes of Rank::deliver
    exception,  ///< the message of the exception that ended the rank
    abort,      ///< the job is to end: an exit code (4 bytes) and why
    put,        ///< of a job on several hosts: what the rank has put, for the others' boards
    fence,      ///< the same: it has entered its next fence
    waiting,    ///< what it waits for, and has for long (standstill.hpp); nothing: it goes on
};

/// Blocks while the pipe is full. Throws Error when nobody reads any more.
void write_frame(int fd, FrameKind kind, std::string_view payload);

/// What a frame of kind `abort` holds.
struct AbortFrame {
    std::int32_t code = 1;
    std::string why;
};
std::string abort_payload(int code, std::string_view why);
AbortFrame read_abort(std::string_view payload);

/// What a frame of kind `put` holds.
std::string put_payload(std::string_view key, std::span<const std::byte> value);

using FrameReader = BasicFrameReader<FrameKind>;

}  // namespace railyard::job
