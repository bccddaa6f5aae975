#include "interconnects/real/iwarp/names.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "interconnects/real/iwarp/region.hpp"
#include "interconnects/real/iwarp/socket.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {

namespace {

// magic 4 | family 1, unused 1, port 2 | scope 4 | address 16 | id 16
constexpr std::uint32_t address_magic = 0x52594931;  // "RYI1"

void fill_random(void* to, std::size_t n) {
    while (getrandom(to, n, 0) != static_cast<ssize_t>(n))
        if (errno != EINTR) throw system_error("iwarp: random numbers");
}

}  // namespace

fabric::Address NicName::address() const {
    fabric::Address made;
    std::byte* const to = made.bytes.data();
    store32(to, address_magic);
    store8(to + 4, at.v6 ? 6 : 4);
    store16(to + 6, at.port);
    store32(to + 8, at.scope);
    std::memcpy(to + 12, at.address.data(), at.address.size());
    std::memcpy(to + 28, id.data(), id.size());
    return made;
}

std::optional<NicName> NicName::from_address(const fabric::Address& address) {
    const std::byte* const from = address.bytes.data();
    const std::uint8_t family = load8(from + 4);
    if (load32(from) != address_magic || (family != 4 && family != 6)) return {};
    NicName name;
    name.at.v6 = family == 6;
    name.at.port = load16(from + 6);
    name.at.scope = load32(from + 8);
    std::memcpy(name.at.address.data(), from + 12, name.at.address.size());
    std::memcpy(name.id.data(), from + 28, name.id.size());
    return name;
}

NicId random_nic_id() {
    NicId id;
    fill_random(id.data(), id.size());
    return id;
}

std::uint64_t random_word() {
    std::uint64_t word = 0;
    fill_random(&word, sizeof word);
    return word;
}

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
