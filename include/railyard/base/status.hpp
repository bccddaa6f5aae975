#pragma once
/// The outcome of an operation on the data path, where exceptions are too dear. Back-pressure is
/// neither success nor failure: nothing happened, nothing is lost, try again after making progress.

#include <cstdint>
#include <string_view>

namespace railyard {

enum class Code : std::uint8_t {
    ok,
    again,               ///< back-pressure: no room now; poll, then repeat the same call
    bad_key,             ///< the remote region is unknown to the target, or not the target's
    out_of_bounds,       ///< the access leaves its region
    no_right,            ///< the region does not grant this kind of access
    region_gone,         ///< the region was deregistered or invalidated
    misaligned,          ///< an atomic's target is not a multiple of eight bytes
    too_long,            ///< more bytes than the receive, the inline limit or the fabric takes
    not_connected,       ///< the queue pair has no peer
    receiver_not_ready,  ///< the peer posted no receive within the time allowed
    remote_closed,       ///< the peer closed the queue pair, or is gone
    refused,             ///< the peer rejected the connection, or nobody listens there
    timed_out,           ///< the deadline passed
    flushed,             ///< given up because an earlier request of the queue pair failed
    overrun,             ///< a completion queue was too short for what it was asked to hold
    remote_fault,        ///< the target could not carry the operation out
    unsupported,         ///< this fabric does not do that; see its Traits
    invalid,             ///< the call itself is malformed
};

/// Short lower-case name, e.g. "out of bounds".
std::string_view name(Code code);

class [[nodiscard]] Status {
  public:
    constexpr Status() = default;
    constexpr Status(Code code) : code_(code) {}  // NOLINT: a code is a status

    constexpr bool ok() const { return code_ == Code::ok; }
    constexpr bool again() const { return code_ == Code::again; }
    constexpr bool failed() const { return code_ > Code::again; }
    constexpr Code code() const { return code_; }
    std::string_view name() const { return railyard::name(code_); }

    friend constexpr bool operator==(Status, Status) = default;

  private:
    Code code_ = Code::ok;
};

}  // namespace railyard
