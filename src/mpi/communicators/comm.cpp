#include "mpi/communicators/comm.hpp"

#include <algorithm>

namespace railyard::mpi {

void Attributes::set(int object, const KeyvalRef& key, void* value) {
    for (Entry& entry : entries_) {
        if (entry.key != key) continue;
        if (key->erase) key->erase(object, entry.value);
        entry.value = value;
        return;
    }
    entries_.push_back({key, value});
}

std::optional<void*> Attributes::get(const Keyval& key) const {
    for (const Entry& entry : entries_)
        if (entry.key.get() == &key) return entry.value;
    return std::nullopt;
}

bool Attributes::erase(int object, const Keyval& key) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.key.get() == &key; });
    if (found == entries_.end()) return false;
    const Entry entry = *found;
    if (key.erase) key.erase(object, entry.value);
    // The user's function may have touched other attributes.
    std::erase_if(entries_, [&](const Entry& other) { return other.key == entry.key; });
    return true;
}

Attributes Attributes::copied(int object) const {
    Attributes copies;
    for (const Entry& entry : std::vector<Entry>(entries_)) {
        if (!entry.key->copy) continue;
        if (const auto value = entry.key->copy(object, entry.value))
            copies.entries_.push_back({entry.key, *value});
    }
    return copies;
}

void Attributes::erase_all(int object) {
    while (!entries_.empty()) {
        const KeyvalRef key = entries_.back().key;
        erase(object, *key);
    }
}

}  // namespace railyard::mpi
