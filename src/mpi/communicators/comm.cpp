#include "mpi/communicators/comm.hpp"

#include <algorithm>
#include <iterator>

namespace railyard::mpi {

Attributes::Entry* Attributes::find(const Keyval& key) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.key.get() == &key && !entry.leaving;
    });
    return found != entries_.end() ? &*found : nullptr;
}

Attributes::Entry* Attributes::find(std::uint64_t number) {
    const auto found = std::ranges::find(entries_, number, &Entry::number);
    return found != entries_.end() ? &*found : nullptr;
}

void Attributes::set(int object, const KeyvalRef& key, AttributeValue value) {
    erase(object, *key);
    auto kept = std::make_shared<const AttributeValue>(value);
    // The user's function, or another thread, may have set one meanwhile.
    if (Entry* const other = find(*key))
        other->value = std::move(kept);
    else
        entries_.push_back({key, std::move(kept), ++numbers_});
}

const AttributeValue* Attributes::get(const Keyval& key) const {
    const AttributeValue* value = nullptr;
    for (const Entry& entry : entries_)
        if (entry.key.get() == &key && (!entry.leaving || value == nullptr))
            value = entry.value.get();
    return value;
}

bool Attributes::erase(int object, const Keyval& key) {
    Entry* const found = find(key);
    if (found == nullptr) return false;
    const Entry entry = *found;
    found->leaving = true;
    try {
        if (key.erase) key.erase(object, *entry.value);
    } catch (...) {
        if (Entry* const kept = find(entry.number)) kept->leaving = false;
        throw;
    }
    std::erase_if(entries_, [&](const Entry& other) { return other.number == entry.number; });
    return true;
}

Attributes Attributes::copied(int object) const {
    Attributes copies;
    for (const Entry& entry : std::vector<Entry>(entries_)) {
        if (!entry.key->copy || entry.leaving) continue;
        if (const auto value = entry.key->copy(object, *entry.value))
            copies.entries_.push_back(
                {entry.key, std::make_shared<const AttributeValue>(*value), ++copies.numbers_});
    }
    return copies;
}

void Attributes::erase_all(int object) {
    for (;;) {
        const auto last = std::find_if(entries_.rbegin(), entries_.rend(),
                                       [](const Entry& entry) { return !entry.leaving; });
        if (last == entries_.rend()) return;
        const KeyvalRef key = last->key;
        erase(object, *key);
    }
}

void Comm::make_team() {
    if (!is_inter()) {
        team_ = process().make_team(*this);
        return;
    }
    const Group& first = comes_first() ? group() : peers();
    const Group& second = comes_first() ? peers() : group();
    std::vector<int> ranks = first.list_of_world_ranks();
    std::ranges::copy(second.world_ranks(), std::back_inserter(ranks));
    // Users' messages have the context, collectives the odd one after it: so ranks of one group and
    // ranks of both are never taken for each other.
    both_ = std::make_unique<Communicator>(process(), context(), Group(std::move(ranks)));
    team_ = process().make_team(*both_);
    team_->divide_at(first.size());
}

}  // namespace railyard::mpi
