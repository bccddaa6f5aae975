// Posted receives are binned by what they ask for: at most four bins can hold the receive that a
// message belongs to (exact, any source, any tag, both), and kinds of which none is posted are not
// looked for. Messages are binned by what they are; the bins that wildcard receives need are made
// when the first such receive comes.

#include <array>

#include "mpi/engine/bins.hpp"
#include "mpi/engine/matcher.hpp"

namespace railyard::mpi {

namespace {

using Index = Unexpected::Index;

/// Which wildcards a receive has: also the index of messages that serves it.
Index kind_of(const Envelope& wanted) {
    const bool source = wanted.source == any_source;
    const bool tag = wanted.tag == any_tag;
    return static_cast<Index>((source ? Index::by_tag : 0) + (tag ? Index::by_source : 0));
}
static_assert(Index::by_tag == 1 && Index::by_source == 2 && Index::by_context == 3);

/// What a receive of that kind would ask for to get this message.
Envelope key_for(const Envelope& message, Index kind) {
    Envelope key = message;
    if (kind == Index::by_tag || kind == Index::by_context) key.source = any_source;
    if (kind == Index::by_source || kind == Index::by_context) key.tag = any_tag;
    return key;
}

auto message_link(int index) {
    return [index](Unexpected& m) -> Link<Unexpected>& { return m.links[index]; };
}

constexpr int kinds = 4;

class HashedMatcher final : public Matcher {
  public:
    Request* search(const Envelope& message) override;
    void keep(Unexpected& message) override;
    Unexpected* post(Request& receive) override;
    Unexpected* find(const Envelope& wanted) override;
    void withdraw(Unexpected& message) override;
    bool withdraw(Request& receive) override;

  private:
    using MessageBins = Bins<Unexpected>;

    Request* search_all_kinds(const Envelope& message);
    void file(Request& receive);
    void unfile(Request& receive);
    void build(Index index);

    Bins<Request> posted_;
    std::array<std::size_t, kinds> posted_count_{};
    std::size_t posted_total_ = 0;
    std::uint64_t sequence_ = 0;

    std::array<MessageBins, kinds> messages_;
    std::array<bool, kinds> indexed_{true, false, false, false};
    LinkedList<Unexpected> in_order_;
};

Request* HashedMatcher::search(const Envelope& message) {
    if (posted_total_ == 0) return nullptr;
    Request* first = nullptr;
    if (posted_count_[Index::exact] == posted_total_) [[likely]] {
        ++visits_.posted;
        if (const auto* bin = posted_.find(message)) first = bin->first;
    } else {
        first = search_all_kinds(message);
    }
    if (first != nullptr) unfile(*first);
    return first;
}

Request* HashedMatcher::search_all_kinds(const Envelope& message) {
    Request* first = nullptr;
    for (int kind = 0; kind < kinds; ++kind) {
        if (posted_count_[static_cast<std::size_t>(kind)] == 0) continue;
        ++visits_.posted;
        const auto* bin = posted_.find(key_for(message, static_cast<Index>(kind)));
        if (bin != nullptr && (first == nullptr || bin->first->sequence < first->sequence))
            first = bin->first;
    }
    return first;
}

void HashedMatcher::keep(Unexpected& message) {
    in_order_.append(message, message_link(Index::all));
    for (int index = 0; index < kinds; ++index)
        if (indexed_[static_cast<std::size_t>(index)])
            messages_[static_cast<std::size_t>(index)]
                .find_or_make(key_for(message.envelope(), static_cast<Index>(index)))
                .append(message, message_link(index));
}

Unexpected* HashedMatcher::post(Request& receive) {
    if (Unexpected* message = find(receive.envelope)) {
        withdraw(*message);
        return message;
    }
    receive.sequence = ++sequence_;
    if (lone_ == nullptr && posted_total_ == 0) {
        lone_ = &receive;
    } else {
        if (lone_ != nullptr) file(*lone_);
        lone_ = nullptr;
        file(receive);
    }
    return nullptr;
}

void HashedMatcher::file(Request& receive) {
    posted_.find_or_make(receive.envelope).append(receive, request_link);
    ++posted_count_[kind_of(receive.envelope)];
    ++posted_total_;
}

void HashedMatcher::unfile(Request& receive) {
    auto& bin =
        *static_cast<Bins<Request>::Bin*>(static_cast<LinkedList<Request>*>(receive.link.list));
    bin.remove(receive, request_link);
    posted_.drop_if_empty(bin);
    --posted_count_[kind_of(receive.envelope)];
    --posted_total_;
}

bool HashedMatcher::withdraw(Request& receive) {
    if (lone_ == &receive) {
        lone_ = nullptr;
        return true;
    }
    if (receive.link.list == nullptr) return false;
    unfile(receive);
    return true;
}

Unexpected* HashedMatcher::find(const Envelope& wanted) {
    if (in_order_.empty()) return nullptr;
    ++visits_.unexpected;
    const Index index = kind_of(wanted);
    if (!indexed_[index]) build(index);
    const auto* bin = messages_[index].find(wanted);
    return bin != nullptr ? bin->first : nullptr;
}

void HashedMatcher::build(Index index) {
    indexed_[index] = true;
    for (Unexpected* m = in_order_.first; m != nullptr; m = m->links[Index::all].next)
        messages_[index]
            .find_or_make(key_for(m->envelope(), index))
            .append(*m, message_link(index));
}

void HashedMatcher::withdraw(Unexpected& message) {
    in_order_.remove(message, message_link(Index::all));
    for (int index = 0; index < kinds; ++index) {
        if (!indexed_[static_cast<std::size_t>(index)]) continue;
        auto& bin = *static_cast<MessageBins::Bin*>(
            static_cast<LinkedList<Unexpected>*>(message.links[index].list));
        bin.remove(message, message_link(index));
        messages_[static_cast<std::size_t>(index)].drop_if_empty(bin);
    }
}

}  // namespace

std::unique_ptr<Matcher> make_hashed_matcher() {
    return std::make_unique<HashedMatcher>();
}

}  // namespace railyard::mpi
