#include "random_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "mpi/types/layout.hpp"

namespace railyard::mpi {

namespace {

/// Entries of the type map beyond which a tree no longer grows much.
constexpr std::size_t many_entries = 200;

}  // namespace

std::ptrdiff_t RandomTypes::number(std::ptrdiff_t low, std::ptrdiff_t high) {
    const auto choices = static_cast<std::uint64_t>(high - low + 1);
    return low + static_cast<std::ptrdiff_t>(random_() % choices);
}

std::size_t RandomTypes::count(std::size_t low, std::size_t high) {
    return static_cast<std::size_t>(number(signed_of(low), signed_of(high)));
}

std::size_t RandomTypes::some(std::size_t most) {
    return number(0, 15) == 0 ? 0 : count(1, most);
}

Twin RandomTypes::make_basic() {
    const auto basic = static_cast<Basic>(number(1, basic_kinds - 1));
    return {predefined(basic), Naive(basic), std::string(traits(basic).name)};
}

Twin RandomTypes::make(int depth) {
    if (depth == 0) return make_basic();
    const Twin old = make(depth - 1);
    const std::size_t most = old.naive.map().size() > many_entries ? 1 : 4;
    switch (number(0, 11)) {
        case 0: {
            const std::size_t n = some(most + 2);
            return {contiguous(n, old.type), naive_vector(1, n, 0, old.naive),
                    fmt::format("contiguous({}, {})", n, old.made)};
        }
        case 1:
            return make_vector(old, most, false);
        case 2:
            return make_vector(old, most, true);
        case 3:
            return make_indexed(old, most, false);
        case 4:
            return make_indexed(old, most, true);
        case 5:
            return make_indexed_block(old, most, false);
        case 6:
            return make_indexed_block(old, most, true);
        case 7:
            return make_resized(old);
        case 8:
            return {dup(old.type), old.naive, fmt::format("dup({})", old.made)};
        case 9:
            return make_subarray(old, most);
        case 10:
            return make_darray(old, most);
        default:
            return make_struct(depth, old, most);
    }
}

Twin RandomTypes::make_vector(const Twin& old, std::size_t most, bool in_bytes) {
    const std::size_t n = some(most);
    const std::size_t length = some(most);
    const std::ptrdiff_t stride = in_bytes ? number(-100, 100) : number(-6, 6);
    return {
        in_bytes ? hvector(n, length, stride, old.type) : vector(n, length, stride, old.type),
        naive_vector(n, length, in_bytes ? stride : stride * old.naive.extent(), old.naive),
        fmt::format("{}vector({}, {}, {}, {})", in_bytes ? "h" : "", n, length, stride, old.made)};
}

Twin RandomTypes::make_indexed(const Twin& old, std::size_t most, bool in_bytes) {
    std::vector<std::size_t> lengths(some(most));
    std::vector<std::ptrdiff_t> places(lengths.size());
    for (std::size_t& length : lengths)
        length = some(most);
    for (std::ptrdiff_t& place : places)
        place = in_bytes ? number(-150, 150) : number(-8, 8);
    std::vector<std::ptrdiff_t> bytes = places;
    if (!in_bytes)
        for (std::ptrdiff_t& place : bytes)
            place *= old.naive.extent();
    return {in_bytes ? hindexed(lengths, places, old.type) : indexed(lengths, places, old.type),
            naive_indexed(lengths, bytes, old.naive),
            fmt::format("{}indexed({}, {}, {})", in_bytes ? "h" : "", lengths, places, old.made)};
}

Twin RandomTypes::make_indexed_block(const Twin& old, std::size_t most, bool in_bytes) {
    std::vector<std::ptrdiff_t> places(some(most + 2));
    const std::size_t length = some(most);
    for (std::ptrdiff_t& place : places)
        place = in_bytes ? number(-150, 150) : number(-8, 8);
    std::vector<std::ptrdiff_t> bytes = places;
    if (!in_bytes)
        for (std::ptrdiff_t& place : bytes)
            place *= old.naive.extent();
    const std::vector<std::size_t> lengths(places.size(), length);
    return {
        in_bytes ? hindexed_block(length, places, old.type)
                 : indexed_block(length, places, old.type),
        naive_indexed(lengths, bytes, old.naive),
        fmt::format("{}indexed_block({}, {}, {})", in_bytes ? "h" : "", length, places, old.made)};
}

Twin RandomTypes::make_struct(int depth, const Twin& first, std::size_t most) {
    std::vector<Twin> members{first};
    const std::size_t others = count(0, most);
    for (std::size_t i = 0; i < others; ++i)
        members.push_back(make(static_cast<int>(number(0, depth > 2 ? 1 : depth - 1))));
    std::vector<std::size_t> lengths;
    std::vector<std::ptrdiff_t> places;
    std::vector<TypeRef> types;
    std::vector<Naive> naives;
    std::string made = "struct(";
    for (const Twin& member : members) {
        lengths.push_back(some(most > 2 ? 2 : 1));
        places.push_back(number(-200, 200));
        types.push_back(member.type);
        naives.push_back(member.naive);
        made += fmt::format("{} at {} of {}, ", lengths.back(), places.back(), member.made);
    }
    return {create_struct(lengths, places, types), naive_struct(lengths, places, naives),
            made + ")"};
}

Twin RandomTypes::make_resized(const Twin& old) {
    const std::ptrdiff_t lower = number(-40, 40);
    const std::ptrdiff_t extent = number(0, 3) == 0 ? number(-60, 200) : number(0, 300);
    return {resized(old.type, lower, extent), naive_resized(old.naive, lower, extent),
            fmt::format("resized({}, {}, {})", old.made, lower, extent)};
}

Twin RandomTypes::make_subarray(const Twin& old, std::size_t most) {
    std::vector<std::size_t> sizes(count(1, 3));
    std::vector<std::size_t> subsizes(sizes.size());
    std::vector<std::size_t> starts(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        sizes[i] = count(1, most + 1);
        subsizes[i] = count(1, sizes[i]);
        starts[i] = count(0, sizes[i] - subsizes[i]);
    }
    const Order order = number(0, 1) == 0 ? Order::c : Order::fortran;
    return {subarray(sizes, subsizes, starts, order, old.type),
            naive_subarray(sizes, subsizes, starts, order, old.naive),
            fmt::format("subarray({}, {}, {}, {}, {})", sizes, subsizes, starts,
                        static_cast<int>(order), old.made)};
}

Twin RandomTypes::make_darray(const Twin& old, std::size_t most) {
    std::vector<DistributedDimension> dimensions(count(1, 3));
    std::size_t processes = 1;
    std::string made;
    for (DistributedDimension& d : dimensions) {
        d.size = count(1, most * 2);
        d.processes = count(1, 3);
        d.distribution = number(0, 1) == 0 ? Distribution::block : Distribution::cyclic;
        if (number(0, 4) == 0) {
            d.distribution = Distribution::none;
            d.processes = 1;
        }
        const std::size_t least =
            d.distribution == Distribution::block ? (d.size + d.processes - 1) / d.processes : 1;
        if (number(0, 1) == 0) d.argument = signed_of(least) + number(0, 2);
        processes *= d.processes;
        made += fmt::format("[{} over {} as {} {}]", d.size, d.processes,
                            static_cast<int>(d.distribution), d.argument);
    }
    const std::size_t rank = count(0, processes - 1);
    const Order order = number(0, 1) == 0 ? Order::c : Order::fortran;
    return {darray(processes, rank, dimensions, order, old.type),
            naive_darray(rank, dimensions, order, old.naive),
            fmt::format("darray({} of {}, {}, {}, {})", rank, processes, made,
                        static_cast<int>(order), old.made)};
}

}  // namespace railyard::mpi
