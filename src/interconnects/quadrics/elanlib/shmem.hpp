#pragma once
/// Memory of other processes, as Cray's Shmem shows it: a symmetric heap, put and get, order and
/// completion, and waiting for a word to change. What needs more than remote DMA has files of its
/// own: atomics, locks, and what active sets do together.

#include <cstdint>
#include <optional>
#include <vector>

#include "interconnects/quadrics/elan3/process.hpp"
#include "interconnects/quadrics/elanlib/symmetric_heap.hpp"

namespace railyard::elanlib {

enum class Compare : std::uint8_t { eq, ne, gt, le, lt, ge };

template <class T>
bool holds(const T& a, Compare compare, const T& b) {
    switch (compare) {
        case Compare::eq:
            return a == b;
        case Compare::ne:
            return a != b;
        case Compare::gt:
            return a > b;
        case Compare::le:
            return a <= b;
        case Compare::lt:
            return a < b;
        case Compare::ge:
            return a >= b;
    }
    return false;
}

/// Elements that lie apart, on both sides.
struct Strided {
    elan3::Address from = elan::null_address;
    elan3::Address at = elan::null_address;
    std::uint32_t from_stride = 1;  ///< in elements
    std::uint32_t at_stride = 1;
    std::uint32_t element = 8;  ///< bytes
    std::uint32_t count = 0;
};

/// The memory of a process of the same node: the processor's own loads and stores, no adapter.
class NodeMemory {
  public:
    NodeMemory(elan3::Process& process, elan::Context& peer) : process_(process), peer_(peer) {}
    /// False where nothing is mapped.
    bool load(elan3::Address address, std::span<std::byte> data);
    bool store(elan3::Address address, std::span<const std::byte> data);

  private:
    elan3::Process& process_;
    elan::Context& peer_;
};

class Shmem {
  public:
    using Address = elan3::Address;
    using Vpid = elan3::Vpid;

    struct Heaps {
        std::uint32_t main = 1 << 20;
        std::uint32_t elan = 1 << 16;
    };

    /// Collective: every process makes one, before any uses it, and after the same allocations.
    explicit Shmem(elan3::Process& process) : Shmem(process, Heaps{}) {}
    Shmem(elan3::Process& process, const Heaps& heaps);

    Vpid my_pe() const { return process_.self(); }
    Vpid num_pes() const { return static_cast<Vpid>(process_.processes()); }
    elan3::Process& process() { return process_; }

    // The symmetric heap. Collective: all processes ask for the same, in the same order. None of
    // these is a barrier, as ActiveSets' are: who writes to what another has just asked for has one
    // first.
    /// All 0.
    Address allocate(std::uint32_t size, elan3::Home home = elan3::Home::main);
    void release(Address address);
    /// The content goes along.
    Address resize(Address address, std::uint32_t size);
    /// The memory of that process, if it runs on this node.
    std::optional<NodeMemory> ptr(Vpid pe);

    // Blocking: a put returns when the source may be used again, which on this hardware is when the
    // data are at the destination.
    Status put(Vpid to, Address from, Address at, std::uint32_t size);
    Status get(Vpid from, Address at, Address to, std::uint32_t size);
    Status iput(Vpid to, const Strided& elements);
    /// `from` is at that process.
    Status iget(Vpid from, const Strided& elements);
    /// One element. The value is kept in memory of the library's, so this returns at once.
    template <class T>
    void p(Vpid to, Address at, const T& value) {
        static_assert(sizeof(T) <= elan::block_size);
        const Address from = take_slot(values_);
        process_.put_value(from, value);
        start_put(to, from, at, sizeof(T));
    }
    template <class T>
    T g(Vpid from, Address at) {
        static_assert(sizeof(T) <= elan::block_size);
        note(get(from, at, got_, sizeof(T)));
        return process_.value<T>(got_);
    }

    // Not blocking: quiet() waits for all that were started.
    void start_put(Vpid to, Address from, Address at, std::uint32_t size);
    void start_get(Vpid from, Address at, Address to, std::uint32_t size);

    /// All that was started is done, remote memory included. The first failure since the last time.
    Status quiet();
    /// What is put after this comes to each process after what was put before. DMAs overtake each
    /// other on the two channels of a link, so this has to wait for them as quiet() does.
    Status fence() { return quiet(); }

    /// Until the value here is another one than that.
    template <class T>
    void wait(Address at, const T& value) {
        wait_until(at, Compare::ne, value);
    }
    template <class T>
    void wait_until(Address at, Compare compare, const T& value) {
        process_.wait_until([&] { return holds(process_.value<T>(at), compare, value); });
    }

    // For the other parts of the library.
    /// One more operation is started: this event, of this process, is to be set at its end.
    Address count_one() { return ++under_way_, started_.address; }
    /// A block of Elan memory that is free until quiet(): what a message is sent from.
    Address take_message_slot() { return take_slot(messages_); }
    /// quiet() tells of it.
    void note(Status status) {
        if (failure_.ok()) failure_ = status;
    }

  private:
    static constexpr std::uint32_t slots = 64;  ///< of what is under way in memory of the library's

    Address take_slot(Address ring);
    Status take(elan3::Event& event);
    void drain();

    elan3::Process& process_;
    SymmetricHeap main_heap_;
    SymmetricHeap elan_heap_;
    elan3::Event done_;     ///< of one that blocks
    elan3::Event started_;  ///< of those that do not: counts until quiet() primes it
    const Address values_;
    const Address messages_;
    const Address got_;
    std::uint32_t under_way_ = 0;
    Status failure_;
};

}  // namespace railyard::elanlib
