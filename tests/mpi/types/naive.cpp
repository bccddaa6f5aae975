#include "naive.hpp"

#include <algorithm>
#include <functional>

namespace railyard::mpi {

Naive::Naive(Basic basic) {
    const BasicTraits& t = traits(basic);
    if (basic == Basic::lb) lower_marks_ = {0};
    if (basic == Basic::ub) upper_marks_ = {0};
    if (t.size() == 0) return;
    map_.push_back({basic, t.first, 0});
    if (t.second != 0)
        map_.push_back({basic, t.second, static_cast<std::ptrdiff_t>(t.second_at), true});
    natural_ = {0, static_cast<std::ptrdiff_t>(t.extent)};
    alignment_ = t.alignment;
}

void Naive::put(const Naive& old, std::ptrdiff_t at) {
    for (const Entry& e : old.map_)
        map_.push_back({e.basic, e.size, e.at + at, e.second});
    for (const std::ptrdiff_t end : old.natural_)
        natural_.push_back(end + at);
    for (const std::ptrdiff_t mark : old.lower_marks_)
        lower_marks_.push_back(mark + at);
    for (const std::ptrdiff_t mark : old.upper_marks_)
        upper_marks_.push_back(mark + at);
    alignment_ = std::max(alignment_, old.alignment_);
    // Only the outermost matter; without this, ends would be more than entries.
    for (auto* ends : {&natural_, &lower_marks_, &upper_marks_})
        if (ends->size() > 2) {
            const auto [low, high] = std::minmax_element(ends->begin(), ends->end());
            *ends = {*low, *high};
        }
}

void Naive::put(const Naive& old, std::size_t times, std::ptrdiff_t at) {
    for (std::size_t i = 0; i < times; ++i)
        put(old, at + static_cast<std::ptrdiff_t>(i) * old.extent());
}

void Naive::pad() {
    if (!upper_marks_.empty() || natural_.empty()) return;
    while ((upper() - lower()) % static_cast<std::ptrdiff_t>(alignment_) != 0 && upper() > lower())
        natural_.push_back(upper() + 1);
}

void Naive::set_bounds(std::ptrdiff_t lower, std::ptrdiff_t upper) {
    lower_marks_ = {lower};
    upper_marks_ = {upper};
}

std::size_t Naive::size() const {
    std::size_t sum = 0;
    for (const Entry& e : map_)
        sum += e.size;
    return sum;
}

std::ptrdiff_t Naive::lower() const {
    const auto& from = lower_marks_.empty() ? natural_ : lower_marks_;
    return from.empty() ? 0 : *std::min_element(from.begin(), from.end());
}

std::ptrdiff_t Naive::upper() const {
    const auto& from = upper_marks_.empty() ? natural_ : upper_marks_;
    return from.empty() ? 0 : *std::max_element(from.begin(), from.end());
}

std::ptrdiff_t Naive::true_lower() const {
    std::optional<std::ptrdiff_t> low;
    for (const Entry& e : map_)
        low = low ? std::min(*low, e.at) : e.at;
    return low.value_or(0);
}

std::ptrdiff_t Naive::true_upper() const {
    std::optional<std::ptrdiff_t> high;
    for (const Entry& e : map_) {
        const std::ptrdiff_t end = e.at + static_cast<std::ptrdiff_t>(e.size);
        high = high ? std::max(*high, end) : end;
    }
    return high.value_or(0);
}

Basic Naive::uniform() const {
    for (const Entry& e : map_)
        if (e.basic != map_[0].basic) return Basic::none;
    return map_.empty() ? Basic::none : map_[0].basic;
}

std::vector<std::ptrdiff_t> Naive::stream(std::size_t count) const {
    std::vector<std::ptrdiff_t> places;
    for (std::size_t i = 0; i < count; ++i)
        for (const Entry& e : map_)
            for (std::size_t byte = 0; byte < e.size; ++byte)
                places.push_back(static_cast<std::ptrdiff_t>(i) * extent() + e.at +
                                 static_cast<std::ptrdiff_t>(byte));
    return places;
}

std::size_t Naive::basics_in(std::size_t bytes) const {
    if (map_.empty()) return 0;
    std::size_t found = 0;
    for (std::size_t i = 0;; i = (i + 1) % map_.size(), ++found) {
        if (bytes < map_[i].size) return found;
        bytes -= map_[i].size;
    }
}

Naive naive_vector(std::size_t count, std::size_t length, std::ptrdiff_t stride_bytes,
                   const Naive& old) {
    Naive result;
    for (std::size_t i = 0; i < count; ++i)
        result.put(old, length, static_cast<std::ptrdiff_t>(i) * stride_bytes);
    return result;
}

Naive naive_indexed(Counts lengths, Displacements displacements, const Naive& old) {
    Naive result;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        result.put(old, lengths[i], displacements[i]);
    return result;
}

Naive naive_struct(Counts lengths, Displacements displacements, const std::vector<Naive>& types) {
    Naive result;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        result.put(types[i], lengths[i], displacements[i]);
    result.pad();
    return result;
}

Naive naive_resized(const Naive& old, std::ptrdiff_t lower, std::ptrdiff_t extent) {
    Naive result = old;
    result.set_bounds(lower, lower + extent);
    return result;
}

namespace {

/// All elements of an array for which `mine` is true in each dimension, in the array's order.
Naive chosen(const std::vector<std::size_t>& sizes, Order order, const Naive& old,
             const std::function<bool(std::size_t dimension, std::size_t index)>& mine) {
    std::size_t all = 1;
    for (const std::size_t size : sizes)
        all *= size;
    Naive result;
    for (std::size_t place = 0; place < all; ++place) {
        bool in = true;
        std::size_t rest = place;
        for (std::size_t step = 0; step < sizes.size(); ++step) {
            const std::size_t d = order == Order::c ? sizes.size() - 1 - step : step;
            in = in && mine(d, rest % sizes[d]);
            rest /= sizes[d];
        }
        if (in) result.put(old, static_cast<std::ptrdiff_t>(place) * old.extent());
    }
    result.set_bounds(0, static_cast<std::ptrdiff_t>(all) * old.extent());
    return result;
}

}  // namespace

Naive naive_subarray(Counts sizes, Counts subsizes, Counts starts, Order order, const Naive& old) {
    return chosen({sizes.begin(), sizes.end()}, order, old, [&](std::size_t d, std::size_t index) {
        return index >= starts[d] && index < starts[d] + subsizes[d];
    });
}

Naive naive_darray(std::size_t rank, std::span<const DistributedDimension> dimensions, Order order,
                   const Naive& old) {
    std::vector<std::size_t> sizes;
    for (const auto& d : dimensions)
        sizes.push_back(d.size);
    const auto place_of = [&](std::size_t d) {
        std::size_t slower = 1;
        for (std::size_t i = d + 1; i < dimensions.size(); ++i)
            slower *= dimensions[i].processes;
        return rank / slower % dimensions[d].processes;
    };
    return chosen(sizes, order, old, [&](std::size_t i, std::size_t index) {
        const DistributedDimension& d = dimensions[i];
        const bool by_default = d.argument == default_distribution_argument;
        std::size_t block = by_default ? 1 : static_cast<std::size_t>(d.argument);
        if (d.distribution == Distribution::none) return true;
        if (d.distribution == Distribution::block && by_default)
            block = (d.size + d.processes - 1) / d.processes;
        return index / block % d.processes == place_of(i);
    });
}

}  // namespace railyard::mpi
