#pragma once
/// Peers that are not Nics of ours: Linux's siw, hardware, whatever speaks RFC 5040 to 5044. They
/// know neither our addresses nor our names of regions, so these are translated here. For them to
/// connect to us, Settings::plain_service says who is to answer.

#include <cstdint>
#include <string>

#include "railyard/connection.hpp"
#include "railyard/memory.hpp"

namespace railyard::iwarp {

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
