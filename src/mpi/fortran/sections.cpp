#include "mpi/fortran/sections.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "mpi/fortran/arguments.hpp"

namespace railyard::mpi::fortran {

namespace {

MPI_Count elements(const Descriptor& descriptor, int rank) {
    MPI_Count count = 1;
    for (int i = 0; i < rank; ++i)
        count *= descriptor.extent(i) > 0 ? descriptor.extent(i) : 0;
    return count;
}

/// A datatype under way, given back unless it is released.
class NewType {
  public:
    NewType() = default;
    ~NewType() {
        if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
    }
    NewType(NewType&& other) noexcept : type_(other.release()) {}
    NewType& operator=(NewType&& other) noexcept {
        std::swap(type_, other.type_);
        return *this;
    }
    MPI_Datatype* place() { return &type_; }
    MPI_Datatype get() const { return type_; }
    MPI_Datatype release() { return std::exchange(type_, MPI_DATATYPE_NULL); }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

NewType repeated(MPI_Count count, MPI_Aint step, MPI_Datatype type) {
    NewType made;
    PMPI_Type_create_hvector_c(count, 1, step, type, made.place());
    return made;
}

/// `first`, and `second` so many bytes behind.
NewType joined(MPI_Datatype first, MPI_Datatype second, MPI_Count distance) {
    const MPI_Count ones[] = {1, 1}, places[] = {0, distance};
    const MPI_Datatype types[] = {first, second};
    NewType made;
    PMPI_Type_create_struct_c(2, ones, places, types, made.place());
    return made;
}

/// Elements of a section, in Fortran's order: so many of `element`, and a last one that is not
/// whole.
class Builder {
  public:
    Builder(const Descriptor& descriptor, MPI_Datatype element, MPI_Datatype part)
        : descriptor_(descriptor), element_(element), part_(part) {}

    /// The first `count` of the first `rank` dimensions, and `part` if there is one.
    NewType first(MPI_Count count, int rank) const {
        if (rank == 0) {
            NewType made;
            PMPI_Type_dup(count > 0 ? element_ : part_, made.place());
            return made;
        }
        // The last dimension goes on for as long as the user says.
        const MPI_Count inner = elements(descriptor_, rank - 1);
        const MPI_Count whole = count / inner;
        const MPI_Count rest = count % inner;
        const MPI_Aint step = descriptor_.step(rank - 1);
        const bool has_rest = rest > 0 || part_ != MPI_DATATYPE_NULL;
        if (whole == 0) return first(rest, rank - 1);
        const NewType one =
            Builder(descriptor_, element_, MPI_DATATYPE_NULL).first(inner, rank - 1);
        NewType many = repeated(whole, step, one.get());
        if (!has_rest) return many;
        const NewType end = first(rest, rank - 1);
        return joined(many.get(), end.get(), whole * step);
    }

