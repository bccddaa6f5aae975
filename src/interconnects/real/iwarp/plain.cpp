#include "interconnects/real/iwarp/plain.hpp"

#include "interconnects/real/iwarp/nic_name.hpp"
#include "interconnects/real/iwarp/region.hpp"
#include "interconnects/real/iwarp/socket.hpp"

namespace railyard::iwarp {

fabric::Address plain_address(const std::string& host, std::uint16_t port) {
    NicName name;
    name.at = find_address(host);
    name.at.port = port;
    return name.address();
}

TaggedBuffer tagged_buffer(const fabric::RegionBlob& ours) {
    const RegionName name = region_name(ours);
    return {name.stag, name.base, name.size};
}

fabric::RegionBlob plain_region(const TaggedBuffer& theirs, fabric::Access access) {
    return region_blob({.stag = theirs.stag,
                        .base = theirs.offset,
                        .size = theirs.size,
                        .owner = NicId{},
                        .access = access});
}

}  // namespace railyard::iwarp
