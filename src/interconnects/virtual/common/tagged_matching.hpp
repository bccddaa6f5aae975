#pragma once
/// What waits at a tagged port: receives for messages, and messages that nobody expected for
/// receives. Both in order of coming, so that messages of one sender match in order of sending.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "interconnects/virtual/common/tagged_message.hpp"

namespace railyard::virtual_time {

class TaggedMatching {
  public:
    using Message = std::shared_ptr<TaggedMessage>;

    /// Gives the message the oldest receive that selects it, or keeps it as unexpected. Returns how
    /// many receives were passed over.
    std::size_t arrive(const Message& message);

    struct Found {
        Message message;         ///< null: there was none, and the receive waits
        std::size_t passed = 0;  ///< unexpected messages that were passed over
    };
    /// Gives the receive the oldest unexpected message that it selects, or lets it wait.
    Found post(const fabric::TaggedReceive& receive);

    /// The unexpected message that such a receive would get; null if there is none.
    Message find(const fabric::TaggedReceive& receive) const;
    /// Takes out the oldest waiting receive of that id.
    std::optional<fabric::TaggedReceive> withdraw(std::uint64_t id);
    /// Forgets all receives, and hands over the unexpected messages.
    std::deque<Message> clear();

  private:
    std::deque<fabric::TaggedReceive> posted_;
    std::deque<Message> unexpected_;
};

}  // namespace railyard::virtual_time
