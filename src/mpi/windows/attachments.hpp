#pragma once
/// What a rank has attached to a dynamic window, in memory that ranks of its node share: so they
/// find out without asking, and reach it by the kernel. What finds no place here is reached by
/// packets.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "railyard/memory.hpp"

namespace railyard::mpi {

class Attachments {
  public:
    struct Attachment {
        std::uint64_t begin = 0;
        std::uint64_t size = 0;  ///< 0: nothing is attached here
        fabric::RegionBlob region;
    };
    struct Found {
        std::size_t place = 0;
        std::uint64_t version = 0;  ///< another one: another attachment
        Attachment what;
    };
    static constexpr std::size_t capacity = 32;

    /// By the owner alone. None: all places are taken.
    std::optional<std::size_t> add(const Attachment& what) {
        for (std::size_t i = 0; i < capacity; ++i)
            if (places_[i].read().what.size == 0) {
                places_[i].write(what);
                return i;
            }
        return std::nullopt;
    }
    void remove(std::size_t place) { places_[place].write({}); }

    /// What holds all of these bytes; none: nothing does, or it is about to change. Looks at
    /// `likely` first: of an operation's runs, most are where the last was.
    std::optional<Found> find(std::uint64_t at, std::uint64_t bytes, std::size_t likely = 0) {
        for (std::size_t looks = 0; looks < capacity; ++looks) {
            const std::size_t i = (likely + looks) % capacity;
            const Place::Reading reading = places_[i].read();
            const Attachment& what = reading.what;
            if (what.size != 0 && at >= what.begin && at - what.begin <= what.size &&
                bytes <= what.size - (at - what.begin))
                return Found{i, reading.version, what};
        }
        return std::nullopt;
    }

  private:
    /// Its words change between two versions: whoever meets an odd one, or another one at the end,
    /// has read nothing.
    class Place {
      public:
        struct Reading {
            std::uint64_t version = 0;
            Attachment what;
        };

        void write(const Attachment& what) {
            const std::atomic_ref version(version_);
            const std::uint64_t now = version.load(std::memory_order_relaxed);
            version.store(now + 1, std::memory_order_relaxed);
            // Release, both: words of one version are never seen with another version's count.
            std::atomic_thread_fence(std::memory_order_release);
            const auto words = std::bit_cast<Words>(what);
            for (std::size_t i = 0; i < words.size(); ++i)
                std::atomic_ref(words_[i]).store(words[i], std::memory_order_relaxed);
            version.store(now + 2, std::memory_order_release);
        }
        Reading read() {
            const std::atomic_ref version(version_);
            const std::uint64_t before = version.load(std::memory_order_acquire);
            Words words{};
            for (std::size_t i = 0; i < words.size(); ++i)
                words[i] = std::atomic_ref(words_[i]).load(std::memory_order_relaxed);
            // Pairs with the writer's fence.
            std::atomic_thread_fence(std::memory_order_acquire);
            if (before % 2 != 0 || version.load(std::memory_order_relaxed) != before) return {};
            return {before, std::bit_cast<Attachment>(words)};
        }

      private:
        using Words = std::array<std::uint64_t, sizeof(Attachment) / sizeof(std::uint64_t)>;

        std::uint64_t version_ = 0;
        Words words_{};
    };

    std::array<Place, capacity> places_;
};

}  // namespace railyard::mpi
