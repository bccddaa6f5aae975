#include "mpi/windows/combining.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <optional>

#include "mpi/types/basic.hpp"
#include "mpi/windows/shared_words.hpp"

namespace railyard::mpi {

namespace {

using Kind = Operation::Kind;

/// A locked instruction drains the store buffer. MPI_NO_OP has none, and has stored nothing.
#if defined(__x86_64__)
constexpr bool atomics_are_fences = true;
#else
constexpr bool atomics_are_fences = false;
#endif

template <class Word>
Word load_word(const std::byte* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

/// Whether the processor adds, or combines bits, of such elements by itself.
bool is_whole_number(const Datatype& basic) {
    const Family family = traits(basic.basic()).family;
    return family == Family::signed_integer || family == Family::unsigned_integer ||
           family == Family::bytes;
}

/// What was there before. Acquire and release: programs build locks and queues of such operations,
/// so what a rank did before is seen by who reads the value that it left.
template <class Word>
Word combine_word(const Operation& operation, const Datatype& basic, bool whole, std::byte* target,
                  Word in) {
    constexpr auto order = std::memory_order_acq_rel;
    const std::atomic_ref word(*reinterpret_cast<Word*>(target));
    switch (operation.kind()) {
        case Kind::replace:
            return word.exchange(in, order);
        case Kind::no_op:
            return word.load(std::memory_order_acquire);
        case Kind::sum:
            if (whole) return word.fetch_add(in, order);
            break;
        case Kind::band:
            if (whole) return word.fetch_and(in, order);
            break;
        case Kind::bor:
            if (whole) return word.fetch_or(in, order);
            break;
        case Kind::bxor:
            if (whole) return word.fetch_xor(in, order);
            break;
        default:
            break;
    }
    Word old = word.load(std::memory_order_relaxed);
    for (;;) {
        Word combined = old;
        operation.apply(&in, &combined, 1, basic);
        if (word.compare_exchange_weak(old, combined, order, std::memory_order_relaxed)) return old;
    }
}

template <class Word>
void combine_words(const Operation& operation, const Datatype& basic, std::byte* target,
                   std::size_t count, const std::byte* in, std::byte* old) {
    const bool reads = operation.kind() == Kind::no_op;
    const bool whole = is_whole_number(basic);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i * sizeof(Word);
        const Word before = combine_word<Word>(operation, basic, whole, target + at,
                                               reads ? Word{} : load_word<Word>(in + at));
        if (old != nullptr) std::memcpy(old + at, &before, sizeof before);
    }
}

template <class Word>
void swap_word(std::byte* target, const std::byte* compare, const std::byte* value,
               std::byte* old) {
    auto expected = load_word<Word>(compare);
    std::atomic_ref(*reinterpret_cast<Word*>(target))
        .compare_exchange_strong(expected, load_word<Word>(value), std::memory_order_acq_rel,
                                 std::memory_order_acquire);
    std::memcpy(old, &expected, sizeof expected);
}

/// Calls `use` with the word that such elements are, if an instruction can change one as a whole.
template <class Use>
bool as_word(const Datatype& basic, const std::byte* target, Use&& use) {
    const auto try_word = [&]<class Word>(Word word) {
        // Sizes that the compiler knows, and no division.
        if (reinterpret_cast<std::uintptr_t>(target) % sizeof(Word) != 0) return false;
        use(word);
        return true;
    };
    if (!basic.is_dense()) return false;
    switch (basic.size()) {
        case 1:
            return try_word(std::uint8_t{});
        case 2:
            return try_word(std::uint16_t{});
        case 4:
            return try_word(std::uint32_t{});
        case 8:
            return try_word(std::uint64_t{});
        default:
            return false;
    }
}

/// Element by element: those that have gaps are packed without them.
void combine_apart(const Operation& operation, const Datatype& basic, std::byte* target,
                   std::size_t count, const std::byte* in, std::byte* old) {
    alignas(16) std::array<std::byte, 64> element{};
    const std::size_t size = basic.size();
    const bool reads = operation.kind() == Kind::no_op;
    for (std::size_t i = 0; i < count; ++i, target += basic.extent()) {
        if (old != nullptr) basic.pack(target, 1, 0, {old + i * size, size});
        if (reads) continue;
        basic.unpack(element.data(), 1, 0, {in + i * size, size});
        operation.apply(element.data(), target, 1, basic);
    }
}

/// Under the guard, if there is one.
[[gnu::noinline]] void combine_guarded(const Operation& operation, const Datatype& basic,
                                       std::byte* target, std::size_t count, const std::byte* in,
                                       std::byte* old, Guard guard) {
    std::optional<Guarded> guarded;
    if (guard.word != nullptr) guarded.emplace(*guard.word);
    if (!basic.is_dense()) return combine_apart(operation, basic, target, count, in, old);
    if (old != nullptr) std::memcpy(old, target, count * basic.size());
    if (operation.kind() != Kind::no_op) operation.apply(in, target, count, basic);
}

}  // namespace

bool combine(const Operation& operation, const Datatype& basic, std::byte* target,
             std::size_t count, const std::byte* in, std::byte* old, Guard guard) {
    if (guard.for_all) {
        const Guarded guarded(*guard.word);
        return combine(operation, basic, target, count, in, old, {});
    }
    // One alone goes so without a guard, too: the program may wait for it.
    if ((guard.word != nullptr || count == 1) && as_word(basic, target, [&]<class Word>(Word) {
            combine_words<Word>(operation, basic, target, count, in, old);
        }))
        return atomics_are_fences;
    combine_guarded(operation, basic, target, count, in, old, guard);
    return false;
}

bool compare_swap(const Datatype& basic, std::byte* target, const std::byte* compare,
                  const std::byte* value, std::byte* old, Guard guard) {
    if (guard.for_all) {
        const Guarded guarded(*guard.word);
        return compare_swap(basic, target, compare, value, old, {});
    }
    if (as_word(basic, target,
                [&]<class Word>(Word) { swap_word<Word>(target, compare, value, old); }))
        return atomics_are_fences;
    std::optional<Guarded> guarded;
    if (guard.word != nullptr) guarded.emplace(*guard.word);
    std::memcpy(old, target, basic.size());
    if (std::memcmp(old, compare, basic.size()) == 0) std::memcpy(target, value, basic.size());
    return false;
}

}  // namespace railyard::mpi
