#include "mpi/checking/collective_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/frames.hpp"
#include "mpi/calls/parameters.hpp"
#include "mpi/collectives/inter.hpp"
#include "mpi/communicators/neighbours.hpp"

namespace railyard::mpi::checking {

namespace {

/// As in the ABI: where data are taken from, or put, without being moved.
constexpr Word in_place_word = -1;

/// One buffer of a call, as its arguments have it.
struct Side {
    Word address = 0;
    Word count = 0;
    const void* counts = nullptr;  ///< by rank
    bool wide = false;
    int type = 0;
    const int* types = nullptr;  ///< by rank
    bool is_there = false;

    Word count_of(std::size_t rank) const {
        if (counts == nullptr) return count;
        return wide ? static_cast<const Word*>(counts)[rank]
                    : static_cast<const int*>(counts)[rank];
    }

    CollectiveCall::Data data(std::size_t ranks, Objects& objects) const {
        CollectiveCall::Data found;
        if (!is_there || address == in_place_word) return found;
        const bool is_even = counts == nullptr && types == nullptr;
        for (std::size_t rank = 0; rank < (is_even ? 1 : ranks); ++rank) {
            const TypeRef its = objects.type(types != nullptr ? types[rank] : type);
            // What is wrong the call itself says.
            if (its == nullptr || count_of(rank) < 0) return {};
            const auto n = static_cast<std::size_t>(count_of(rank));
            found.amounts.push_back({n * its->size(), sequence_of(*its, n)});
        }
        return found;
    }
};

/// The buffers of a call: arguments that follow one are its own, and a type closes it.
struct Sides {
    Sides(const MadeCall& call) {
        Side open;
        const auto parameters = calls::parameters(call.function);
        bool opens_send = false;
        bool opens_receive = false;
        for (std::size_t i = 0; i < std::min(parameters.size(), call.count); ++i) {
            const Word word = call.words[i];
            switch (parameters[i].kind) {
                case calls::Kind::in:
                    opens_send = true;
                    send.address = word;
                    break;
                case calls::Kind::out:
                    opens_receive = true;
                    receive.address = word;
                    break;
                case calls::Kind::count:
                    open.count = word;
                    break;
                case calls::Kind::counts:
                case calls::Kind::wide_counts:
                    open.counts = reinterpret_cast<const void*>(word);
                    open.wide = parameters[i].kind == calls::Kind::wide_counts;
                    break;
                case calls::Kind::type:
                case calls::Kind::types:
                    if (parameters[i].kind == calls::Kind::types)
                        open.types = reinterpret_cast<const int*>(word);
                    else
                        open.type = static_cast<int>(word);
                    open.is_there = true;
                    if (opens_send) close(send, open);
                    if (opens_receive) close(receive, open);
                    opens_send = opens_receive = false;
                    open = {};
                    break;
                default:
                    break;
            }
        }
    }

    static void close(Side& side, const Side& open) {
        const Word address = side.address;
        side = open;
        side.address = address;
    }

    Side send;
    Side receive;
};

/// "Bcast" of MPI_Bcast, MPI_Ibcast_c and MPI_Bcast_init.
std::string sort_of(std::string name) {
    name.erase(0, std::string_view("MPI_").size());
    for (const std::string_view end : {"_c", "_init"})
        if (name.ends_with(end)) name.resize(name.size() - end.size());
    if (name.size() > 1 && name[0] == 'I' && name[1] >= 'a' && name[1] <= 'z') {
        name.erase(0, 1);
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
    }
    return name;
}

/// As the call's own rank sees itself.
struct Part {
    bool is_root = false;
    bool takes_part = true;  ///< not: of an inter-communicator, another of its group is the root
};

/// In the order in which several blocks of one rank belong together; nothing of what is beyond an
/// open border.
void divide_among(CollectiveCall::Data& data, const std::vector<int>& ranks, const auto& place) {
    // The same for each. What is wrong otherwise the call itself says.
    if (data.amounts.size() == 1) data.amounts.resize(ranks.size(), data.amounts.front());
    if (data.amounts.size() != ranks.size()) return;
    const std::vector<CollectiveCall::Amount> all = std::exchange(data.amounts, {});
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[place(i)] == Neighbours::nobody) continue;
        data.ranks.push_back(ranks[place(i)]);
        data.amounts.push_back(all[place(i)]);
    }
    data.is_of_neighbours = true;
}

void set_data_of_neighbours(CollectiveCall& made, const Sides& sides, const Comm& comm,
                            Objects& objects) {
    if (!comm.cartesian && !comm.graph && !comm.distributed_graph) return;
    const Neighbours neighbours = neighbours_of(comm);
    made.gives = sides.send.data(neighbours.destinations.size(), objects);
    made.takes = sides.receive.data(neighbours.sources.size(), objects);
    divide_among(made.gives, neighbours.destinations, [](std::size_t i) { return i; });
    divide_among(made.takes, neighbours.sources,
                 [&](std::size_t i) { return neighbours.arrival(i); });
}

