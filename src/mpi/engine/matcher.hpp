#pragma once
/// Where receives and messages find each other. Two queues: receives that were posted and wait for
/// a message, and the unexpected queue, of messages that came before their receive (PR-5). MPI's
/// order: of several receives that match a message, the one posted first gets it; of several
/// messages that match a receive, the one that came first.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "mpi/engine/packet.hpp"
#include "mpi/engine/request.hpp"

namespace railyard::mpi {

/// A message, or the RTS of one, that no receive has taken yet.
struct Unexpected {
    /// The lists that a message is in (see HashedMatcher).
    enum Index : std::uint8_t { exact, by_tag, by_source, by_context, all, index_count };

    Link<Unexpected> links[index_count];
    Header header;
    Channel* channel = nullptr;   ///< null: from this rank itself
    Request* own_send = nullptr;  ///< from this rank itself: where the data still are
    std::byte* payload = nullptr;

    Envelope envelope() const { return {message_context(header), header.source, header.tag}; }
};

/// Of the whole message, in bytes.
std::size_t size_of(const Unexpected& message);

/// Memory for unexpected messages. Short ones come from a pool; the bytes of long ones are
/// allocated, since such a message costs a copy anyway.
class UnexpectedPool {
  public:
    /// Copies the payload, which stays the caller's. `room`: for what will be appended, too.
    Unexpected& take(const Header& header, std::span<const std::byte> payload, std::size_t room) {
        Entry& entry = free_ != nullptr ? *free_ : entries_.emplace_back();
        if (free_ != nullptr) free_ = free_->next_free;
        entry.payload = entry.inside.data();
        if (room > entry.inside.size()) {
            entry.outside = std::make_unique_for_overwrite<std::byte[]>(room);
            entry.payload = entry.outside.get();
        }
        if (!payload.empty()) std::memcpy(entry.payload, payload.data(), payload.size());
        entry.header = header;
        entry.header.length = static_cast<std::uint32_t>(payload.size());
        return entry;
    }
    /// Copies no more than there is room for; `more` stays the caller's.
    static void append(Unexpected& message, std::span<const std::byte> more) {
        std::memcpy(message.payload + message.header.length, more.data(), more.size());
        message.header.length += static_cast<std::uint32_t>(more.size());
    }
    void give_back(Unexpected& message) {
        auto& entry = static_cast<Entry&>(message);
        entry.outside.reset();
        entry.channel = nullptr;
        entry.own_send = nullptr;
        entry.next_free = free_;
        free_ = &entry;
    }

  private:
    struct Entry : Unexpected {
        std::array<std::byte, 96> inside;
        std::unique_ptr<std::byte[]> outside;
        Entry* next_free = nullptr;
    };
    std::deque<Entry> entries_;
    Entry* free_ = nullptr;
};

class Matcher {
  public:
    virtual ~Matcher() = default;

    /// The posted receive that matches this message, withdrawn from its queue; null: none.
    Request* arrive(const Envelope& message) {
        Request* const only = single_;
        if (only == nullptr) return search(message);
        ++visits_.posted;
        if (!matches(only->envelope, message)) return nullptr;
        single_ = nullptr;
        return only;
    }
    /// Adds a message for which arrive() found nothing. It stays the caller's object.
    virtual void add_unexpected(Unexpected& message) = 0;

    /// The unexpected message that this receive takes, withdrawn from its queue; null: none is
    /// here, and the receive is now posted.
    virtual Unexpected* post(Request& receive) = 0;
    /// The unexpected message that such a receive would take, left in its queue; null: none.
    virtual Unexpected* find(const Envelope& wanted) = 0;
    /// The first of all unexpected messages, which lead to each other by their links of
    /// Unexpected::all; null: there is none.
    virtual Unexpected* oldest() const = 0;
    virtual void withdraw(Unexpected& message) = 0;
    /// False if the receive is not posted any more.
    virtual bool withdraw(Request& receive) = 0;

    /// Entries of either queue that were looked at.
    struct Visits {
        std::uint64_t posted = 0;
        std::uint64_t unexpected = 0;
    };
    /// Since this was last asked: what searching costs in a model.
    Visits take_visits() { return std::exchange(visits_, {}); }

  protected:
    /// arrive() among more receives than one.
    virtual Request* search(const Envelope& message) = 0;

    /// The only receive that is posted, where it is not in a queue: most programs wait for one
    /// message at a time.
    Request* single_ = nullptr;
    Visits visits_;
};

/// As the papers' libraries did it: two lists, searched from the front.
std::unique_ptr<Matcher> make_list_matcher();
/// One look-up for each kind of wildcard in use, however long the queues are.
std::unique_ptr<Matcher> make_hashed_matcher();

}  // namespace railyard::mpi
