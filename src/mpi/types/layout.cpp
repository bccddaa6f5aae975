#include "mpi/types/layout.hpp"

#include <algorithm>
#include <cstdlib>

#include "railyard/base/cpu.hpp"

namespace railyard::mpi {

namespace {

/// Up to as many blocks are written out one by one; a tree of them would take more room and time.
constexpr std::size_t few = 8;

LayoutRef strided(const LayoutRef& child, std::size_t count, std::ptrdiff_t stride,
                  std::ptrdiff_t offset) {
    auto layout = std::make_shared<Layout>();
    layout->kind = Layout::Kind::strided;
    layout->bytes = count * child->bytes;
    layout->offset = offset;
    layout->count = count;
    layout->stride = stride;
    layout->pieces = count * child->pieces;
    layout->depth = child->depth + 1;
    layout->child = child;
    return layout;
}

/// Rows that share lines of the cache, and enough of them to be worth a call.
std::size_t rows_at_once(const Layout& row) {
    constexpr std::size_t enough = 128 << 10;
    constexpr std::size_t at_most = 2 << 20;
    const std::size_t group = cache_line / row.child->bytes * row.bytes;
    const std::size_t window = (enough + group - 1) / group * group;
    return std::min(window, std::max(at_most / row.bytes, std::size_t{1}) * row.bytes);
}

}  // namespace

bool runs_across(const Layout& layout, std::ptrdiff_t stride) {
    if (layout.kind != Layout::Kind::strided || layout.child->kind != Layout::Kind::block)
        return false;
    const std::size_t bytes = layout.child->bytes;
    const auto near = static_cast<std::size_t>(std::abs(stride));
    const auto far = static_cast<std::size_t>(std::abs(layout.stride));
    return (bytes == 4 || bytes == 8 || bytes == 16) && near < cache_line && far >= cache_line &&
           layout.count > 1;
}

std::size_t best_window(const Elements& elements) {
    const Layout& layout = elements.layout;
    if (runs_across(layout, elements.extent)) return rows_at_once(layout);
    for (const Layout* l = &layout; l->kind == Layout::Kind::strided; l = l->child.get())
        if (runs_across(*l->child, l->stride)) return rows_at_once(*l->child);
    return 0;
}

LayoutRef empty_layout() {
    return std::make_shared<Layout>();
}

LayoutRef block_layout(std::ptrdiff_t offset, std::size_t bytes) {
    auto layout = std::make_shared<Layout>();
    if (bytes == 0) return layout;
    layout->kind = Layout::Kind::block;
    layout->bytes = bytes;
    layout->offset = offset;
    layout->pieces = 1;
    return layout;
}

LayoutRef repeated(const LayoutRef& child, std::size_t count, std::ptrdiff_t stride,
                   std::ptrdiff_t offset) {
    if (count == 0 || child->bytes == 0) return empty_layout();
    if (count == 1 && offset == 0) return child;
    if (child->kind == Layout::Kind::block) {
        if (count == 1 || stride == signed_of(child->bytes))
            return block_layout(offset + child->offset, count * child->bytes);
    }
    if (child->kind == Layout::Kind::strided) {
        const Layout& inner = *child;
        if (count == 1)
            return strided(inner.child, inner.count, inner.stride, offset + inner.offset);
        if (stride == signed_of(inner.count) * inner.stride)
            return strided(inner.child, count * inner.count, inner.stride, offset + inner.offset);
    }
    return strided(child, count, stride, offset);
}

void LayoutList::add(const LayoutRef& child, std::size_t count, std::ptrdiff_t stride,
                     std::ptrdiff_t offset) {
    if (count == 0 || child->bytes == 0) return;
    const bool is_block = child->kind == Layout::Kind::block;
    if (is_block && (count == 1 || stride == signed_of(child->bytes))) {
        add_block(offset + child->offset, count * child->bytes);
    } else if (count <= few && child->pieces * count <= few) {
        for (std::size_t i = 0; i < count; ++i)
            flatten(*child, offset + signed_of(i) * stride);
    } else {
        if (last_of_ != child || last_count_ != count || last_stride_ != stride) {
            last_ = repeated(child, count, stride, 0);
            last_of_ = child;
            last_count_ = count;
            last_stride_ = stride;
        }
        pieces_.push_back({offset, last_->bytes, last_});
    }
}

void LayoutList::add_block(std::ptrdiff_t offset, std::size_t bytes) {
    if (!pieces_.empty() && !pieces_.back().child) {
        Piece& last = pieces_.back();
        if (last.offset + signed_of(last.bytes) == offset) {
            last.bytes += bytes;
            return;
        }
    }
    pieces_.push_back({offset, bytes, nullptr});
}

void LayoutList::flatten(const Layout& layout, std::ptrdiff_t offset) {
    switch (layout.kind) {
        case Layout::Kind::empty:
            break;
        case Layout::Kind::block:
            add_block(offset + layout.offset, layout.bytes);
            break;
        case Layout::Kind::strided:
            for (std::size_t i = 0; i < layout.count; ++i)
                flatten(*layout.child, offset + layout.offset + signed_of(i) * layout.stride);
            break;
        case Layout::Kind::same:
            for (const std::ptrdiff_t at : layout.offsets)
                flatten(*layout.child, offset + at);
            break;
        case Layout::Kind::blocks:
            for (std::size_t i = 0; i < layout.offsets.size(); ++i)
                add_block(offset + layout.offsets[i], layout.starts[i + 1] - layout.starts[i]);
            break;
        case Layout::Kind::mixed:
            for (std::size_t i = 0; i < layout.offsets.size(); ++i)
                flatten(*layout.children[i], offset + layout.offsets[i]);
            break;
    }
}

bool LayoutList::all_alike() const {
    return std::all_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
        return piece.child == pieces_[0].child && piece.bytes == pieces_[0].bytes;
    });
}

