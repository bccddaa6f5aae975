#pragma once
/// How two queue pairs find each other. Two models: client and server (listen, connect, accept or
/// reject), and peer-to-peer, in which both sides ask, in any order or at once, and get exactly one
/// connection. Requests are found by polling; no thread is needed to be ready for them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "railyard/base/error.hpp"
#include "railyard/base/status.hpp"

namespace railyard::fabric {

/// Where a Nic is reached: opaque bytes, exchanged by any means (job/ has one).
struct Address {
    static constexpr std::size_t capacity = 128;
    std::array<std::byte, capacity> bytes{};
    friend bool operator==(const Address&, const Address&) = default;
};

/// What a listener listens on.
using Service = std::uint64_t;
/// Tells the connections between one pair of Nics apart; both sides of a connection name the same.
using Discriminator = std::uint64_t;

/// A few bytes that travel with a connection request or its answer.
class PrivateData {
  public:
    static constexpr std::size_t capacity = 196;

    PrivateData() = default;
    explicit PrivateData(std::span<const std::byte> data) {
        if (data.size() > capacity)
            throw UsageError("private data of a connection: at most 196 bytes");
        size_ = static_cast<std::uint8_t>(data.size());
        if (!data.empty()) std::memcpy(bytes_.data(), data.data(), data.size());
    }
    explicit PrivateData(std::string_view text) : PrivateData(std::as_bytes(std::span(text))) {}

    std::span<const std::byte> bytes() const { return {bytes_.data(), size_}; }
    std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), size_}; }

  private:
    std::array<std::byte, capacity> bytes_{};
    std::uint8_t size_ = 0;
};

enum class ConnectionState : std::uint8_t { idle, connecting, connected, failed };

/// A client's request, waiting for an answer: QueuePair::accept() or reject(). Dropping it
/// unanswered rejects it.
class ConnectionRequest {
  public:
    virtual ~ConnectionRequest() = default;
    virtual const Address& from() const = 0;
    virtual const PrivateData& private_data() const = 0;
    virtual void reject(const PrivateData& reason) = 0;
};

class Listener {
  public:
    virtual ~Listener() = default;
    /// The oldest request not yet taken, or null.
    virtual std::unique_ptr<ConnectionRequest> poll() = 0;
};

/// A peer-to-peer request from a Nic that this side has not asked for yet. Answer it by a
/// connect_peer() with the same address and discriminator, or leave it: it then times out.
struct PeerRequest {
    Address from;
    Discriminator discriminator = 0;
    PrivateData private_data;
};

}  // namespace railyard::fabric
