// Reads the table of the interface and writes what follows from it: the prototypes for mpi.h, the
// list of all functions, and for each chapter its C entry points, which that chapter's source file
// includes at its end.
//
//     mpi_interface_generator interface.txt OUTPUT_DIRECTORY

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Parameter {
    std::string kind;   ///< a word of the table's list of kinds; empty for a plain C type
    std::string type;   ///< the C type
    std::string name;   ///< without brackets
    std::string array;  ///< "[]", "[][3]" or nothing
};

struct Function {
    std::string name;            ///< "Send"
    std::string result = "int";  ///< what it returns
    bool always = false;         ///< may be called before MPI_Init and after MPI_Finalize
    bool varied = false;         ///< C's "..." follows the parameters
    std::vector<Parameter> parameters;
};

struct Chapter {
    std::string name;
    std::vector<Function> functions;
};

/// What a kind is in C, and how it becomes what an implementation takes. NAME is the parameter, ON
/// the communicator of the call.
struct Kind {
    std::string type;
    std::string conversion;
};

const std::map<std::string, Kind>& kinds() {
    static const std::map<std::string, Kind> all = {
        {"comm", {"MPI_Comm", "state->comm(NAME, \"NAME\")"}},
        {"group", {"MPI_Group", "state->group(NAME, \"NAME\")"}},
        {"type", {"MPI_Datatype", "state->committed(NAME, \"NAME\")"}},
        {"anytype", {"MPI_Datatype", "state->type(NAME, \"NAME\")"}},
        {"op", {"MPI_Op", "state->op(NAME, \"NAME\")"}},
        {"info", {"MPI_Info", "state->info(NAME, \"NAME\")"}},
        {"errhandler", {"MPI_Errhandler", "state->error_handler(NAME, \"NAME\")"}},
        {"count", {"int", "to_count(NAME, \"NAME\")"}},
        {"dest", {"int", "to_dest(NAME, ON, \"NAME\")"}},
        {"source", {"int", "to_source(NAME, ON, \"NAME\")"}},
        {"root", {"int", "to_root(NAME, ON, \"NAME\")"}},
        {"tag", {"int", "to_tag(NAME, \"NAME\")"}},
        {"anytag", {"int", "to_any_tag(NAME, \"NAME\")"}},
        {"in", {"const void*", "NAME"}},
        {"out", {"void*", "NAME"}},
        {"status", {"MPI_Status*", "NAME"}},
    };
    return all;
}

std::string trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    return std::string(text);
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

/// "Comm_split_type" as "comm_split_type".
std::string implementation_name(const Function& function) {
    std::string name = function.name;
    for (char& c : name)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

Parameter parse_parameter(std::string text) {
    Parameter parameter;
    if (const auto bracket = text.find('['); bracket != std::string::npos) {
        parameter.array = text.substr(bracket);
        text.resize(bracket);
    }
    const auto space = text.find_last_of(" *");
    if (space == std::string::npos) throw std::runtime_error("'" + text + "': a kind and a name");
    parameter.name = text.substr(space + 1);
    parameter.type = trimmed(text.substr(0, space + 1));
    if (const auto kind = kinds().find(parameter.type); kind != kinds().end()) {
        parameter.kind = kind->first;
        parameter.type = kind->second.type;
    } else if (parameter.type.starts_with("result ")) {
        parameter.kind = "result";
        parameter.type = trimmed(parameter.type.substr(7)) + "*";
    }
    return parameter;
}

Function parse_function(const std::string& line) {
    Function function;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        if (word == "always") {
            function.always = true;
        } else if (word == "double" || word.starts_with("MPI_")) {
            function.result = word;
        } else {
            function.name = word;
            break;
        }
    }
    std::string rest;
    std::getline(words, rest);
    std::istringstream parameters(rest);
    for (std::string parameter; std::getline(parameters, parameter, ',');) {
        parameter = trimmed(parameter);
        if (parameter == "...")
            function.varied = true;
        else if (!parameter.empty())
            function.parameters.push_back(parse_parameter(parameter));
    }
    return function;
}

std::vector<Chapter> read_table(const std::filesystem::path& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error(path.string() + ": cannot be read");
    std::vector<Chapter> chapters;
    std::string pending;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        line = trimmed(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        if (line.front() == '[') {
            chapters.push_back({line.substr(1, line.size() - 2), {}});
            continue;
        }
        // A comma at the end: the list goes on in the next line.
        pending += (pending.empty() ? "" : " ") + line;
        if (line.back() == ',') continue;
        try {
            chapters.at(chapters.size() - 1).functions.push_back(parse_function(pending));
        } catch (const std::exception& error) {
            throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " +
                                     error.what());
        }
        pending.clear();
    }
    return chapters;
}

std::string declaration(const Function& function, std::string_view prefix) {
    std::string text = function.result + " " + std::string(prefix) + function.name + "(";
    std::string separator;
    for (const Parameter& parameter : function.parameters) {
        text += separator + parameter.type + " " + parameter.name + parameter.array;
        separator = ", ";
    }
    if (function.varied) text += separator + "...";
    if (text.back() == '(') text += "void";
    return text + ")";
}

std::string argument(const Parameter& parameter, bool is_the_communicator) {
    if (is_the_communicator) return "*on";
    std::string text = parameter.name;
    if (parameter.kind == "result")
        text = "to_result(NAME, \"NAME\")";
    else if (!parameter.kind.empty())
        text = kinds().at(parameter.kind).conversion;
    return replaced(replaced(text, "NAME", parameter.name), "ON", "*on");
}

/// The first parameter that is a communicator: its error handler hears of failures.
std::optional<std::size_t> communicator_of(const Function& function) {
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
        if (function.parameters[i].kind == "comm") return i;
    return std::nullopt;
}

void write_entry(std::ostream& out, const Function& function) {
    const auto communicator = communicator_of(function);
    std::string arguments = function.always ? "" : "*state";
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
        arguments +=
            (arguments.empty() ? "" : ", ") + argument(function.parameters[i], communicator == i);
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
            out << "    const Call call(state->around, Function::" << function.name << ");\n";
        if (communicator) out << "    Comm* on = nullptr;\n";
        out << "    try {\n";
        if (communicator)
            out << "        on = &" << argument(function.parameters[*communicator], false) << ";\n";
        out << "        " << call << ";\n        return MPI_SUCCESS;\n    } catch (...) {\n"
            << "        return failed(" << (function.always ? "nullptr" : "state") << ", "
            << (communicator ? "on" : "nullptr") << ", " << name << ");\n    }\n";
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

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) throw std::runtime_error(path.string() + ": cannot be written");
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
        write(directory / "mpi_prototypes.h", prototypes.str());
        std::ostringstream functions;
        write_functions(functions, chapters);
        write(directory / "mpi_functions.inc", functions.str());
        for (const Chapter& chapter : chapters) {
            std::ostringstream entries;
            for (const Function& function : chapter.functions)
                write_entry(entries, function);
            write(directory / "entries" / (chapter.name + ".inc"), entries.str());
        }
    } catch (const std::exception& error) {
        std::cerr << "mpi_interface_generator: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
