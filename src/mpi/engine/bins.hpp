#pragma once
/// Lists of objects by envelope, found by hashing. A bin exists only while there is something in
/// it, so the table is as large as what is queued, not as what ever was.

#include <cstdint>
#include <deque>
#include <vector>

#include "mpi/engine/linked_list.hpp"

namespace railyard::mpi {

template <class Node>
class Bins {
  public:
    struct Bin : LinkedList<Node> {
        Envelope key;
        Bin* next = nullptr;  ///< in the chain of its slot, or of free bins
    };

    Bins() : slots_(16) {}

    Bin* find(const Envelope& key) {
        // Messages of a kind come in rows.
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
        if (free_ == nullptr) return store_.emplace_back();
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
    std::deque<Bin> store_;
};

}  // namespace railyard::mpi
