#pragma once
/// Names: what an Address of this fabric says, and how peers are named that are not Nics of ours:
/// Linux's siw, hardware, whatever speaks RFC 5040 to 5044. They know neither our addresses nor our
/// names of regions, so these are translated here. For them to connect to us,
/// Settings::plain_service says who is to answer.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "interconnects/real/iwarp/big_endian.hpp"
#include "interconnects/real/iwarp/socket.hpp"
#include "railyard/connection.hpp"
#include "railyard/memory.hpp"

namespace railyard::iwarp {

using NicId = std::array<std::byte, 16>;

/// Who a Nic is and where it listens: what fabric::Address holds for iWARP. The number is random
/// and 128 bits long; who can name it was told it, so it also serves as a key (see Hello::key).
struct NicName {
    SocketAddress at{};
    NicId id{};

    /// Not a Nic of ours: see plain_address().
    bool is_plain() const { return id == NicId{}; }
    std::uint64_t key() const { return load64(id.data() + 8); }
    fabric::Address address() const;
    /// Nothing if it is no address of this fabric's.
    static std::optional<NicName> from_address(const fabric::Address& address);
};

/// From the kernel: nobody can foresee it.
NicId random_nic_id();
std::uint64_t random_word();

/// Where such a peer listens, for QueuePair::connect(); the service means nothing then. `host` as
/// RAILYARD_IWARP_ADDRESS has it. Throws UsageError.
fabric::Address plain_address(const std::string& host, std::uint16_t port);

/// Memory as the RFCs name it.
struct TaggedBuffer {
    std::uint32_t stag = 0;
    std::uint64_t offset = 0;  ///< tagged offset of its first byte
    std::uint64_t size = 0;
    friend bool operator==(const TaggedBuffer&, const TaggedBuffer&) = default;
};

/// A region of ours, to be told to such a peer. Throws Error if the blob is none.
TaggedBuffer tagged_buffer(const fabric::RegionBlob& ours);

/// A region of such a peer's, as import_region() takes it. It is used on the connection to the peer
/// that owns it: nothing in it says whose it is.
fabric::RegionBlob plain_region(const TaggedBuffer& theirs, fabric::Access access);

}  // namespace railyard::iwarp
