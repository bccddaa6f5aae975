// Operations of this rank: checks, and those on memory that it reaches by loads and stores.
//
// A direct put or accumulate is done when it returns: the stores are in the coherent caches or on
// their way there, and whoever learns of them by a flush, an unlock, a fence or a message of ours
// sees them, since each of these orders all stores before it.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/copy_whole.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/windows/combining.hpp"
#include "mpi/windows/window.hpp"

namespace railyard::mpi {

namespace {

[[noreturn, gnu::cold]] void throw_length(const ConstBuffer& origin, const TargetBuffer& target) {
    throw MpiError(ErrorClass::type,
                   fmt::format("the origin has {} bytes and the target {}; counts and types of "
                               "both must describe the same data",
                               bytes_of(origin), target.bytes()));
}

inline void check_length(const ConstBuffer& origin, const TargetBuffer& target) {
    if (bytes_of(origin) != target.bytes()) [[unlikely]]
        throw_length(origin, target);
}

/// Whether elements at `at` lie within `size` bytes. Nothing overflows unnoticed.
bool fits_with_gaps(const Datatype& type, std::size_t count, std::ptrdiff_t at,
                    std::uint64_t size) {
    if (count == 0 || type.size() == 0) return true;
    std::ptrdiff_t last = 0;
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
    if (__builtin_mul_overflow(signed_of(count - 1), type.extent(), &last)) return false;
    if (__builtin_add_overflow(at, type.true_lower_bound(), &low)) return false;
    if (__builtin_add_overflow(low, type.true_extent(), &high)) return false;
    if (__builtin_add_overflow(low, std::min<std::ptrdiff_t>(last, 0), &low)) return false;
    if (__builtin_add_overflow(high, std::max<std::ptrdiff_t>(last, 0), &high)) return false;
    return low >= 0 && static_cast<std::uint64_t>(high) <= size;
}

inline bool fits(const Datatype& type, std::size_t count, std::ptrdiff_t at, std::uint64_t size) {
    std::uint64_t bytes = 0;
    const bool is_plain = type.is_dense() && type.true_lower_bound() == 0 && at >= 0 &&
                          !__builtin_mul_overflow(count, type.size(), &bytes) && bytes <= size &&
                          static_cast<std::uint64_t>(at) <= size - bytes;
    return is_plain || fits_with_gaps(type, count, at, size);
}

/// From one typed buffer to another of as many bytes, a stretch at a time.
[[gnu::noinline]] void copy_typed(const Datatype& from_type, const void* from,
                                  std::size_t from_count, const Datatype& to_type, void* to,
                                  std::size_t to_count) {
    const std::size_t all = from_count * from_type.size();
    if (from_type.is_dense())
        return to_type.unpack(to, to_count, 0, {from_type.dense_data(from), all});
    if (to_type.is_dense())
        return from_type.pack(from, from_count, 0, {to_type.dense_data(to), all});
    std::array<std::byte, 4096> stretch;
    for (std::size_t at = 0; at < all; at += stretch.size()) {
        const auto now = std::span(stretch).first(std::min(stretch.size(), all - at));
        from_type.pack(from, from_count, at, now);
        to_type.unpack(to, to_count, at, now);
    }
}

[[noreturn, gnu::cold]] void throw_op() {
    throw MpiError(ErrorClass::op,
                   "op is a user's operation; accumulates take predefined ones only");
}

const Datatype& basic_of_derived(const Datatype& type) {
    if (type.uniform_basic() == Basic::none)
        throw MpiError(ErrorClass::type,
                       "target_datatype is made of different predefined types; an accumulate "
                       "combines elements of one");
    return *predefined(type.uniform_basic());
}

/// The one predefined type that all elements of an accumulate have.
inline const Datatype& basic_of(const TargetBuffer& target, const Operation& operation) {
    if (!operation.is_predefined()) [[unlikely]]
        throw_op();
    const Datatype& basic =
        target.type->is_predefined() ? *target.type : basic_of_derived(*target.type);
    operation.check(basic);
    return basic;
}

[[noreturn, gnu::cold]] void throw_basic(const Datatype& basic) {
    throw MpiError(
        ErrorClass::type,
        fmt::format("the origin's datatype is not made of {}, as the target's is", basic.name()));
}

inline void check_same_basic(const Datatype& origin, const Datatype& basic) {
    if (&origin != &basic && origin.uniform_basic() != basic.basic()) [[unlikely]]
        throw_basic(basic);
}

RmaHeader header_of(RmaKind kind, const Operation& operation, const Datatype& basic) {
    return {.kind = kind,
            .detail = static_cast<std::uint8_t>(operation.kind()),
            .basic = basic.basic()};
}

}  // namespace

[[gnu::always_inline]] inline Window::Found Window::find(const TargetBuffer& to) {
    epochs_.use(to.rank);
    Peer& peer = this->peer(to.rank);
    std::ptrdiff_t at = 0;
    if (__builtin_mul_overflow(to.displacement, static_cast<std::ptrdiff_t>(peer.unit), &at))
        throw_range(to);
    const Found found{peer, static_cast<std::uint64_t>(at)};
    if (plan_.flavor == Flavor::dynamic) [[unlikely]] {
        // Only the target knows what it has attached.
        if (peer.is_direct) check_attached(to, found.at);
    } else if (!fits(*to.type, to.count, at, peer.size)) [[unlikely]] {
        throw_range(to);
    }
    return found;
}

void Window::put_direct(const ConstBuffer& data, const Found& place, const TargetBuffer& to) {
    const std::size_t n = to.bytes();
    has_stored_ = true;
    process().host().charge_copy(n, place.address(), static_cast<const std::byte*>(data.address));
    if (data.type->is_dense() && to.type->is_dense()) [[likely]]
        return store_whole(to.type->dense_data(place.address()),
                           data.type->dense_data(data.address), n);
    copy_typed(*data.type, data.address, data.count, *to.type, place.address(), to.count);
}

void Window::get_direct(const Buffer& into, const Found& place, const TargetBuffer& from) {
    const std::size_t n = from.bytes();
    process().host().charge_copy(n, static_cast<std::byte*>(into.address), place.address());
    if (into.type->is_dense() && from.type->is_dense()) [[likely]]
        return load_whole(into.type->dense_data(into.address),
                          from.type->dense_data(place.address()), n);
    copy_typed(*from.type, place.address(), from.count, *into.type, into.address, into.count);
}

Request* Window::put(const ConstBuffer& data, const TargetBuffer& to, bool wanted) {
    check_length(data, to);
    const Found place = find(to);
    if (place.peer.is_direct) [[likely]] {
        put_direct(data, place, to);
        return nullptr;
    }
    return put_otherwise(data, place, to, wanted);
}

Request* Window::put_otherwise(const ConstBuffer& data, const Found& place, const TargetBuffer& to,
                               bool wanted) {
    if (is_reached_by_kernel(place, to)) {
        const bool visits = !is_for_kernel(to) && begin_visit(to.rank);
        if (visits) return visit({.kind = RmaKind::put}, &data, nullptr, place, to, Unit{}, wanted);
        if (put_by_kernel(data, place, to)) return nullptr;
    }
    if (has_rdma_ && plan_.flavor != Flavor::dynamic) return put_remote(data, place, to, wanted);
    if (to.type->is_dense() && to.bytes() > rma_inline_limit)
        return send_bulk(data, place, to, wanted);
    return send_operation({.kind = RmaKind::put}, &data, nullptr, place, to, Unit{}, wanted);
}

Request* Window::get(const Buffer& into, const TargetBuffer& from, bool wanted) {
    check_length(into, from);
    const Found place = find(from);
    if (place.peer.is_direct) [[likely]] {
        get_direct(into, place, from);
        return nullptr;
    }
    return get_otherwise(into, place, from, wanted);
}

Request* Window::get_otherwise(const Buffer& into, const Found& place, const TargetBuffer& from,
                               bool wanted) {
    if (is_reached_by_kernel(place, from)) {
        const bool visits = !is_for_kernel(from) && begin_visit(from.rank);
        if (visits)
            return visit({.kind = RmaKind::get}, nullptr, &into, place, from, Unit{}, wanted);
        if (get_by_kernel(into, place, from)) return nullptr;
    }
    if (has_rdma_ && plan_.flavor != Flavor::dynamic) return get_remote(into, place, from, wanted);
    return send_operation({.kind = RmaKind::get}, nullptr, &into, place, from, Unit{}, wanted);
}

void Window::combine_direct(const ConstBuffer& data, const Buffer* old, const Found& place,
                            const TargetBuffer& to, const Operation& operation,
                            const Datatype& basic) {
    const std::size_t n = to.bytes();
    const bool reads = operation.kind() == Operation::Kind::no_op;
    process().host().charge_copy(n, place.address());
    const bool old_is_dense = old == nullptr || old->type->is_dense();
    if (to.type->is_dense() && (reads || data.type->is_dense()) && old_is_dense) [[likely]] {
        has_stored_ |= !combine(operation, basic, to.type->dense_data(place.address()),
                                to.type == &basic ? to.count : n / basic.size(),
                                reads ? nullptr : data.type->dense_data(data.address),
                                old == nullptr ? nullptr : old->type->dense_data(old->address),
                                guard_of(place.peer));
        return;
    }
    combine_runs(data, old, place, to, operation, basic);
}

void Window::combine_runs(const ConstBuffer& data, const Buffer* old, const Found& place,
                          const TargetBuffer& to, const Operation& operation,
                          const Datatype& basic) {
    const std::size_t n = to.bytes();
    const bool reads = operation.kind() == Operation::Kind::no_op;
    has_stored_ = true;
    std::vector<std::byte> in(reads ? 0 : n);
    std::vector<std::byte> before(old == nullptr ? 0 : n);
    if (!reads) data.type->pack(data.address, data.count, 0, in);
    std::size_t at = 0;
    for_each_run(*to.type, to.count, place.at, unit_of(basic), [&](const Run& run) {
        combine(operation, basic, reinterpret_cast<std::byte*>(place.peer.base + run.at), run.count,
                reads ? nullptr : in.data() + at, old == nullptr ? nullptr : before.data() + at,
                guard_of(place.peer));
        at += run.count * basic.size();
    });
    if (old != nullptr) old->type->unpack(old->address, old->count, 0, before);
}

Request* Window::combine_otherwise(const RmaHeader& header, const ConstBuffer& data,
                                   const Buffer* old, const Found& place, const TargetBuffer& to,
                                   bool wanted) {
    const Operation& operation = *predefined(static_cast<Operation::Kind>(header.detail));
    const Datatype& basic = *predefined(header.basic);
    const ConstBuffer* const in = operation.kind() == Operation::Kind::no_op ? nullptr : &data;
    if (is_reached_by_kernel(place, to)) {
        if (begin_visit(to.rank)) return visit(header, in, old, place, to, unit_of(basic), wanted);
        if (combine_by_kernel(data, old, place, to, operation, basic)) return nullptr;
    }
    return send_operation(header, in, old, place, to, unit_of(basic), wanted);
}

Request* Window::accumulate(const ConstBuffer& data, const TargetBuffer& to,
                            const Operation& operation, bool wanted) {
    if (operation.kind() == Operation::Kind::no_op)
        throw MpiError(ErrorClass::op,
                       "op is MPI_NO_OP, which only operations that get something take");
    check_length(data, to);
    const Found place = find(to);
    if (to.bytes() == 0) return nullptr;
    const Datatype& basic = basic_of(to, operation);
    check_same_basic(*data.type, basic);
    if (place.peer.is_direct) {
        combine_direct(data, nullptr, place, to, operation, basic);
        return nullptr;
    }
    return combine_otherwise(header_of(RmaKind::accumulate, operation, basic), data, nullptr, place,
                             to, wanted);
}

Request* Window::get_accumulate(const ConstBuffer& data, const Buffer& old, const TargetBuffer& to,
                                const Operation& operation, bool wanted) {
    const bool reads = operation.kind() == Operation::Kind::no_op;
    check_length(old, to);
    if (!reads) check_length(data, to);
    const Found place = find(to);
    if (to.bytes() == 0) return nullptr;
    const Datatype& basic = basic_of(to, operation);
    check_same_basic(*old.type, basic);
    if (!reads) check_same_basic(*data.type, basic);
    if (place.peer.is_direct) [[likely]] {
        combine_direct(data, &old, place, to, operation, basic);
        return nullptr;
    }
    return combine_otherwise(header_of(RmaKind::get_accumulate, operation, basic), data, &old,
                             place, to, wanted);
}

void Window::compare_and_swap(const void* value, const void* compare, void* old,
                              const TargetBuffer& at) {
    const Family family = traits(at.type->basic()).family;
    if (family != Family::signed_integer && family != Family::unsigned_integer &&
        family != Family::logical && family != Family::bytes)
        throw MpiError(ErrorClass::type,
                       "datatype must be a predefined integer, logical or MPI_BYTE");
    const Found place = find(at);
    const auto* const new_value = static_cast<const std::byte*>(value);
    const auto* const expected = static_cast<const std::byte*>(compare);
    if (place.peer.is_direct) {
        has_stored_ |= !compare_swap(*at.type, place.address(), expected, new_value,
                                     static_cast<std::byte*>(old), guard_of(place.peer));
        return;
    }
    const bool is_reached = is_reached_by_kernel(place, at);
    const bool visits = is_reached && begin_visit(at.rank);
    if (is_reached && !visits && swap_by_kernel(expected, new_value, old, place, at)) return;
    std::array<std::byte, 32> both;
    const std::size_t size = at.type->size();
    std::memcpy(both.data(), expected, size);
    std::memcpy(both.data() + size, new_value, size);
    const ConstBuffer data(both.data(), 2 * size, *predefined(Basic::byte));
    const Buffer into{old, 1, at.type};
    const RmaHeader header{.kind = RmaKind::compare_swap, .basic = at.type->basic()};
    const Unit unit{2 * size, 2 * size};
    visits ? visit(header, &data, &into, place, at, unit, false)
           : send_operation(header, &data, &into, place, at, unit, false);
}

}  // namespace railyard::mpi
