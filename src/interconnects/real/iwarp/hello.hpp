#pragma once
/// What our Nics put in front of the user's private data: what the request is for, and who asks.
/// Private data that do not begin so come from somebody else's implementation.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace railyard::iwarp {

/// One attempt to connect: the Nic that makes it, and a random number, so that a Nic that connects
/// to itself tells its two ends apart. Ordered, so that of two attempts one goes first.
struct Ask {
    std::array<std::byte, 16> nic{};
    std::uint64_t nonce = 0;
    friend auto operator<=>(const Ask&, const Ask&) = default;
};

struct Hello {
    enum class Kind : std::uint8_t { client = 1, peer = 2 };
    /// In a rejection: why.
    enum class Refusal : std::uint8_t { none = 0, by_user = 1, nobody_listens = 2, collision = 3 };

    Kind kind = Kind::client;
    Refusal refusal = Refusal::none;
    std::uint16_t port = 0;    ///< where the asker itself listens
    std::uint64_t target = 0;  ///< the service, or the discriminator
    Ask ask{};
    /// Who knows this number was told by the Nic, or by somebody it trusts: strangers are not let
    /// in. Part of the Nic's address.
    std::uint64_t key = 0;
    /// How long the other side is to let a message of ours wait for a receive; 0: for ever.
    std::uint32_t patience_ms = 0;

    /// With the user's 196 bytes and the enhanced data it stays below 256, which others want.
    static constexpr std::size_t size = 52;
    void write(std::byte* to) const;
    /// Nothing if `data` do not begin with one.
    static std::optional<Hello> read_from(std::span<const std::byte> data);

    friend bool operator==(const Hello&, const Hello&) = default;
};

}  // namespace railyard::iwarp
