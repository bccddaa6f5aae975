#include "traffic/layout.hpp"

#include <algorithm>
#include <numeric>

namespace railyard::soak {

namespace {

constexpr std::size_t most_blocks = 64;
constexpr std::size_t most_bytes = 4096;

}  // namespace

Base base_type(int index) {
    switch (index) {
        case 1:
            return {MPI_SHORT, sizeof(short)};
        case 2:
            return {MPI_INT, sizeof(int)};
        case 3:
            return {MPI_DOUBLE, sizeof(double)};
        default:
            return {MPI_BYTE, 1};
    }
}

Layout::Layout(Base base)
    : base_(base), blocks_{{0, base.size}}, size_(base.size), end_(base.size), reach_(base.size) {}

std::shared_ptr<const Layout> Layout::draw(std::uint64_t seed, Base base) {
    Draw draw(seed);
    std::shared_ptr<const Layout> layout = std::make_shared<Layout>(base);
    for (int depth = draw.from_to(1, 3); depth > 0; --depth) {
        std::shared_ptr<const Layout> next = around(layout, draw);
        if (next->blocks_.size() > most_blocks || next->reach_ > most_bytes) break;
        layout = std::move(next);
    }
    return layout;
}

std::shared_ptr<Layout> Layout::around(std::shared_ptr<const Layout> inner, Draw& draw) {
    auto layout = std::make_shared<Layout>(inner->base_);
    layout->inner_ = std::move(inner);
    layout->kind_ = static_cast<Kind>(draw.from_to(1, static_cast<int>(Kind::duplicate)));
    layout->blocks_.clear();
    layout->size_ = layout->end_ = layout->reach_ = 0;
    layout->start_ = ~std::size_t{0};
    switch (layout->kind_) {
        case Kind::contiguous:
        case Kind::vector:
        case Kind::hvector:
            layout->draw_strided(draw);
            break;
        case Kind::subarray:
        case Kind::fortran_subarray:
            layout->draw_subarray(draw);
            break;
        case Kind::basic:
        case Kind::duplicate:
        case Kind::resized:
            layout->place(0, 1);
            if (layout->kind_ != Kind::resized) break;
            // Farther apart than they need be.
            layout->count_ = draw.below(8);
            layout->end_ += static_cast<std::size_t>(layout->count_) * layout->base_.size;
            break;
        default:
            layout->draw_indexed(draw);
            break;
    }
    return layout;
}

void Layout::place(std::size_t offset, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = offset + i * inner_->extent();
        for (const Block& block : inner_->blocks_) {
            const std::size_t begin = at + block.at;
            if (!blocks_.empty() && blocks_.back().at + blocks_.back().length == begin)
                blocks_.back().length += block.length;
            else
                blocks_.push_back({begin, block.length});
        }
        size_ += inner_->size_;
        start_ = std::min(start_, at + inner_->start_);
        end_ = std::max(end_, at + inner_->end_);
        reach_ = std::max(reach_, at + inner_->reach_);
    }
}

void Layout::draw_strided(Draw& draw) {
    count_ = draw.from_to(1, 6);
    const int length = kind_ == Kind::contiguous ? 1 : draw.from_to(1, 4);
    const int stride = kind_ == Kind::contiguous ? 1 : length + draw.below(4);
    lengths_ = {length};
    at_ = {stride};
    for (int i = 0; i < count_; ++i)
        place(static_cast<std::size_t>(i * stride) * inner_->extent(),
              static_cast<std::size_t>(length));
}

