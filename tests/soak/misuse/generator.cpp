// Writes the list of all functions of the C interface, each with its parameters and a way to call
// it with any values, from the table of the interface.
//
//     misuse_generator interface.txt functions.inc

#include <iostream>
#include <sstream>
#include <string>

#include "table.hpp"

namespace {

std::string quoted(const std::string& text) {
    return "\"" + text + "\"";
}

std::string listed(const Function& function, const Chapter& chapter) {
    std::string parameters;
    std::string arguments;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const Parameter& p = function.parameters[i];
        parameters += "{" + quoted(p.kind) + ", " + quoted(p.type + (p.array.empty() ? "" : "[]")) +
                      ", " + quoted(p.name) + ", " + quoted(p.length) + "}, ";
        arguments += (i == 0 ? "a[" : ", a[") + std::to_string(i) + "]";
    }
    const std::string call = c_name(function) + "(" + arguments + ")";
    const std::string body =
        function.result == "int" ? "return " + call + ";" : call + "; return MPI_SUCCESS;";
    const std::size_t suffix = function.twin ? std::string("_c").size() : 0;
    const std::string base = function.name.substr(0, function.name.size() - suffix);
    return "{" + quoted(function.name) + ", " + quoted(base) + ", " + quoted(chapter.name) + ", " +
           (function.always ? "true" : "false") + ", {" + parameters +
           "}, [](const Value* a) -> int { (void)a; " + body + " }},\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: misuse_generator interface.txt functions.inc\n";
        return 2;
    }
    try {
        std::string text;
        for (const Chapter& chapter : read_table(argv[1]))
            for (const Function& function : chapter.functions)
                text += listed(function, chapter);
        write_file(argv[2], text);
    } catch (const std::exception& error) {
        std::cerr << "misuse_generator: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
