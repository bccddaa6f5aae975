#include "table.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace {

/// What a kind is in C, and how it becomes what an implementation takes. NAME is the parameter, ON
/// the communicator or window of the call, LARGE whether the function is a twin.
struct Kind {
    std::string type;
    std::string conversion;
    std::string wide = {};  ///< the type in a twin, where it is another
};

const std::map<std::string, Kind>& kinds() {
    static const std::map<std::string, Kind> all = {
        {"comm", {"MPI_Comm", "state->comm(NAME, \"NAME\")"}},
        {"win", {"MPI_Win", "state->window(NAME, \"NAME\")"}},
        {"group", {"MPI_Group", "state->group(NAME, \"NAME\")"}},
        {"type", {"MPI_Datatype", "state->committed(NAME, \"NAME\")"}},
        {"anytype", {"MPI_Datatype", "state->type(NAME, \"NAME\")"}},
        {"op", {"MPI_Op", "state->op(NAME, \"NAME\")"}},
        {"info", {"MPI_Info", "state->info(NAME, \"NAME\")"}},
        {"session", {"MPI_Session", "state->session(NAME, \"NAME\")"}},
        {"errhandler", {"MPI_Errhandler", "state->error_handler(NAME, \"NAME\")"}},
        {"count", {"int", "to_count(NAME, \"NAME\")", "MPI_Count"}},
        {"number", {"int", "to_count(NAME, \"NAME\")"}},
        {"dest", {"int", "to_dest(NAME, ON, \"NAME\")"}},
        {"target", {"int", "to_dest(NAME, (ON).comm(), \"NAME\")"}},
        {"source", {"int", "to_source(NAME, ON, \"NAME\")"}},
        {"root", {"int", "to_root(NAME, ON, \"NAME\")"}},
        {"tag", {"int", "to_tag(NAME, \"NAME\")"}},
        {"anytag", {"int", "to_any_tag(NAME, \"NAME\")"}},
        {"in", {"const void*", "NAME"}},
        {"out", {"void*", "NAME"}},
        {"status", {"MPI_Status*", "to_status(NAME, \"NAME\")"}},
        {"newtype", {"MPI_Datatype*", "NewType(*state, to_result(NAME, \"NAME\"), LARGE)"}},
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

/// Of "const int|MPI_Count" both: "const int" and "const MPI_Count".
void split_alternatives(Parameter& parameter) {
    const auto bar = parameter.type.find('|');
    if (bar == std::string::npos) return;
    const auto begin = parameter.type.find_last_of(' ', bar);
    const std::string before =
        begin == std::string::npos ? "" : parameter.type.substr(0, begin + 1);
    parameter.wide = before + parameter.type.substr(bar + 1);
    parameter.type.resize(bar);
}

Parameter parse_parameter(std::string text) {
    Parameter parameter;
    if (const auto bracket = text.find('['); bracket != std::string::npos) {
        const auto closing = text.find(']', bracket);
        parameter.length = text.substr(bracket + 1, closing - bracket - 1);
        parameter.array = "[" + text.substr(closing);
        text.resize(bracket);
    }
    const auto space = text.find_last_of(" *");
    if (space == std::string::npos) throw std::runtime_error("'" + text + "': a kind and a name");
    parameter.name = text.substr(space + 1);
    parameter.type = trimmed(text.substr(0, space + 1));
    if (const auto kind = kinds().find(parameter.type); kind != kinds().end()) {
        parameter.kind = kind->first;
        parameter.type = kind->second.type;
        parameter.wide = kind->second.wide;
        return parameter;
    }
    split_alternatives(parameter);
    if (parameter.type.starts_with("result ")) {
        parameter.kind = "result";
        parameter.type = trimmed(parameter.type.substr(7)) + "*";
        if (!parameter.wide.empty()) parameter.wide = trimmed(parameter.wide.substr(7)) + "*";
    }
    return parameter;
}

/// "Comm_split_type" as "comm_split_type".
std::string lower(std::string name) {
    for (char& c : name)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

/// The same with numbers of 64 bits: "Send_c".
Function twin_of(Function function) {
    function.name += "_c";
    function.twin = true;
    for (Parameter& parameter : function.parameters)
        if (!parameter.wide.empty()) parameter.type = parameter.wide;
    return function;
}

/// `pattern` is a function whose name has a star and whose first parameter names a chapter: one
/// such function for each of that chapter.
std::vector<Function> forms_of(const std::vector<Chapter>& chapters, const Function& pattern) {
    const std::string& chapter = pattern.parameters.at(0).name;
    const auto base = std::find_if(chapters.begin(), chapters.end(),
                                   [&](const Chapter& c) { return c.name == chapter; });
    if (base == chapters.end())
        throw std::runtime_error("'" + pattern.name + "': there is no chapter '" + chapter + "'");
    std::vector<Function> forms;
    for (Function form : base->functions) {
        // A twin's mark stays at the end: "Bcast_init_c".
        if (form.twin) form.name.resize(form.name.size() - 2);
        if (!pattern.name.starts_with('*')) form.name[0] = lower(form.name)[0];
        form.name = replaced(pattern.name, "*", form.name) + (form.twin ? "_c" : "");
        form.parameters.insert(form.parameters.end(), pattern.parameters.begin() + 1,
                               pattern.parameters.end());
        forms.push_back(std::move(form));
    }
    return forms;
}

/// The function of a line, and its twin if it has one.
std::vector<Function> parse_functions(const std::string& line) {
    Function function;
    bool large = false;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        if (word == "always") {
            function.always = true;
        } else if (word == "large") {
            large = true;
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
    function.implementation = lower(function.name);
    if (!large) return {function};
    return {function, twin_of(function)};
}

}  // namespace

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
            const auto closing = line.find(']');
            chapters.push_back(
                {line.substr(1, closing - 1), trimmed(line.substr(closing + 1)), {}});
            continue;
        }
        // A comma at the end: the list goes on in the next line.
        pending += (pending.empty() ? "" : " ") + line;
        if (line.back() == ',') continue;
        try {
            std::vector<Function> made = parse_functions(pending);
            if (made[0].name.find('*') != std::string::npos) made = forms_of(chapters, made[0]);
            auto& functions = chapters.at(chapters.size() - 1).functions;
            functions.insert(functions.end(), made.begin(), made.end());
        } catch (const std::exception& error) {
            throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " +
                                     error.what());
        }
        pending.clear();
    }
    return chapters;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

std::string conversion_of(const Parameter& parameter) {
    if (parameter.kind == "result") return "to_result(NAME, \"NAME\")";
    if (!parameter.length.empty()) return "to_array(NAME, " + parameter.length + ", \"NAME\")";
    return parameter.kind.empty() ? "" : kinds().at(parameter.kind).conversion;
}

std::string c_name(const Function& function, Called called) {
    const bool is_extension = function.name.starts_with("X_");
    return (called == Called::profiled ? "PMPI" : "MPI") + std::string(is_extension ? "" : "_") +
           function.name;
}

std::string declaration(const Function& function, Called called) {
    std::string text = function.result + " " + c_name(function, called) + "(";
    std::string separator;
    for (const Parameter& parameter : function.parameters) {
        text += separator + parameter.type + " " + parameter.name + parameter.array;
        separator = ", ";
    }
    if (function.varied) text += separator + "...";
    if (text.back() == '(') text += "void";
    return text + ")";
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}
