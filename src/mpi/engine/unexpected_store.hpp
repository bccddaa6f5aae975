#pragma once
/// Memory for messages that came before their receive. Short ones come from a pool; the bytes of
/// long ones are allocated, since such a message costs a copy anyway.

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <span>

#include "mpi/engine/matcher.hpp"

namespace railyard::mpi {

class UnexpectedStore {
  public:
    /// `room`: for what will be appended, too.
    Unexpected& take(const Header& header, std::span<const std::byte> payload, std::size_t room) {
        Entry& entry = free_ != nullptr ? *free_ : entries_.emplace_back();
        if (free_ != nullptr) free_ = free_->next_free;
        entry.payload = entry.few.data();
        if (room > entry.few.size()) {
            entry.many = std::make_unique_for_overwrite<std::byte[]>(room);
            entry.payload = entry.many.get();
        }
        if (!payload.empty()) std::memcpy(entry.payload, payload.data(), payload.size());
        entry.header = header;
        entry.header.length = static_cast<std::uint32_t>(payload.size());
        return entry;
    }
    /// No more than there is room for.
    static void append(Unexpected& message, std::span<const std::byte> more) {
        std::memcpy(message.payload + message.header.length, more.data(), more.size());
        message.header.length += static_cast<std::uint32_t>(more.size());
    }
    void give_back(Unexpected& message) {
        auto& entry = static_cast<Entry&>(message);
        entry.many.reset();
        entry.channel = nullptr;
        entry.own_send = nullptr;
        entry.next_free = free_;
        free_ = &entry;
    }

  private:
    struct Entry : Unexpected {
        std::array<std::byte, 96> few;
        std::unique_ptr<std::byte[]> many;
        Entry* next_free = nullptr;
    };
    std::deque<Entry> entries_;
    Entry* free_ = nullptr;
};

}  // namespace railyard::mpi
