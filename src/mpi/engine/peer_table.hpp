#pragma once
/// Channels by world rank. Takes memory for the peers there are, not for the size of the job.

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/engine/channel.hpp"

namespace railyard::mpi {

class PeerTable {
  public:
    PeerTable() : slots_(8) {}

    Channel* find(int peer) {
        if (recent_ != nullptr && recent_->peer == peer) return recent_;
        return recent_ = search(peer);
    }
    Channel& add(std::unique_ptr<Channel> channel) {
        if (++count_ * 2 > slots_.size()) grow();
        channels_.push_back(std::move(channel));
        insert(*channels_.back());
        return *channels_.back();
    }
    /// In the order of adding.
    const std::vector<std::unique_ptr<Channel>>& all() const { return channels_; }

  private:
    struct Slot {
        int peer = -1;
        Channel* channel = nullptr;
    };
    Channel* search(int peer) const {
        for (std::size_t i = slot_of(peer);; ++i) {
            const Slot& slot = slots_[i & (slots_.size() - 1)];
            if (slot.peer == peer) return slot.channel;
            if (slot.channel == nullptr) return nullptr;
        }
    }
    std::size_t slot_of(int peer) const {
        return static_cast<std::size_t>((static_cast<std::uint32_t>(peer) * 0x9e3779b9u) >> 8) &
               (slots_.size() - 1);
    }
    void insert(Channel& channel) {
        std::size_t i = slot_of(channel.peer);
        while (slots_[i & (slots_.size() - 1)].channel != nullptr)
            ++i;
        slots_[i & (slots_.size() - 1)] = {channel.peer, &channel};
    }
    void grow() {
        slots_.assign(slots_.size() * 2, {});
        for (const auto& channel : channels_)
            insert(*channel);
    }

    std::vector<Slot> slots_;  ///< a power of two, at most half full
    std::vector<std::unique_ptr<Channel>> channels_;
    std::size_t count_ = 0;
    Channel* recent_ = nullptr;  ///< found last
};

}  // namespace railyard::mpi
