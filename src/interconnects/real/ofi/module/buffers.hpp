#pragma once
/// What a provider is asked to do and has not yet done, and the message buffers of a Nic. A
/// completion names an Operation by its address, so they stay where they are as long as the Nic.

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/real/ofi/module/device.hpp"

namespace railyard::ofi {

class Link;
struct Inbound;
struct Request;

struct Operation {
    fi_context2 context{};  ///< the provider's; first, since its address is what comes back
    enum class Type : std::uint8_t {
        receive,  ///< `data` waits for a message
        message,  ///< `data` is on its way, and perhaps memory of `request` behind it
        move,     ///< bulk data of `inbound`
        push,  ///< bulk data of a request of ours: the peer fetches them, or they go by themselves
        landing,  ///< the peer writes to memory of ours
        // Of the tagged port, whose they all are from here on.
        tagged_receive,
        tagged_send,
        tagged_write,
        tagged_word,
        tagged_peek,
        tagged_unexpected,
    };
    bool is_tagged() const { return type >= Type::tagged_receive; }
    Type type = Type::receive;
    Link* link = nullptr;           ///< whose it is while under way
    Operation* previous = nullptr;  ///< of the same link
    Operation* next = nullptr;
    std::byte* data = nullptr;   ///< room for Device::longest_message(); null if it is a move
    void* descriptor = nullptr;  ///< of `data`, where the provider wants one
    std::size_t length = 0;      ///< of a message
    bool tells = false;          ///< it is not to be inlined: of those nobody hears how they fail
    std::uint64_t fetch = 0;     ///< of a move: which it is, if the peer writes the data; else 0;
                                 ///< of a landing: the number of the request
    Request* request = nullptr;
    Inbound* inbound = nullptr;
    std::span<const std::byte> memory{};  ///< the user's that it touches
    std::uint64_t region = 0;             ///< through which; 0: perhaps through several
    std::uint64_t tagged = 0;             ///< of the tagged port: the send or the peer
    void* receiving = nullptr;            ///< likewise: the receive
};

class Buffers {
  public:
    explicit Buffers(Device& device) : device_(device) {}
    /// With room for a message. Throws Error when there is no memory.
    Operation& take();
    /// Without.
    Operation& take_move();
    void give_back(Operation& operation);

  private:
    static constexpr std::size_t at_once = 8;
    struct Slab {
        std::unique_ptr<std::byte[]> memory;
        Owned<fid_mr> registered;
        std::unique_ptr<Operation[]> operations;
    };
    void grow();

    Device& device_;
    std::vector<Slab> slabs_;
    std::vector<std::unique_ptr<Operation[]>> moves_;
    Operation* free_ = nullptr;
    Operation* free_moves_ = nullptr;
};

/// Registers memory of ours with the provider, for peers too if `remote`. Throws Error.
Owned<fid_mr> register_with(Device& device, std::span<std::byte> memory, bool remote);
/// The same for peers to write to, by a key of ours.
Owned<fid_mr> register_for_writes(Device& device, std::span<std::byte> memory, std::uint64_t key);

}  // namespace railyard::ofi
