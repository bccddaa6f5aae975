#include "mpi/programs/layout.hpp"

#include <array>
#include <cstring>

namespace railyard::mpi::programs {

namespace {

constexpr MPI_Datatype bases[] = {MPI_BYTE, MPI_INT, MPI_DOUBLE};
constexpr std::size_t sizes[] = {1, sizeof(int), sizeof(double)};

std::uint64_t pattern_word(std::uint64_t pattern, std::size_t word) {
    std::uint64_t x = (pattern + 1) * 0x9e3779b97f4a7c15 + word * 0xd1342543de82ef95;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
    return x ^ x >> 32;
}

/// Offsets in elements, and the extent.
struct Places {
    std::vector<std::size_t> offsets;
    std::size_t extent;
};

Places places_of(Shape shape) {
    switch (shape) {
        case Shape::dense:
            return {{0}, 1};
        case Shape::contiguous:
            return {{0, 1, 2, 3}, 4};
        case Shape::vector:  // two blocks of three, five apart
            return {{0, 1, 2, 5, 6, 7}, 8};
        case Shape::indexed:  // not in the order of memory
            return {{4, 5, 0, 9}, 10};
        case Shape::record:
            return {{0, 2, 3}, 6};
        case Shape::spread:
            return {{0}, 3};
    }
    return {};
}

MPI_Datatype resized(MPI_Datatype type, std::size_t extent) {
    MPI_Datatype made;
    MPI_Type_create_resized(type, 0, static_cast<MPI_Aint>(extent), &made);
    Layout::done(type);
    return made;
}

}  // namespace

std::byte pattern_byte(std::uint64_t pattern, std::size_t i) {
    return static_cast<std::byte>(pattern_word(pattern, i / 8) >> i % 8 * 8);
}

Layout::Layout(Shape shape, int base)
    : shape_(shape),
      base_(base),
      element_size_(sizes[base]),
      offsets_(places_of(shape).offsets),
      extent_(places_of(shape).extent * element_size_) {
    for (std::size_t& offset : offsets_)
        offset *= element_size_;
}

std::size_t Layout::span_of(std::size_t count) const {
    return count / elements() * extent_;
}

MPI_Datatype Layout::make() const {
    const MPI_Datatype base = bases[base_];
    MPI_Datatype made = base;
    const auto element = static_cast<MPI_Aint>(element_size_);
    switch (shape_) {
        case Shape::dense:
            return base;
        case Shape::contiguous:
            MPI_Type_contiguous(4, base, &made);
            break;
        case Shape::vector:
            MPI_Type_vector(2, 3, 5, base, &made);
            break;
        case Shape::indexed: {
            const int lengths[] = {2, 1, 1};
            const int places[] = {4, 0, 9};
            MPI_Type_indexed(3, lengths, places, base, &made);
            break;
        }
        case Shape::record: {
            const int lengths[] = {1, 2};
            const MPI_Aint places[] = {0, 2 * element};
            const MPI_Datatype types[] = {base, base};
            MPI_Datatype record;
            MPI_Type_create_struct(2, lengths, places, types, &record);
            made = resized(record, extent_);
            break;
        }
        case Shape::spread: {
            MPI_Datatype one;
            MPI_Type_contiguous(1, base, &one);
            made = resized(one, extent_);
            break;
        }
    }
    MPI_Type_commit(&made);
    return made;
}

void Layout::done(MPI_Datatype& type) {
    for (const MPI_Datatype base : bases)
        if (type == base) return;
    MPI_Type_free(&type);
}

void Layout::fill(std::byte* at, std::size_t count, std::uint64_t pattern) const {
    const std::size_t bytes = count * element_size_;
    std::array<std::byte, 8> word;
    for (std::size_t i = 0; i < bytes; i += 8) {
        const std::uint64_t value = pattern_word(pattern, i / 8);
        std::memcpy(word.data(), &value, 8);
        const std::size_t n = std::min<std::size_t>(8, bytes - i);
        for (std::size_t done = 0; done < n; done += element_size_)
            std::memcpy(place(at, (i + done) / element_size_), word.data() + done, element_size_);
    }
}

bool Layout::holds(const std::byte* at, std::size_t count, std::uint64_t pattern) const {
    const std::size_t bytes = count * element_size_;
    std::array<std::byte, 8> word;
    for (std::size_t i = 0; i < bytes; i += 8) {
        const std::uint64_t value = pattern_word(pattern, i / 8);
        std::memcpy(word.data(), &value, 8);
        const std::size_t n = std::min<std::size_t>(8, bytes - i);
        for (std::size_t done = 0; done < n; done += element_size_)
            if (std::memcmp(place(at, (i + done) / element_size_), word.data() + done,
                            element_size_) != 0)
                return false;
    }
    return true;
}

bool Layout::is_clean(const std::byte* at, std::size_t filled, std::size_t count) const {
    std::vector<bool> used(extent_);
    for (const std::size_t offset : offsets_)
        for (std::size_t i = 0; i < element_size_; ++i)
            used[offset + i] = true;
    if (filled == count && extent_ == elements() * element_size_) return true;
    for (std::size_t begin = 0; begin < count; begin += elements())
        for (std::size_t i = 0; i < extent_; ++i)
            if (!used[i] && at[begin / elements() * extent_ + i] != untouched) return false;
    for (std::size_t i = filled; i < count; ++i)
        for (std::size_t j = 0; j < element_size_; ++j)
            if (place(at, i)[j] != untouched) return false;
    return true;
}

}  // namespace railyard::mpi::programs
