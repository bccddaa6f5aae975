#pragma once
/// Where receives and messages find each other. Two queues: receives that were posted and wait for
/// a message, and messages that came before their receive (PR-5). MPI's order: of several receives
/// that would take a message, the one posted first gets it; of several messages that a receive
/// would take, the one that came first.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "mpi/engine/packet.hpp"
#include "mpi/engine/request.hpp"

namespace railyard::mpi {

/// A message, or the offer of one, that no receive has taken yet.
struct Unexpected {
    /// The lists that a message is in (see HashedMatcher).
    enum Index : std::uint8_t { exact, by_tag, by_source, by_context, all, index_count };

    Link<Unexpected> links[index_count];
    Header header;
    Channel* channel = nullptr;   ///< null: from this rank itself
    Request* own_send = nullptr;  ///< from this rank itself: where the data still are
    std::uint32_t index = 0;      ///< of a message that a matched probe took
    std::uint32_t capacity = 0;   ///< of `payload`
    std::byte* payload = nullptr;

    Envelope envelope() const { return {header.context, header.source, header.tag}; }
};

/// Of the whole message, in bytes.
std::size_t size_of(const Unexpected& message);

inline bool takes(const Envelope& wanted, const Envelope& message) {
    return wanted.context == message.context &&
           (wanted.source == any_source || wanted.source == message.source) &&
           (wanted.tag == any_tag || wanted.tag == message.tag);
}

class Matcher {
  public:
    virtual ~Matcher() = default;

    /// The receive that takes this message, withdrawn from the queue; null: none is posted.
    Request* arrive(const Envelope& message) {
        Request* const only = lone_;
        if (only == nullptr) return search(message);
        ++visits_.posted;
        if (!takes(only->envelope, message)) return nullptr;
        lone_ = nullptr;
        return only;
    }
    /// Keeps a message for which arrive() found nothing. It stays the caller's object.
    virtual void keep(Unexpected& message) = 0;

    /// The message that this receive takes, withdrawn from the queue; null: none is here, and the
    /// receive is now posted.
    virtual Unexpected* post(Request& receive) = 0;
    /// The message that such a receive would take, left where it is; null: none.
    virtual Unexpected* find(const Envelope& wanted) = 0;
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

    /// The one receive that is posted, if it is kept here: most programs wait for one message at a
    /// time, and it needs no queue.
    Request* lone_ = nullptr;
    Visits visits_;
};

/// As the papers' libraries did it: two lists, searched from the front.
std::unique_ptr<Matcher> make_list_matcher();
/// One look-up for each kind of wildcard in use, however long the queues are.
std::unique_ptr<Matcher> make_hashed_matcher();

}  // namespace railyard::mpi
