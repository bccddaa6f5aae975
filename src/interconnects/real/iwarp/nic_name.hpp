#pragma once
/// Who a Nic is and where it listens: what fabric::Address holds for iWARP. The number is random
/// and 128 bits long; who can name it was told it, so it also serves as a key (see Hello::key).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "interconnects/real/iwarp/big_endian.hpp"
#include "interconnects/real/iwarp/socket.hpp"
#include "railyard/connection.hpp"

namespace railyard::iwarp {

using NicId = std::array<std::byte, 16>;

struct NicName {
    SocketAddress at{};
    NicId id{};

    /// Not a Nic of ours: see plain.hpp.
    bool is_plain() const { return id == NicId{}; }
    std::uint64_t key() const { return load64(id.data() + 8); }
    fabric::Address address() const;
    /// Nothing if it is no address of this fabric's.
    static std::optional<NicName> from_address(const fabric::Address& address);
};

/// From the kernel: nobody can foresee it.
NicId random_nic_id();
std::uint64_t random_word();

}  // namespace railyard::iwarp