  private:
    const Descriptor& descriptor_;
    MPI_Datatype element_;
    MPI_Datatype part_;
};

/// A number of units of a datatype that lie together, as one.
NewType contiguous(MPI_Count count, MPI_Datatype unit) {
    NewType made;
    if (count > 0) PMPI_Type_contiguous_c(count, unit, made.place());
    return made;
}

}  // namespace

bool Descriptor::has_gaps() const {
    if (rank > 0 && elements(*this, rank - 1) == 0) return false;
    std::ptrdiff_t expected = static_cast<std::ptrdiff_t>(element_size);
    for (int i = 0; i < rank; ++i) {
        if (extent(i) > 1 && step(i) != expected) return true;
        expected *= extent(i);
    }
    return false;
}

void* to_address(const Descriptor* descriptor) {
    void* const base = descriptor->base;
    if (base == &MPIR_F08_MPI_BOTTOM) return MPI_BOTTOM;
    if (base == &MPIR_F08_MPI_IN_PLACE) return MPI_IN_PLACE;  // NOLINT
    return to_buffer(base);
}

Section::Section(const Descriptor* descriptor, MPI_Count count, MPI_Datatype type)
    : address_(to_address(descriptor)), count_(count), type_(type) {
    if (descriptor->has_gaps()) [[unlikely]]
        make(*descriptor);
}

/// Blocks cannot be told apart within a datatype; elements that follow each other at one distance
/// need none.
Section::Section(const Descriptor* descriptor, MPI_Count count, MPI_Datatype type, int)
    : address_(to_address(descriptor)), count_(count), type_(type) {
    if (!descriptor->has_gaps()) return;
    MPI_Count size = 0;
    type_ = MPI_DATATYPE_NULL;
    if (PMPI_Type_size_c(type, &size) != MPI_SUCCESS || descriptor->rank != 1 ||
        size != static_cast<MPI_Count>(descriptor->element_size) || descriptor->step(0) < 0)
        return;
    PMPI_Type_create_resized(type, 0, descriptor->step(0), &type_);
    PMPI_Type_commit(&type_);
    made_ = true;
}

void Section::make(const Descriptor& descriptor) {
    MPI_Count lower = 0, extent = 0, size = 0;
    const MPI_Datatype type = std::exchange(type_, MPI_DATATYPE_NULL);
    if (count_ < 0 || PMPI_Type_size_c(type, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent_c(type, &lower, &extent) != MPI_SUCCESS) {
        type_ = type;  // the call will say what is wrong
        return;
    }
    if (lower != 0 || extent != size || size == 0) return;
    const auto element_size = static_cast<MPI_Count>(descriptor.element_size);
    const bool divides = element_size % size == 0;
    const MPI_Datatype unit = divides ? type : MPI_BYTE;
    const MPI_Count units = divides ? count_ : count_ * size;
    const MPI_Count of_element = divides ? element_size / size : element_size;
    if (units == 0) {
        type_ = type;
        return;
    }
    const NewType element = contiguous(of_element, unit);
    const NewType part = contiguous(units % of_element, unit);
    type_ = Builder(descriptor, element.get(), part.get())
                .first(units / of_element, descriptor.rank)
                .release();
    PMPI_Type_commit(&type_);
    count_ = 1;
    made_ = true;
}

namespace {

/// Calls move(place in the section, place in the copy) for each element, in Fortran's order.
template <class Move>
void for_each_element(const Descriptor& descriptor, std::byte* copy, Move&& move) {
    std::vector<std::ptrdiff_t> at(static_cast<std::size_t>(descriptor.rank), 0);
    auto* place = static_cast<std::byte*>(descriptor.base);
    for (MPI_Count left = elements(descriptor, descriptor.rank); left > 0; --left) {
        move(place, copy);
        copy += descriptor.element_size;
        for (int i = 0; i < descriptor.rank; ++i) {
            place += descriptor.step(i);
            if (++at[static_cast<std::size_t>(i)] < descriptor.extent(i)) break;
            place -= descriptor.step(i) * descriptor.extent(i);
            at[static_cast<std::size_t>(i)] = 0;
        }
    }
}

}  // namespace

Copy::Copy(const Descriptor* descriptor, Direction direction)
    : address_(to_address(descriptor)), direction_(direction) {
    if (!descriptor->has_gaps()) [[likely]]
        return;
    std::memcpy(static_cast<void*>(&descriptor_), descriptor,
                offsetof(Descriptor, dimensions) +
                    static_cast<std::size_t>(descriptor->rank) * sizeof(Descriptor::Dimension));
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(elements(descriptor_, descriptor_.rank)) *
        descriptor_.element_size);
    collect();
}

Copy::~Copy() {
    if (is_copy()) bring_back();
}

void Copy::collect() {
    for_each_element(descriptor_, bytes_.get(), [this](std::byte* place, std::byte* copy) {
        std::memcpy(copy, place, descriptor_.element_size);
    });
}

void Copy::bring_back() {
    if (direction_ == in) return;
    for_each_element(descriptor_, bytes_.get(), [this](std::byte* place, std::byte* copy) {
        std::memcpy(place, copy, descriptor_.element_size);
    });
}

// Of the C library (src/mpi/abi/staged.cpp).
extern "C" {
struct Staging {
    void (*copy_in)(void* buffers);
    void (*copy_out)(void* buffers);
    void (*free)(void* buffers);
    void* buffers;
};
void MPII_Request_stage(MPI_Request* request, const Staging* staging);
}

namespace {

/// Copies of a collective under way. Gone without being brought back once more.
struct Pending {
    std::vector<Copy> copies;
    static void collect(void* what) {
        for (Copy& copy : static_cast<Pending*>(what)->copies)
            copy.collect();
    }
    static void bring_back(void* what) {
        for (Copy& copy : static_cast<Pending*>(what)->copies)
            copy.bring_back();
    }
    static void forget(void* what) {
        auto* const pending = static_cast<Pending*>(what);
        for (Copy& copy : pending->copies)
            copy.drop();
        delete pending;
    }
};

int stage_all(int code, MPI_Request* request, std::initializer_list<Copy*> copies) {
    auto* const pending = new Pending;
    for (Copy* const copy : copies)
        if (copy->is_copy()) pending->copies.push_back(std::move(*copy));
    const Staging staging{Pending::collect, Pending::bring_back, Pending::forget, pending};
    MPII_Request_stage(request, &staging);
    return code;
}

}  // namespace

int stage(int code, MPI_Request* request, Copy& first) {
    if (code != MPI_SUCCESS || !first.is_copy()) return code;
    return stage_all(code, request, {&first});
}

int stage(int code, MPI_Request* request, Copy& first, Copy& second) {
    if (code != MPI_SUCCESS || (!first.is_copy() && !second.is_copy())) return code;
    return stage_all(code, request, {&first, &second});
}

}  // namespace railyard::mpi::fortran
