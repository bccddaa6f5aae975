#pragma once
/// The course of a misuse, the same for all: one request does something wrong, its completion says
/// what, everything behind it is flushed, the peer learns of it, and nobody else notices.

#include <functional>

#include "fabric/endpoint.hpp"

namespace railyard::contract {

/// Two ranks with memory to be attacked, and a bystander between the same two.
class Victim {
  public:
    static constexpr std::size_t size = 4096;

    Victim(Team& team, fabric::Access access, Memory memory);

    fabric::RemoteSlice at(std::size_t offset) const { return {remote.get(), Bytes(offset)}; }
    void check_unchanged(std::string_view what, Where where) const;

    /// Guarded on both sides where the memory is the test's own; the region is the middle only.
    std::vector<std::byte> own;
    std::unique_ptr<fabric::Region> region;
    std::unique_ptr<fabric::RemoteRegion> remote;
};

/// The request that is wrong, to be posted by the sender.
struct Wrong {
    fabric::Op op = fabric::Op::rdma_write;
    fabric::RemoteSlice remote;
    std::size_t length = 8;
    const fabric::Slice* local = nullptr;  ///< unset: a proper one of `length` bytes
};

/// Has the sender post `wrong`, with requests behind it that are right, and follows it to the end
/// on both sides. Every rank takes part; those beyond the two only keep the barriers.
void expect_misuse(Team& team, Victim& victim, const Wrong& wrong, Status status,
                   Where where = Where::current());

}  // namespace railyard::contract
