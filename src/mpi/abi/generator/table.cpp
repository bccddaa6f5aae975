#include "table.hpp"

#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace {

/// What a kind is in C, and how it becomes what an implementation takes. NAME is the parameter, ON
/// the communicator or window of the call.
struct Kind {
    std::string type;
    std::string conversion;
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
        {"errhandler", {"MPI_Errhandler", "state->error_handler(NAME, \"NAME\")"}},
        {"count", {"int", "to_count(NAME, \"NAME\")"}},
        {"dest", {"int", "to_dest(NAME, ON, \"NAME\")"}},
        {"target", {"int", "to_dest(NAME, (ON).comm(), \"NAME\")"}},
        {"source", {"int", "to_source(NAME, ON, \"NAME\")"}},
        {"root", {"int", "to_root(NAME, ON, \"NAME\")"}},
        {"tag", {"int", "to_tag(NAME, \"NAME\")"}},
        {"anytag", {"int", "to_any_tag(NAME, \"NAME\")"}},
        {"in", {"const void*", "NAME"}},
        {"out", {"void*", "NAME"}},
        {"status", {"MPI_Status*", "to_status(NAME, \"NAME\")"}},
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

void write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}
