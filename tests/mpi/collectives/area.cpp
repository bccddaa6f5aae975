#include "mpi/collectives/area.hpp"

#include <algorithm>

#include "mpi/types/constructors.hpp"
#include "sim/random.hpp"

namespace railyard::mpi {

Area::Area(std::size_t count, const Datatype& type) : count_(count), type_(&type) {
    if (count == 0) return;
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * type.extent();
    low_ = type.true_lower_bound() + std::min<std::ptrdiff_t>(last, 0);
    const std::ptrdiff_t high =
        type.true_lower_bound() + type.true_extent() + std::max<std::ptrdiff_t>(last, 0);
    low_ -= ((low_ % 16) + 16) % 16;  // so that the elements are aligned as a user's would be
    memory_.assign(static_cast<std::size_t>(high - low_), std::byte{0xa5});
}

Area& Area::put(std::size_t first, std::span<const std::byte> packed) {
    if (packed.empty()) return *this;
    auto* const at =
        static_cast<std::byte*>(address()) + static_cast<std::ptrdiff_t>(first) * type_->extent();
    type_->unpack(at, packed.size() / type_->size(), 0, packed);
    return *this;
}

Packed Area::get(std::size_t first, std::size_t count) const {
    Packed packed(count * type_->size());
    if (packed.empty()) return packed;
    const auto* const at =
        memory_.data() - low_ + static_cast<std::ptrdiff_t>(first) * type_->extent();
    type_->pack(at, count, 0, packed);
    return packed;
}

Packed random_bytes(std::size_t bytes, std::uint64_t seed) {
    sim::Random random(seed);
    Packed packed(bytes);
    for (std::byte& byte : packed)
        byte = static_cast<std::byte>(random());
    return packed;
}

const std::vector<TypeRef>& types_of_three_ints() {
    static const TypeRef one = predefined(Basic::c_int);
    static const std::size_t lengths[] = {1, 1, 1};
    static const std::ptrdiff_t scattered[] = {8, -16, 0};
    static const std::vector<TypeRef> types = {
        contiguous(3, one),
        vector(3, 1, 2, one),
        hindexed(lengths, scattered, one),
        resized(contiguous(3, one), -4, 32),
        resized(contiguous(3, one), 0, -16),
        resized(vector(3, 1, 2, one), 0, 24),
    };
    return types;
}

const std::vector<TypeRef>& types_of_two_longs() {
    static const TypeRef one = predefined(Basic::uint64);
    static const std::size_t lengths[] = {1, 1};
    static const std::ptrdiff_t scattered[] = {8, -24};
    static const std::vector<TypeRef> types = {
        contiguous(2, one),
        resized(contiguous(2, one), 0, 24),
        hindexed(lengths, scattered, one),
        resized(contiguous(2, one), 16, -24),
    };
    return types;
}

}  // namespace railyard::mpi
