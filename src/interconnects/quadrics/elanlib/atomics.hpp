#pragma once
/// Atomic operations on words of other processes. Over PCI an adapter cannot update main memory
/// atomically, and an event counts but gives no value back (EV-1): so a thread on the thread
/// processor of the word's own adapter does them, one after the other. They are atomic beside each
/// other, not beside stores of a processor: a process reaches its own words this way, too.

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "interconnects/quadrics/elanlib/shmem.hpp"

namespace railyard::elanlib {

template <class T>
concept AtomicWord = std::is_arithmetic_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

/// What was there before.
template <class T>
struct Fetched {
    Status status;
    T value{};
};

class Atomics {
  public:
    using Address = elan3::Address;
    using Vpid = elan3::Vpid;

    /// Collective, as Shmem.
    explicit Atomics(Shmem& shmem);

    template <AtomicWord T>
    Fetched<T> swap(Vpid pe, Address at, T value) {
        return fetch<T>(pe, request(Op::swap, at, value));
    }
    /// Only if it is that.
    template <AtomicWord T>
    Fetched<T> cswap(Vpid pe, Address at, T expected, T value) {
        Request asked = request(Op::cswap, at, value);
        asked.expected = bits(expected);
        return fetch<T>(pe, asked);
    }
    template <AtomicWord T>
    requires std::integral<T> Fetched<T> fadd(Vpid pe, Address at, T value) {
        return fetch<T>(pe, request(Op::add, at, value));
    }
    template <AtomicWord T>
    requires std::integral<T> Fetched<T> finc(Vpid pe, Address at) { return fadd(pe, at, T{1}); }

    // Without an answer: return at once, and Shmem::quiet() waits for them.
    template <AtomicWord T>
    requires std::integral<T>
    void add(Vpid pe, Address at, T value) { start(pe, request(Op::add, at, value)); }
    template <AtomicWord T>
    requires std::integral<T>
    void inc(Vpid pe, Address at) { add(pe, at, T{1}); }

  private:
    enum class Op : std::uint8_t { swap, cswap, add };
    struct Request {
        Op op = Op::swap;
        std::uint8_t width = 0;
        Vpid from = 0;
        Address at = elan::null_address;
        Address answer = elan::null_address;  ///< where the old value goes; none: it is not wanted
        Address event = elan::null_address;   ///< set at the end
        std::uint64_t value = 0;
        std::uint64_t expected = 0;
    };
    static_assert(sizeof(Request) <= elan::block_size);

    template <AtomicWord T>
    static std::uint64_t bits(T value) {
        if constexpr (sizeof(T) == 4)
            return std::bit_cast<std::uint32_t>(value);
        else
            return std::bit_cast<std::uint64_t>(value);
    }
    template <AtomicWord T>
    Request request(Op op, Address at, T value) const {
        Request made;
        made.op = op;
        made.width = sizeof(T);
        made.from = shmem_.my_pe();
        made.at = at;
        made.value = bits(value);
        return made;
    }
    template <AtomicWord T>
    Fetched<T> fetch(Vpid pe, Request asked) {
        Fetched<T> out{ask(pe, asked)};
        if (out.status.ok()) out.value = shmem_.process().template value<T>(old_);
        return out;
    }
    Status ask(Vpid pe, Request& asked);
    void start(Vpid pe, Request asked);
    void send(Vpid pe, const Request& asked, Address from);
    static void serve(elan::Thread& thread, Address work, Address olds);
    static elan::Verdict apply(elan::Thread& thread, const Request& asked, std::uint64_t& old);

    Shmem& shmem_;
    const elan3::Event work_;  ///< a request has come
    elan3::Event answered_;
    const Address request_;  ///< in Elan memory: of what waits for an answer
    const Address old_;      ///< in main memory: the answer
};

}  // namespace railyard::elanlib