void Layout::draw_indexed(Draw& draw) {
    count_ = draw.from_to(1, 6);
    const bool alike = kind_ == Kind::indexed_block || kind_ == Kind::hindexed_block;
    const int length = draw.from_to(1, 4);
    int end = draw.below(3);
    for (int i = 0; i < count_; ++i) {
        lengths_.push_back(alike ? length : draw.from_to(1, 4));
        at_.push_back(end);
        end += lengths_.back() + draw.below(3);
    }
    // A type's bytes need not lie in the order in which they are sent.
    if (draw.one_in(3)) {
        std::vector<std::size_t> order(lengths_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        draw.shuffle(order);
        std::vector<int> lengths;
        std::vector<int> at;
        for (const std::size_t i : order) {
            lengths.push_back(lengths_[i]);
            at.push_back(at_[i]);
        }
        lengths_ = std::move(lengths);
        at_ = std::move(at);
    }
    for (std::size_t i = 0; i < lengths_.size(); ++i)
        place(static_cast<std::size_t>(at_[i]) * inner_->extent(),
              static_cast<std::size_t>(lengths_[i]));
}

void Layout::draw_subarray(Draw& draw) {
    for (int i = 0; i < 2; ++i) {
        sizes_[i] = draw.from_to(1, 5);
        parts_[i] = draw.from_to(1, sizes_[i]);
        starts_[i] = draw.below(sizes_[i] - parts_[i] + 1);
    }
    const int fast = kind_ == Kind::subarray ? 1 : 0;  // the dimension whose neighbours touch
    const int slow = 1 - fast;
    for (int i = 0; i < parts_[slow]; ++i)
        place(static_cast<std::size_t>((starts_[slow] + i) * sizes_[fast] + starts_[fast]) *
                  inner_->extent(),
              static_cast<std::size_t>(parts_[fast]));
    // Its extent is that of the whole array.
    start_ = 0;
    end_ = static_cast<std::size_t>(sizes_[0] * sizes_[1]) * inner_->extent();
}

MPI_Datatype Layout::make() const {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (kind_ == Kind::basic) {
        MPI_Type_dup(base_.type, &type);
    } else {
        // What an inner type was is known to the outer one: it may go at once.
        MPI_Datatype inner = inner_->make();
        type = constructed(inner);
        MPI_Type_free(&inner);
    }
    MPI_Type_commit(&type);
    return type;
}

MPI_Datatype Layout::constructed(MPI_Datatype inner) const {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const auto extent = static_cast<MPI_Aint>(inner_->extent());
    std::vector<MPI_Aint> bytes;
    for (const int at : at_)
        bytes.push_back(at * extent);
    switch (kind_) {
        case Kind::contiguous:
            MPI_Type_contiguous(count_, inner, &type);
            break;
        case Kind::vector:
            MPI_Type_vector(count_, lengths_[0], at_[0], inner, &type);
            break;
        case Kind::hvector:
            MPI_Type_create_hvector(count_, lengths_[0], bytes[0], inner, &type);
            break;
        case Kind::indexed:
            MPI_Type_indexed(count_, lengths_.data(), at_.data(), inner, &type);
            break;
        case Kind::hindexed:
            MPI_Type_create_hindexed(count_, lengths_.data(), bytes.data(), inner, &type);
            break;
        case Kind::indexed_block:
            MPI_Type_create_indexed_block(count_, lengths_[0], at_.data(), inner, &type);
            break;
        case Kind::hindexed_block:
            MPI_Type_create_hindexed_block(count_, lengths_[0], bytes.data(), inner, &type);
            break;
        case Kind::structure: {
            const std::vector<MPI_Datatype> types(lengths_.size(), inner);
            MPI_Type_create_struct(count_, lengths_.data(), bytes.data(), types.data(), &type);
            break;
        }
        case Kind::subarray:
        case Kind::fortran_subarray:
            MPI_Type_create_subarray(2, sizes_, parts_, starts_,
                                     kind_ == Kind::subarray ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                                     inner, &type);
            break;
        case Kind::resized:
            MPI_Type_create_resized(inner, static_cast<MPI_Aint>(start_),
                                    static_cast<MPI_Aint>(end_ - start_), &type);
            break;
        case Kind::basic:
        case Kind::duplicate:
            MPI_Type_dup(inner, &type);
            break;
    }
    return type;
}

}  // namespace railyard::soak
