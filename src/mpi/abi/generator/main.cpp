// Reads the tables of the interface and writes what follows from them: the prototypes for mpi.h,
// the lists of all functions and of their parameters, and for each chapter its C entry points,
// which that chapter's source file includes at its end.
//
//     mpi_interface_generator interface.txt later.txt OUTPUT_DIRECTORY

#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "later.hpp"
#include "table.hpp"

namespace {

std::string argument(const Function& function, const Parameter& parameter) {
    std::string conversion = conversion_of(parameter);
    if (conversion.empty()) return parameter.name;
    conversion = replaced(conversion, "LARGE", function.twin ? "true" : "false");
    return replaced(replaced(conversion, "NAME", parameter.name), "ON", "*on");
}

/// ", buf, count": as they came.
std::string named(const std::vector<Parameter>& parameters) {
    std::string names;
    for (const Parameter& parameter : parameters)
        names += ", " + parameter.name;
    return names;
}

/// What a kind is in the library, if its error handler hears of failures; else nothing.
std::string scope_type(const Parameter& parameter) {
    if (parameter.kind == "comm") return "Comm*";
    if (parameter.kind == "win") return "Window*";
    return parameter.kind == "session" ? "Session*" : "";
}

/// The first such parameter.
std::optional<std::size_t> scope_of(const Function& function) {
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
        if (!scope_type(function.parameters[i]).empty()) return i;
    return std::nullopt;
}

void write_entry(std::ostream& out, const Function& function) {
    const auto scope = scope_of(function);
    std::string arguments = function.always ? "" : "*state";
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
        arguments += (arguments.empty() ? "" : ", ") +
                     (scope == i ? "*on" : argument(function, function.parameters[i]));
    // Qualified, as a parameter may have the function's name.
    const std::string call = "abi::" + function.implementation + "(" + arguments + ")";
    const std::string name = '"' + c_name(function) + '"';

    out << "extern \"C\" " << declaration(function, Called::profiled) << " {\n";
    if (function.result != "int") {
        out << "    return " << call << ";\n";
    } else {
        if (!function.always)
            out << "    State* const state = State::here();\n"
                << "    if (!state) [[unlikely]] return not_initialised(" << name << ");\n";
        // A call that may be the last sees to this itself: what it needs goes with the state.
        if (!function.always && function.name != "Finalize" && function.name != "Session_finalize")
            out << "    const Call call(state->around, Function::" << function.name
                << named(function.parameters) << ");\n";
        if (scope) out << "    " << scope_type(function.parameters[*scope]) << " on = nullptr;\n";
        out << "    try {\n";
        if (scope)
            out << "        on = &" << argument(function, function.parameters[*scope]) << ";\n";
        out << "        " << call << ";\n        return MPI_SUCCESS;\n    } catch (...) {\n"
            << "        return failed(" << (function.always ? "nullptr" : "state") << ", "
            << (scope ? "on" : "nullptr") << ", " << name << ");\n    }\n";
    }
    out << "}\nextern \"C\" " << declaration(function) << " __attribute__((weak, alias(\""
        << c_name(function, Called::profiled) << "\")));\n\n";
}

void write_prototypes(std::ostream& out, const std::vector<Chapter>& chapters) {
    for (const Chapter& chapter : chapters) {
        out << "\n/* " << chapter.name << " */\n";
        for (const Function& function : chapter.functions)
            out << declaration(function) << ";\n"
                << declaration(function, Called::profiled) << ";\n";
    }
}

void write_functions(std::ostream& out, const std::vector<Chapter>& chapters) {
    for (const Chapter& chapter : chapters)
        for (const Function& function : chapter.functions)
            out << "RAILYARD_MPI_FUNCTION(" << function.name << ", " << c_name(function) << ")\n";
}

/// What an argument is to those who watch calls (mpi/calls/parameters.hpp).
std::string watched_kind(const Parameter& parameter) {
    const auto is = [&](std::string_view type) {
        return parameter.type.find(type) != std::string::npos;
    };
    if (parameter.kind == "anytype") return "type";
    if (parameter.kind == "anytag") return "tag";
    if (parameter.kind == "newtype") return "result";
    if (parameter.kind == "result" || !parameter.array.empty()) {
        const bool one = parameter.kind == "result";
        if (is("MPI_Request")) return one ? "request_at" : "requests";
        if (is("MPI_Comm*")) return "comm_at";
        if (is("MPI_Message")) return "message_at";
        if (one) return "result";
        if (is("MPI_Datatype")) return "types";
        if (parameter.name.ends_with("counts")) return is("MPI_Count") ? "wide_counts" : "counts";
        return "array";
    }
    if (!parameter.kind.empty()) return parameter.kind;
    if (parameter.type == "MPI_Request") return "request";
    if (parameter.type == "MPI_Datatype") return "type";
    if (parameter.type == "MPI_Comm") return "comm";
    if (parameter.name.ends_with("count") && (is("int") || is("MPI_Count"))) return "count";
    return is("*") ? "address" : "number";
}

void write_parameters(std::ostream& out, const std::vector<Chapter>& chapters) {
    for (const Chapter& chapter : chapters) {
        out << "RAILYARD_MPI_CHAPTER(" << chapter.name << ")\n";
        for (const Function& function : chapter.functions) {
            out << "RAILYARD_MPI_SIGNATURE(" << function.name << ", " << chapter.name << ", "
                << function.parameters.size() << ")\n";
            for (const Parameter& parameter : function.parameters)
                out << "RAILYARD_MPI_PARAMETER(" << watched_kind(parameter) << ", "
                    << parameter.name << ")\n";
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: mpi_interface_generator interface.txt later.txt OUTPUT_DIRECTORY\n";
        return 2;
    }
    try {
        const std::filesystem::path directory = argv[3];
        const std::vector<Chapter> chapters = read_table(argv[1]);
        const std::vector<Chapter> later = read_table(argv[2]);
        std::filesystem::create_directories(directory / "entries");
        std::ostringstream prototypes;
        prototypes
            << "/* Made by the build from the tables of the interface. Include mpi.h instead. */\n";
        write_prototypes(prototypes, chapters);
        write_prototypes(prototypes, later);
        write_file(directory / "mpi_prototypes.h", prototypes.str());
        std::ostringstream functions;
        write_functions(functions, chapters);
        write_file(directory / "mpi_functions.inc", functions.str());
        std::ostringstream parameters;
        write_parameters(parameters, chapters);
        write_file(directory / "mpi_parameters.inc", parameters.str());
        for (const Chapter& chapter : chapters) {
            std::ostringstream entries;
            for (const Function& function : chapter.functions)
                write_entry(entries, function);
            write_file(directory / "entries" / (chapter.name + ".inc"), entries.str());
        }
        std::ostringstream absent;
        write_later_entries(absent, later);
        write_file(directory / "entries" / "later.inc", absent.str());
        std::ostringstream calls;
        write_later_calls(calls, later);
        write_file(directory / "mpi_later_calls.inc", calls.str());
    } catch (const std::exception& error) {
        std::cerr << "mpi_interface_generator: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
