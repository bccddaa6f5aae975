#pragma once
/// What the opaque bytes of a virtual fabric's addresses and region blobs say. Everything runs in
/// one process, so the bytes are simply the numbers.

#include <compare>
#include <cstdint>
#include <cstring>

#include "railyard/base/bytes.hpp"
#include "railyard/connection.hpp"
#include "railyard/fabric.hpp"
#include "railyard/memory.hpp"

namespace railyard::virtual_time {

struct NicName {
    std::uint32_t fabric =
        0;  ///< Network::id, never nought: foreign and empty bytes are told by it
    fabric::NodeId node = 0;
    std::uint32_t nic = 0;  ///< among those of the node
    friend auto operator<=>(const NicName&, const NicName&) = default;

    fabric::Address address() const {
        fabric::Address address;
        std::memcpy(address.bytes.data(), this, sizeof *this);
        return address;
    }
    static NicName of(const fabric::Address& address) {
        NicName name;
        std::memcpy(&name, address.bytes.data(), sizeof name);
        return name;
    }
};

struct RegionKey {
    NicName nic;
    std::uint64_t id = 0;  ///< among those of the Nic, from 1
    Bytes size;

    fabric::RegionBlob blob() const {
        static_assert(sizeof *this <= fabric::RegionBlob::capacity);
        fabric::RegionBlob blob;
        std::memcpy(blob.bytes.data(), this, sizeof *this);
        return blob;
    }
    static RegionKey of(const fabric::RegionBlob& blob) {
        RegionKey key;
        std::memcpy(&key, blob.bytes.data(), sizeof key);
        return key;
    }
};

}  // namespace railyard::virtual_time
