// Reads the table of the interface and writes what follows from it: the prototypes for mpi.h, the
// list of all functions, and for each chapter its C entry points, which that chapter's source file
// includes at its end.
//
//     mpi_interface_generator interface.txt OUTPUT_DIRECTORY

#include <cctype>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "table.hpp"

namespace {

/// "Comm_split_type" as "comm_split_type".
std::string implementation_name(const Function& function) {
    std::string name = function.name;
    for (char& c : name)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

std::string argument(const Parameter& parameter, bool is_the_scope) {
    if (is_the_scope) return "*on";
    const std::string conversion = conversion_of(parameter);
    if (conversion.empty()) return parameter.name;
    return replaced(replaced(conversion, "NAME", parameter.name), "ON", "*on");
}

/// ", buf, count": as they came.
std::string named(const std::vector<Parameter>& parameters) {
    std::string names;
    for (const Parameter& parameter : parameters)
        names += ", " + parameter.name;
    return names;
}

/// The first parameter that is a communicator or a window: its error handler hears of failures.
std::optional<std::size_t> scope_of(const Function& function) {
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
        if (function.parameters[i].kind == "comm" || function.parameters[i].kind == "win") return i;
    return std::nullopt;
}

void write_entry(std::ostream& out, const Function& function) {
    const auto scope = scope_of(function);
    std::string arguments = function.always ? "" : "*state";
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
        arguments += (arguments.empty() ? "" : ", ") + argument(function.parameters[i], scope == i);
    // Qualified, as a parameter may have the function's name.
    const std::string call = "abi::" + implementation_name(function) + "(" + arguments + ")";
    const std::string name = "\"MPI_" + function.name + "\"";

    out << "extern \"C\" " << declaration(function, "PMPI_") << " {\n";
    if (function.result != "int") {
        out << "    return " << call << ";\n";
    } else {
        if (!function.always)
            out << "    State* const state = State::here();\n"
                << "    if (!state) [[unlikely]] return not_initialised(" << name << ");\n";
        // The last call sees to this itself: what it needs for that goes with the state.
        if (!function.always && function.name != "Finalize")
            out << "    const Call call(state->around, Function::" << function.name
                << named(function.parameters) << ");\n";
        if (scope)
            out << (function.parameters[*scope].kind == "win" ? "    Window*" : "    Comm*")
                << " on = nullptr;\n";
        out << "    try {\n";
        if (scope) out << "        on = &" << argument(function.parameters[*scope], false) << ";\n";
        out << "        " << call << ";\n        return MPI_SUCCESS;\n    } catch (...) {\n"
            << "        return failed(" << (function.always ? "nullptr" : "state") << ", "
            << (scope ? "on" : "nullptr") << ", " << name << ");\n    }\n";
    }
    out << "}\nextern \"C\" " << declaration(function, "MPI_")
        << " __attribute__((weak, alias(\"PMPI_" << function.name << "\")));\n\n";
}

void write_prototypes(std::ostream& out, const std::vector<Chapter>& chapters) {
    out << "/* Made by the build from the table of the interface. Include mpi.h instead. */\n";
    for (const Chapter& chapter : chapters) {
        out << "\n/* " << chapter.name << " */\n";
        for (const Function& function : chapter.functions)
            out << declaration(function, "MPI_") << ";\n"
                << declaration(function, "PMPI_") << ";\n";
    }
}

void write_functions(std::ostream& out, const std::vector<Chapter>& chapters) {
    for (const Chapter& chapter : chapters)
        for (const Function& function : chapter.functions)
            out << "RAILYARD_MPI_FUNCTION(" << function.name << ")\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: mpi_interface_generator interface.txt OUTPUT_DIRECTORY\n";
        return 2;
    }
    try {
        const std::filesystem::path directory = argv[2];
        const std::vector<Chapter> chapters = read_table(argv[1]);
        std::filesystem::create_directories(directory / "entries");
        std::ostringstream prototypes;
        write_prototypes(prototypes, chapters);
        write_file(directory / "mpi_prototypes.h", prototypes.str());
        std::ostringstream functions;
        write_functions(functions, chapters);
        write_file(directory / "mpi_functions.inc", functions.str());
        for (const Chapter& chapter : chapters) {
            std::ostringstream entries;
            for (const Function& function : chapter.functions)
                write_entry(entries, function);
            write_file(directory / "entries" / (chapter.name + ".inc"), entries.str());
        }
    } catch (const std::exception& error) {
        std::cerr << "mpi_interface_generator: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