void set_data(CollectiveCall& made, const MadeCall& call, const std::string& sort, const Part& part,
              const Comm& comm, Objects& objects) {
    const auto is = [&](std::initializer_list<std::string_view> sorts) {
        return std::ranges::find(sorts, sort) != sorts.end();
    };
    const auto own = static_cast<std::size_t>(comm.size());
    const auto peers = static_cast<std::size_t>(comm.peer_count());
    // Of an inter-communicator, what the root's group gives itself is nothing.
    const bool is_other = !(comm.is_inter() && part.is_root);
    Sides sides(call);
    if (!part.takes_part) return;
    if (is({"Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block", "Reduce_scatter"})) {
        sides.send.address = 0;  // in place or not, all give as much
        made.gives = sides.send.data(own, objects);
        // Each rank gives for each of its group.
        if (sort == "Reduce_scatter_block" && !made.gives.amounts.empty())
            made.gives.amounts.resize(own, made.gives.amounts.front());
        made.must_be_alike = true;
    } else if (sort == "Bcast") {
        (part.is_root ? made.gives : made.takes) = sides.receive.data(peers, objects);
    } else if (is({"Gather", "Gatherv"})) {
        if (is_other) made.gives = sides.send.data(peers, objects);
        if (part.is_root) made.takes = sides.receive.data(peers, objects);
    } else if (is({"Scatter", "Scatterv"})) {
        if (part.is_root) made.gives = sides.send.data(peers, objects);
        if (is_other) made.takes = sides.receive.data(peers, objects);
    } else if (is({"Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw"})) {
        made.gives = sides.send.data(peers, objects);
        made.takes = sides.receive.data(peers, objects);
    } else if (sort.starts_with("Neighbor_")) {
        set_data_of_neighbours(made, sides, comm, objects);
    }
}

void write(FieldWriter& fields, const CollectiveCall::Data& data) {
    fields.number(data.amounts.size());
    for (const auto& [bytes, types] : data.amounts)
        fields.number(bytes)
            .number(types.hash)
            .number(types.basics)
            .number(types.is_untyped ? 1 : 0);
    fields.number(data.is_of_neighbours ? 1 : 0);
    for (const int rank : data.ranks)
        fields.number(static_cast<std::uint64_t>(rank));
}

CollectiveCall::Data read_data(FieldReader& fields) {
    constexpr std::size_t bytes_each = 32;
    CollectiveCall::Data data;
    for (std::size_t n = fields.count(bytes_each); n > 0; --n) {
        CollectiveCall::Amount& amount = data.amounts.emplace_back();
        amount.bytes = fields.number();
        amount.types.hash = fields.number();
        amount.types.basics = fields.number();
        amount.types.is_untyped = fields.number() != 0;
    }
    data.is_of_neighbours = fields.number() != 0;
    if (data.is_of_neighbours)
        for (std::size_t i = 0; i < data.amounts.size(); ++i)
            data.ranks.push_back(static_cast<int>(fields.number()));
    return data;
}

/// Of an inter-communicator: what two ranks say of the root. In its group, one is it and the others
/// are not; the other group names it.
std::string difference_of_roots(int one, std::size_t one_rank, int other, std::size_t other_rank,
                                const Groups& groups) {
    const bool one_names = one >= 0;
    const bool other_names = other >= 0;
    if (groups.are_together(one_rank, other_rank)) {
        if (one_names != other_names)
            return "of one group, one looks for the root in the other group, and one in its own";
        if (one_names && one != other) return "the roots differ";
        if (one == inter::root_here && other == inter::root_here)
            return "both say that they are the root";
        return {};
    }
    if (one_names == other_names)
        return one_names ? "each looks for the root in the other's group"
                         : "each looks for the root in its own group";
    // One names a rank of the other's group.
    if (!one_names) return difference_of_roots(other, other_rank, one, one_rank, groups);
    const bool is_named = static_cast<std::size_t>(one) == groups.rank(other_rank);
    if (is_named != (other == inter::root_here))
        return is_named ? "one names as the root who says MPI_PROC_NULL"
                        : "one says that it is the root, and the other names another";
    return {};
}

std::string difference_of_shares(const CollectiveCall& one, const CollectiveCall& other,
                                 bool are_together) {
    const auto& first = one.gives.amounts;
    const auto& second = other.gives.amounts;
    if (first.empty() || second.empty()) return {};
    const std::string lengths =
        fmt::format("{} bytes and {} bytes", one.gives.bytes(), other.gives.bytes());
    if (one.gives.bytes() != other.gives.bytes()) return lengths;
    // Groups of different sizes share the same data out otherwise.
    if (!are_together && first.size() != second.size()) return {};
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
        if (are_together && first[i].bytes != second[i].bytes)
            return fmt::format("{} bytes and {} bytes for rank {}", first[i].bytes, second[i].bytes,
                               i);
        if (first[i].bytes == second[i].bytes && !go_together(first[i].types, second[i].types))
            return "the types differ";
    }
    return {};
}

