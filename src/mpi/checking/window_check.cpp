#include "mpi/checking/window_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mpi/calls/parameters.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/types/type_sequence.hpp"

namespace railyard::mpi::checking {

namespace {

/// One of a call's counts and types. A null type: none, or a wrong one.
struct Elements {
    std::size_t count = 0;
    TypeRef type;
};

struct Operands {
    Operands(const MadeCall& call, Objects& objects) {
        const auto parameters = calls::parameters(call.function);
        Word count = 1;  // MPI_Fetch_and_op has none
        for (std::size_t i = 0; i < std::min(parameters.size(), call.count); ++i) {
            const Word word = call.words[i];
            const int number = static_cast<int>(word);
            if (parameters[i].kind == calls::Kind::out)
                writes = true;
            else if (parameters[i].kind == calls::Kind::count)
                count = std::max<Word>(word, 0);
            else if (parameters[i].kind == calls::Kind::type)
                all.push_back({static_cast<std::size_t>(count), objects.type(number)});
            else if (parameters[i].kind == calls::Kind::target)
                target = number;
            else if (parameters[i].kind == calls::Kind::op)
                op = objects.op_name(number);
        }
    }

    std::vector<Elements> all;  ///< the target's last
    int target = no_rank;
    std::string op;
    bool writes = false;  ///< to the origin
};

/// Of the shorter, if one has room for more: of lengths the operation itself says what is wrong.
bool may_become(const Elements& from, const Elements& to) {
    if (from.type == nullptr || to.type == nullptr) return true;
    const TypeSequence room = sequence_of(*to.type, to.count);
    return room.is_untyped ||
           go_together(beginning_of(*from.type, from.count, room.basics), *to.type, to.count);
}

}  // namespace

std::string difference_in_window(const MadeCall& call, Objects& objects) {
    if (calls::chapter(call.function) != calls::Chapter::one_sided) return {};
    const Operands operands(call, objects);
    // Fetch-and-op and compare-and-swap have one type for all.
    if (operands.target < 0 || operands.all.size() < 2) return {};
    const Elements& origin = operands.all.front();
    const Elements& target = operands.all.back();
    const bool has_result = operands.all.size() > 2;
    const auto told = [&](const char* from, const char* to) {
        return fmt::format(
            "types do not match: rank {} called {}: the types of {} are not those of {}",
            objects.process().world_rank(), text_of(call, objects), from, to);
    };
    if (operands.writes && !may_become(target, has_result ? operands.all[1] : origin))
        return told("the target", has_result ? "the result" : "the origin");
    const bool is_read = has_result ? operands.op != "MPI_NO_OP" : !operands.writes;
    if (is_read && !may_become(origin, target)) return told("the origin", "the target");
    return {};
}

}  // namespace railyard::mpi::checking
