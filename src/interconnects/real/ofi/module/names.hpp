#pragma once
/// How a Nic is named to others: its address, and what one says of itself when it connects.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/connection.hpp"

namespace railyard::ofi {

/// What is in a fabric::Address: who it is, and where each of its ports is found.
class NicName {
  public:
    static constexpr std::uint32_t right_magic = 0x32696f52;  // of this byte order, too
    static constexpr std::size_t room = 112;

    std::uint64_t id = 0;  ///< by chance: no other Nic has it

    NicName() = default;
    /// `host` is for people, and cut where there is no room for it. Throws Error if there is none
    /// for the rest.
    NicName(std::uint64_t number, std::string_view provider, std::string_view host,
            std::span<const std::vector<std::byte>> ports);

    static NicName from_address(const fabric::Address& address) {
        NicName name;
        std::memcpy(&name, address.bytes.data(), sizeof name);
        return name;
    }
    fabric::Address address() const {
        fabric::Address address;
        std::memcpy(address.bytes.data(), this, sizeof *this);
        return address;
    }
    bool is_valid() const;
    /// Whether it is one that the other can talk to.
    bool is_like(const NicName& other) const {
        return is_valid() && provider_name() == other.provider_name() && ports() == other.ports();
    }
    std::string_view provider_name() const { return text_.data(); }
    std::string_view host() const { return text_.data() + provider_name().size() + 1; }
    unsigned ports() const { return ports_; }
    /// Empty if it has no such port.
    std::span<const std::byte> where(unsigned port) const;

  private:
    std::uint32_t magic_ = right_magic;
    std::uint16_t ends_ = 0;  ///< the text
    std::uint8_t ports_ = 0;
    std::uint8_t version_ = 2;
    /// Two texts, each with its end, and behind them the ports' names, each with its size before
    /// it.
    std::array<char, room> text_{};
};
static_assert(sizeof(NicName) == fabric::Address::capacity);

/// One attempt to connect. Of two that cross, the lesser counts.
struct Ask {
    std::uint64_t nic = 0;
    std::uint64_t number = 0;  ///< by chance
    friend auto operator<=>(const Ask&, const Ask&) = default;
};

/// Behind the Header of `hello`, `accept` and `reject`.
struct Hello {
    enum class Refusal : std::uint8_t { by_user, nobody_listens, collision };

    fabric::Address from;
    Ask ask;                        ///< of who says it; its own, if it had one and gave it up
    std::uint64_t target = 0;       ///< service or discriminator
    std::uint32_t patience_ms = 0;  ///< with a peer that posts no receive; 0: any
    std::uint8_t is_peer = 0;       ///< 0: a client
    Refusal refusal = Refusal::by_user;
    std::uint8_t data_size = 0;
    std::array<std::byte, fabric::PrivateData::capacity> data{};

    void set_data(const fabric::PrivateData& users) {
        data_size = static_cast<std::uint8_t>(users.bytes().size());
        if (data_size > 0) std::memcpy(data.data(), users.bytes().data(), data_size);
    }
    fabric::PrivateData users_data() const {
        return fabric::PrivateData(
            std::span(data).first(std::min<std::size_t>(data_size, data.size())));
    }
};

/// With the request to connect, before anything is said: whom it is for.
struct Greeting {
    std::uint32_t magic = NicName::right_magic;
    std::uint32_t version = 1;
    std::uint64_t to = 0;
};

}  // namespace railyard::ofi
