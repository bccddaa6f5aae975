#include "mpi/checking/collective_call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/frames.hpp"
#include "mpi/calls/parameters.hpp"
#include "mpi/checking/findings.hpp"

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
        const auto add = [&](std::size_t rank) {
            const TypeRef its = objects.type(types != nullptr ? types[rank] : type);
            if (its == nullptr) return;
            if (types == nullptr) found.basic = its->uniform_basic();
            found.bytes.push_back(static_cast<std::uint64_t>(std::max<Word>(count_of(rank), 0)) *
                                  its->size());
        };
        if (counts == nullptr && types == nullptr)
            add(0);
        else
            for (std::size_t rank = 0; rank < ranks; ++rank)
                add(rank);
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

void set_data(CollectiveCall& made, const MadeCall& call, const std::string& sort, bool is_root,
              std::size_t ranks, Objects& objects) {
    const auto is = [&](std::initializer_list<std::string_view> sorts) {
        return std::ranges::find(sorts, sort) != sorts.end();
    };
    const Sides sides(call);
    if (is({"Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block"})) {
        Side all = sides.send;
        all.address = 0;  // in place or not, all give as much
        made.gives = all.data(ranks, objects);
        made.must_be_alike = true;
    } else if (sort == "Bcast") {
        (is_root ? made.gives : made.takes) = sides.receive.data(ranks, objects);
    } else if (is({"Gather", "Gatherv"})) {
        made.gives = sides.send.data(ranks, objects);
        if (is_root) made.takes = sides.receive.data(ranks, objects);
    } else if (is({"Scatter", "Scatterv"})) {
        if (is_root) made.gives = sides.send.data(ranks, objects);
        made.takes = sides.receive.data(ranks, objects);
    } else if (is({"Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw"})) {
        made.gives = sides.send.data(ranks, objects);
        made.takes = sides.receive.data(ranks, objects);
    }
}

void write(FieldWriter& fields, const CollectiveCall::Data& data) {
    fields.number(static_cast<std::uint64_t>(data.basic)).number(data.bytes.size());
    for (const std::uint64_t bytes : data.bytes)
        fields.number(bytes);
}

CollectiveCall::Data read_data(FieldReader& fields) {
    CollectiveCall::Data data;
    const std::uint64_t basic = fields.number();
    if (basic < basic_kinds) data.basic = static_cast<Basic>(basic);
    for (std::size_t n = fields.count(8); n > 0; --n)
        data.bytes.push_back(fields.number());
    return data;
}

}  // namespace

std::optional<std::uint64_t> CollectiveCall::Data::with(std::size_t rank) const {
    if (bytes.empty()) return std::nullopt;
    return bytes.size() == 1 ? bytes.front() : rank < bytes.size() ? bytes[rank] : 0;
}

CollectiveCall CollectiveCall::of(const MadeCall& call, const Communicator& comm,
                                  std::uint64_t number, Objects& objects) {
    CollectiveCall made;
    made.number = number;
    made.function = calls::name(call.function);
    if (made.function.ends_with("_c")) made.function.resize(made.function.size() - 2);
    made.text = text_of(call, objects);
    bool is_root = false;
    const auto parameters = calls::parameters(call.function);
    for (std::size_t i = 0; i < std::min(parameters.size(), call.count); ++i) {
        const int value = static_cast<int>(call.words[i]);
        if (parameters[i].kind == calls::Kind::root) {
            made.root = std::to_string(value);
            is_root = value == comm.rank();
        } else if (parameters[i].kind == calls::Kind::op) {
            made.op = objects.op_name(value);
        }
    }
    set_data(made, call, sort_of(made.function), is_root, static_cast<std::size_t>(comm.size()),
             objects);
    return made;
}

std::string CollectiveCall::encoded() const {
    FieldWriter fields;
    fields.number(number).text(function).text(root).text(op).number(must_be_alike ? 1 : 0);
    write(fields, gives);
    write(fields, takes);
    return fields.text(text).take();
}

std::optional<CollectiveCall> CollectiveCall::decoded(std::string_view text) {
    FieldReader fields(text);
    CollectiveCall call;
    call.number = fields.number();
    call.function = fields.text();
    call.root = fields.text();
    call.op = fields.text();
    call.must_be_alike = fields.number() != 0;
    call.gives = read_data(fields);
    call.takes = read_data(fields);
    call.text = fields.text();
    if (!fields.complete()) return std::nullopt;
    return call;
}

std::string difference(const CollectiveCall& one, const CollectiveCall& other) {
    if (one.function != other.function) return "the functions differ";
    if (one.root != other.root) return "the roots differ";
    if (one.op != other.op) return "the operations differ";
    if (!one.must_be_alike) return {};
    if (!go_together(one.gives.basic, other.gives.basic)) return "the types differ";
    if (one.gives.with(0) && other.gives.with(0) && one.gives.with(0) != other.gives.with(0))
        return fmt::format("{} bytes and {} bytes", *one.gives.with(0), *other.gives.with(0));
    return {};
}

std::string difference(const CollectiveCall& from, std::size_t from_rank, const CollectiveCall& to,
                       std::size_t to_rank) {
    const auto given = from.gives.with(to_rank);
    const auto taken = to.takes.with(from_rank);
    if (!given || !taken) return {};
    if (*given != *taken)
        return fmt::format("the first gives the second {} bytes, which takes {}", *given, *taken);
    if (*given > 0 && !go_together(from.gives.basic, to.takes.basic)) return "the types differ";
    return {};
}

}  // namespace railyard::mpi::checking
