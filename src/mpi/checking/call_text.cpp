#include "mpi/checking/call_text.hpp"

#include <fmt/format.h>

#include "mpi/calls/parameters.hpp"
#include "mpi/collectives/inter.hpp"
#include "mpi/engine/request.hpp"

namespace railyard::mpi::checking {

namespace {

/// A rank as it was given, of the communicator.
std::string rank_text(std::string_view name, int rank) {
    if (rank == any_source) return fmt::format("{} any", name);
    if (rank == no_rank) return fmt::format("{} none", name);
    return fmt::format("{} {}", name, rank);
}

/// Empty: nothing that people want to hear.
std::string argument_text(const calls::Parameter& parameter, Word word, Objects& objects) {
    using calls::Kind;
    const int number = static_cast<int>(word);
    switch (parameter.kind) {
        case Kind::comm:
            return objects.comm_name(number);
        case Kind::win:
            return objects.window_name(number);
        case Kind::type:
            return objects.type_name(number);
        case Kind::op:
            return objects.op_name(number);
        case Kind::count:
            return fmt::format("{} {}", parameter.name, word);
        case Kind::number:
            return fmt::format("{} {}", parameter.name, number);
        case Kind::root:
            if (number == inter::root_here) return "root MPI_ROOT";
            if (number == inter::no_root) return "root MPI_PROC_NULL";
            return rank_text(parameter.name, number);
        case Kind::dest:
        case Kind::source:
        case Kind::target:
            return rank_text(parameter.name, number);
        case Kind::tag:
            return number == any_tag ? std::string("any tag")
                                     : fmt::format("{} {}", parameter.name, number);
        default:
            return {};
    }
}

}  // namespace

std::string text_of(const MadeCall& call, Objects& objects) {
    const auto parameters = calls::parameters(call.function);
    std::string text(calls::name(call.function));
    text += '(';
    bool is_first = true;
    for (std::size_t i = 0; i < std::min(parameters.size(), call.count); ++i) {
        const std::string argument = argument_text(parameters[i], call.words[i], objects);
        if (argument.empty()) continue;
        if (!is_first) text += ", ";
        is_first = false;
        text += argument;
    }
    return text + ')';
}

}  // namespace railyard::mpi::checking
