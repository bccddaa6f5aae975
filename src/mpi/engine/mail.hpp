#pragma once
/// The eager way for everybody else: packets are sent into receives that all peers share, so that a
/// peer costs no buffers of its own. Buffers are made when the first such peer appears.

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "fabric/nic.hpp"
#include "mpi/engine/packet.hpp"

namespace railyard::mpi {

/// What a completion is about: the upper half of its id; the lower half says which.
enum class Job : std::uint32_t { mail_came = 1, mail_sent = 2, moved = 3 };
constexpr std::uint64_t job_id(Job job, std::uint32_t which) {
    return static_cast<std::uint64_t>(job) << 32 | which;
}

class PostOffice {
  public:
    PostOffice(fabric::Nic& nic, std::uint32_t buffers, std::size_t packet_limit);

    /// For queue pairs to take from.
    fabric::ReceiveQueue& receives() { return *receives_; }
    /// Posts all receives, at the first call.
    void open();
    std::size_t memory() const;

    // Out.

    bool has_slot() const { return !free_.empty(); }
    /// Where the bytes of the next packet are to be put. Only after has_slot().
    std::byte* place() { return out(free_.back()) + sizeof(Header); }
    /// Sends the packet whose bytes are at place().
    void send(fabric::QueuePair& queue_pair, const Header& header);
    void sent(std::uint32_t slot) { free_.push_back(slot); }

    // In.

    struct Letter {
        Header header;
        const std::byte* payload;
    };
    Letter letter(std::uint32_t slot) const {
        Letter letter;
        std::memcpy(&letter.header, in(slot), sizeof letter.header);
        letter.payload = in(slot) + sizeof letter.header;
        return letter;
    }
    /// The buffer may take the next packet.
    void emptied(std::uint32_t slot);

  private:
    std::byte* in(std::uint32_t slot) const { return inbox_->data() + slot * slot_size_; }
    std::byte* out(std::uint32_t slot) const { return outbox_->data() + slot * slot_size_; }

    fabric::Nic& nic_;
    std::uint32_t buffers_;
    std::size_t slot_size_;
    std::unique_ptr<fabric::ReceiveQueue> receives_;
    std::unique_ptr<fabric::Region> inbox_;
    std::unique_ptr<fabric::Region> outbox_;
    std::vector<std::uint32_t> free_;
};

}  // namespace railyard::mpi
