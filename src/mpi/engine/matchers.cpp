// The two matchers: lists, and hashed bins.

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "mpi/engine/matcher.hpp"

namespace railyard::mpi {

namespace {

Link<Request>& request_link(Request& request) {
    return request.link;
}

Link<Unexpected>& only_link(Unexpected& message) {
    return message.links[Unexpected::all];
}

class ListMatcher final : public Matcher {
  public:
    Request* search(const Envelope& message) override {
        for (Request* r = posted_.first; r != nullptr; r = r->link.next) {
            ++visits_.posted;
            if (!matches(r->envelope, message)) continue;
            posted_.remove(*r, request_link);
            return r;
        }
        return nullptr;
    }
    void add_unexpected(Unexpected& message) override { messages_.append(message, only_link); }

    Unexpected* post(Request& receive) override {
        if (Unexpected* message = find(receive.envelope)) {
            withdraw(*message);
            return message;
        }
        posted_.append(receive, request_link);
        return nullptr;
    }
    Unexpected* find(const Envelope& wanted) override {
        for (Unexpected* m = messages_.first; m != nullptr; m = only_link(*m).next) {
            ++visits_.unexpected;
            if (matches(wanted, m->envelope())) return m;
        }
        return nullptr;
    }
    Unexpected* oldest() const override { return messages_.first; }
    void withdraw(Unexpected& message) override { messages_.remove(message, only_link); }
    bool withdraw(Request& receive) override {
        if (receive.link.list == nullptr) return false;
        posted_.remove(receive, request_link);
        return true;
    }

  private:
    LinkedList<Request> posted_;
    LinkedList<Unexpected> messages_;
};

/// Lists of objects by envelope, found by hashing. A bin exists only while there is something in
/// it, so the table is as large as what is queued, not as what ever was.
template <class Node>
class Bins {
  public:
    struct Bin : LinkedList<Node> {
        Envelope key;
        Bin* next = nullptr;  ///< in the chain of its slot, or of free bins
    };

    Bins() : slots_(16) {}

    Bin* find(const Envelope& key) {
        // One envelope is often wanted several times in a row.
        if (recent_ != nullptr && recent_->key == key) return recent_;
        for (Bin* bin = slots_[slot_of(key)]; bin != nullptr; bin = bin->next)
            if (bin->key == key) return recent_ = bin;
        return nullptr;
    }
    Bin& find_or_make(const Envelope& key) {
        if (Bin* bin = find(key)) return *bin;
        if (count_ == slots_.size()) grow();
        Bin& bin = take();
        bin.key = key;
        Bin*& slot = slots_[slot_of(key)];
        bin.next = slot;
        slot = &bin;
        ++count_;
        recent_ = &bin;
        return bin;
    }
    void drop_if_empty(Bin& bin) {
        if (!bin.empty()) return;
        if (recent_ == &bin) recent_ = nullptr;
        Bin** at = &slots_[slot_of(bin.key)];
        while (*at != &bin)
            at = &(*at)->next;
        *at = bin.next;
        bin.next = free_;
        free_ = &bin;
        --count_;
    }

  private:
    std::size_t slot_of(const Envelope& key) const {
        std::uint64_t h = std::uint64_t{key.context} << 32 | static_cast<std::uint32_t>(key.tag);
        h = (h ^ static_cast<std::uint32_t>(key.source) * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
        return (h >> 32) & (slots_.size() - 1);
    }
    Bin& take() {
        if (free_ == nullptr) return *store_.emplace_back(std::make_unique<Bin>());
        Bin& bin = *free_;
        free_ = bin.next;
        return bin;
    }
    void grow() {
        std::vector<Bin*> old(slots_.size() * 4);
        old.swap(slots_);
        for (Bin* bin : old)
            while (bin != nullptr) {
                Bin* next = bin->next;
                Bin*& slot = slots_[slot_of(bin->key)];
                bin->next = slot;
                slot = bin;
                bin = next;
            }
    }

    std::vector<Bin*> slots_;  ///< a power of two
    std::size_t count_ = 0;
    Bin* free_ = nullptr;
    Bin* recent_ = nullptr;  ///< found or made last
    std::vector<std::unique_ptr<Bin>> store_;
};

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

/// Posted receives are binned by what they ask for: at most four bins can hold the receive that a
/// message belongs to (exact, any source, any tag, both), and kinds of which none is posted are not
/// searched. Messages are binned by what they are; the bins that wildcard receives need are made
/// when the first such receive comes.
class HashedMatcher final : public Matcher {
  public:
    Request* search(const Envelope& message) override;
    void add_unexpected(Unexpected& message) override;
    Unexpected* post(Request& receive) override;
    Unexpected* find(const Envelope& wanted) override;
    Unexpected* oldest() const override { return in_order_.first; }
    void withdraw(Unexpected& message) override;
    bool withdraw(Request& receive) override;

  private:
    using MessageBins = Bins<Unexpected>;

    Request* search_all_kinds(const Envelope& message);
    void insert(Request& receive);
    void remove(Request& receive);
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
    if (first != nullptr) remove(*first);
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

void HashedMatcher::add_unexpected(Unexpected& message) {
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
    if (single_ == nullptr && posted_total_ == 0) {
        single_ = &receive;
    } else {
        if (single_ != nullptr) insert(*single_);
        single_ = nullptr;
        insert(receive);
    }
    return nullptr;
}

void HashedMatcher::insert(Request& receive) {
    posted_.find_or_make(receive.envelope).append(receive, request_link);
    ++posted_count_[kind_of(receive.envelope)];
    ++posted_total_;
}

void HashedMatcher::remove(Request& receive) {
    auto& bin =
        *static_cast<Bins<Request>::Bin*>(static_cast<LinkedList<Request>*>(receive.link.list));
    bin.remove(receive, request_link);
    posted_.drop_if_empty(bin);
    --posted_count_[kind_of(receive.envelope)];
    --posted_total_;
}

bool HashedMatcher::withdraw(Request& receive) {
    if (single_ == &receive) {
        single_ = nullptr;
        return true;
    }
    if (receive.link.list == nullptr) return false;
    remove(receive);
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

std::unique_ptr<Matcher> make_list_matcher() {
    return std::make_unique<ListMatcher>();
}

std::unique_ptr<Matcher> make_hashed_matcher() {
    return std::make_unique<HashedMatcher>();
}

}  // namespace railyard::mpi