std::string difference_of_amounts(const CollectiveCall::Amount& given,
                                  const CollectiveCall::Amount& taken) {
    if (given.bytes != taken.bytes)
        return fmt::format("the first gives the second {} bytes, which takes {}", given.bytes,
                           taken.bytes);
    return given.bytes > 0 && !go_together(given.types, taken.types) ? "the types differ" : "";
}

std::string difference_of_edges(const CollectiveCall::Data& gives, std::size_t to_rank,
                                const CollectiveCall::Data& takes, std::size_t from_rank) {
    const auto with = [](const CollectiveCall::Data& data, std::size_t rank) {
        std::vector<const CollectiveCall::Amount*> found;
        for (std::size_t i = 0; i < data.ranks.size(); ++i)
            if (data.ranks[i] == static_cast<int>(rank)) found.push_back(&data.amounts[i]);
        return found;
    };
    const auto given = with(gives, to_rank);
    const auto taken = with(takes, from_rank);
    if (given.size() != taken.size())
        return fmt::format(
            "the first sends to the second {} times, which receives from it {} times", given.size(),
            taken.size());
    std::string why;
    for (std::size_t i = 0; i < given.size() && why.empty(); ++i)
        why = difference_of_amounts(*given[i], *taken[i]);
    return why;
}

}  // namespace

const CollectiveCall::Amount* CollectiveCall::Data::with(std::size_t rank) const {
    static constexpr Amount nothing;
    if (amounts.empty()) return nullptr;
    return amounts.size() == 1     ? &amounts.front()
           : rank < amounts.size() ? &amounts[rank]
                                   : &nothing;
}

std::uint64_t CollectiveCall::Data::bytes() const {
    std::uint64_t all = 0;
    for (const Amount& amount : amounts)
        all += amount.bytes;
    return all;
}

CollectiveCall CollectiveCall::of(const MadeCall& call, const Comm& comm, std::uint64_t number,
                                  Objects& objects) {
    CollectiveCall made;
    made.number = number;
    made.function = calls::name(call.function);
    if (made.function.ends_with("_c")) made.function.resize(made.function.size() - 2);
    made.text = text_of(call, objects);
    Part part;
    const auto parameters = calls::parameters(call.function);
    for (std::size_t i = 0; i < std::min(parameters.size(), call.count); ++i) {
        const int value = static_cast<int>(call.words[i]);
        if (parameters[i].kind == calls::Kind::root) {
            made.root = value;
            part.is_root = value == (comm.is_inter() ? inter::root_here : comm.rank());
            part.takes_part = !comm.is_inter() || value != inter::no_root;
        } else if (parameters[i].kind == calls::Kind::op) {
            made.op = objects.op_name(value);
        }
    }
    if (!part.takes_part) made.op.clear();
    set_data(made, call, sort_of(made.function), part, comm, objects);
    return made;
}

std::string CollectiveCall::encoded() const {
    FieldWriter fields;
    fields.number(number).text(function).number(root ? 1 : 0);
    fields.number(static_cast<std::uint32_t>(root.value_or(0))).text(op);
    fields.number(must_be_alike ? 1 : 0);
    write(fields, gives);
    write(fields, takes);
    return fields.text(text).take();
}

std::optional<CollectiveCall> CollectiveCall::decoded(std::string_view text) {
    FieldReader fields(text);
    CollectiveCall call;
    call.number = fields.number();
    call.function = fields.text();
    const bool has_root = fields.number() != 0;
    const auto root = static_cast<std::int32_t>(fields.small_number());
    if (has_root) call.root = root;
    call.op = fields.text();
    call.must_be_alike = fields.number() != 0;
    call.gives = read_data(fields);
    call.takes = read_data(fields);
    call.text = fields.text();
    if (!fields.complete()) return std::nullopt;
    return call;
}

std::string difference(const CollectiveCall& one, std::size_t one_rank, const CollectiveCall& other,
                       std::size_t other_rank, const Groups& groups) {
    if (one.function != other.function) return "the functions differ";
    if (one.root && other.root && groups.is_inter()) {
        std::string why = difference_of_roots(*one.root, one_rank, *other.root, other_rank, groups);
        if (!why.empty()) return why;
    } else if (one.root != other.root) {
        return "the roots differ";
    }
    if (one.op != other.op && !one.op.empty() && !other.op.empty()) return "the operations differ";
    if (!one.must_be_alike || !other.must_be_alike) return {};
    return difference_of_shares(one, other,
                                !groups.is_inter() || groups.are_together(one_rank, other_rank));
}

std::string difference_of_data(const CollectiveCall& from, std::size_t from_rank,
                               const CollectiveCall& to, std::size_t to_rank) {
    if (from.gives.is_of_neighbours && to.takes.is_of_neighbours)
        return difference_of_edges(from.gives, to_rank, to.takes, from_rank);
    const CollectiveCall::Amount* const given = from.gives.with(to_rank);
    const CollectiveCall::Amount* const taken = to.takes.with(from_rank);
    if (given == nullptr || taken == nullptr) return {};
    return difference_of_amounts(*given, *taken);
}

}  // namespace railyard::mpi::checking
