#include "mpi/types/datatype.hpp"

#include <array>

namespace railyard::mpi {

Datatype::Datatype(Basic basic) : Datatype(shape_of(basic), Contents()) {
    basic_ = basic;
}

Datatype::Datatype(Shape shape, Contents contents)
    : shape_(std::move(shape)), contents_(std::move(contents)) {
    const Layout& layout = *shape_.layout;
    const Bounds& bounds = shape_.bounds;
    size_ = layout.bytes;
    true_lower_ = bounds.true_lower();
    true_extent_ = bounds.true_upper() - bounds.true_lower();
    lower_ = bounds.lower();
    extent_ = shape_.extent();
    const bool in_a_row = layout.kind == Layout::Kind::block || layout.kind == Layout::Kind::empty;
    dense_ = in_a_row && static_cast<std::ptrdiff_t>(size_) == extent_ && true_lower_ == lower_;
}

std::size_t Datatype::basics_in(std::size_t bytes) const {
    if (size_ == 0) return 0;
    return bytes / size_ * basic_count() + shape_.signature->basics_in(bytes % size_);
}

const TypeRef& predefined(Basic basic) {
    static const auto all = [] {
        std::array<TypeRef, basic_kinds> types;
        for (std::size_t i = 1; i < types.size(); ++i)
            types[i] = std::make_shared<const Datatype>(static_cast<Basic>(i));
        return types;
    }();
    return all[static_cast<std::size_t>(basic)];
}

}  // namespace railyard::mpi