bool LayoutList::evenly_spaced() const {
    const std::ptrdiff_t stride = pieces_[1].offset - pieces_[0].offset;
    for (std::size_t i = 1; i < pieces_.size(); ++i)
        if (pieces_[i].offset - pieces_[i - 1].offset != stride) return false;
    return true;
}

LayoutRef LayoutList::finish() && {
    if (pieces_.empty()) return empty_layout();
    const auto layout_of = [](const Piece& piece) {
        return piece.child ? piece.child : block_layout(0, piece.bytes);
    };
    const Piece& first = pieces_[0];
    if (pieces_.size() == 1) return repeated(layout_of(first), 1, 0, first.offset);
    const bool alike = all_alike();
    if (alike && evenly_spaced())
        return repeated(layout_of(first), pieces_.size(), pieces_[1].offset - first.offset,
                        first.offset);

    auto layout = std::make_shared<Layout>();
    const bool only_blocks =
        std::none_of(pieces_.begin(), pieces_.end(), [](const Piece& p) { return !!p.child; });
    layout->kind = alike         ? Layout::Kind::same
                   : only_blocks ? Layout::Kind::blocks
                                 : Layout::Kind::mixed;
    layout->count = pieces_.size();
    layout->offsets.reserve(pieces_.size());
    if (alike) layout->child = layout_of(first);
    if (!alike) layout->starts.reserve(pieces_.size() + 1);
    for (const Piece& piece : pieces_) {
        layout->offsets.push_back(piece.offset);
        if (!alike) layout->starts.push_back(layout->bytes);
        if (layout->kind == Layout::Kind::mixed) layout->children.push_back(layout_of(piece));
        layout->bytes += piece.bytes;
        layout->pieces += piece.child ? piece.child->pieces : 1;
        if (piece.child) layout->depth = std::max(layout->depth, piece.child->depth + 1);
    }
    if (!alike) layout->starts.push_back(layout->bytes);
    return layout;
}

}  // namespace railyard::mpi
