#pragma once
/// Bytes that are handed on whole. Where everything runs in one process, as in virtual time, what
/// passes through a library's rings and pools of buffers need not lie there byte by byte: the
/// memory is but addresses (Nic::reserve_addresses), which timing goes by, and the bytes travel in
/// a piece of memory of their own, from who fills it to who has read it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "railyard/base/bytes.hpp"
#include "railyard/base/cpu.hpp"

namespace railyard::fabric {

class ParcelPool;

/// Memory for so many bytes, which goes back to its pool with this.
class Parcel {
  public:
    Parcel() = default;
    Parcel(Parcel&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
    Parcel& operator=(Parcel&& other) noexcept {
        std::swap(head_, other.head_);
        other.reset();
        return *this;
    }
    ~Parcel() { reset(); }

    explicit operator bool() const { return head_ != nullptr; }
    std::byte* data() const { return reinterpret_cast<std::byte*>(head_ + 1); }
    std::size_t size() const { return head_->size; }
    /// Less than it was made for.
    void shrink(std::size_t size) { head_->size = static_cast<std::uint32_t>(size); }
    inline void reset();

  private:
    friend class ParcelPool;
    struct alignas(cache_line) Head {
        ParcelPool* pool = nullptr;
        Head* next = nullptr;  ///< while it is free
        std::uint32_t size = 0;
        std::uint32_t kind = 0;
    };
    explicit Parcel(Head* head) : head_(head) {}

    Head* head_ = nullptr;
};

/// Memory for parcels. Those given back last are lent first: few are on their way at a time, and
/// these stay in the processor's cache. Outlives its parcels. For one thread.
class ParcelPool {
  public:
    Parcel take(std::size_t size) {
        const std::size_t kind = kind_of(size);
        Parcel::Head* head = kind < kinds ? free_[kind] : nullptr;
        if (head != nullptr) [[likely]]
            free_[kind] = head->next;
        else
            head = make(kind, size);
        head->size = static_cast<std::uint32_t>(size);
        return Parcel(head);
    }

  private:
    friend class Parcel;
    using Head = Parcel::Head;

    // A line, two, four, and so on; larger ones are their own.
    static constexpr std::size_t kinds = 9;
    static constexpr std::size_t block_size = 64 << 10;
    static constexpr std::size_t room(std::size_t kind) { return cache_line << kind; }
    static std::size_t kind_of(std::size_t size) {
        std::size_t kind = 0;
        while (kind < kinds && room(kind) < size)
            ++kind;
        return kind;
    }
    struct Release {
        void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
    };
    static constexpr std::align_val_t alignment{cache_line};
    static std::byte* allocate(std::size_t size) {
        return static_cast<std::byte*>(::operator new(size, alignment));
    }

    [[gnu::noinline]] Head* make(std::size_t kind, std::size_t size) {
        std::byte* memory = nullptr;
        if (kind >= kinds) {
            memory = allocate(sizeof(Head) + size);
        } else {
            const std::size_t each = sizeof(Head) + room(kind);
            if (left_ < each) {
                blocks_.emplace_back(allocate(block_size));
                next_ = blocks_.back().get();
                left_ = block_size;
            }
            memory = std::exchange(next_, next_ + each);
            left_ -= each;
        }
        auto* const head = new (memory) Head;
        head->pool = this;
        head->kind = static_cast<std::uint32_t>(kind);
        return head;
    }
    void give_back(Head* head) {
        if (head->kind >= kinds) return Release()(reinterpret_cast<std::byte*>(head));
        head->next = free_[head->kind];
        free_[head->kind] = head;
    }

    std::array<Head*, kinds> free_{};
    std::vector<std::unique_ptr<std::byte, Release>> blocks_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

inline void Parcel::reset() {
    if (head_ != nullptr) head_->pool->give_back(std::exchange(head_, nullptr));
}

/// Who is handed what peers write into memory that is but addresses.
class Inbox {
  public:
    /// Such bytes have come for that place. In an event of virtual time: not to wait.
    virtual void put(Bytes offset, Parcel parcel) = 0;

  protected:
    ~Inbox() = default;
};

}  // namespace railyard::fabric
