#pragma once
/// The table of the C interface (../interface.txt) as a program sees it: chapters, functions and
/// parameters. For those who write code from it.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

struct Parameter {
    std::string kind;    ///< a word of the table's list of kinds; empty for a plain C type
    std::string type;    ///< the C type
    std::string name;    ///< without brackets
    std::string array;   ///< "[]", "[][3]" or nothing
    std::string length;  ///< of an array: the parameter that counts its elements; or nothing
};

struct Function {
    std::string name;            ///< "Send"
    std::string implementation;  ///< "send"
    std::string result = "int";  ///< what it returns
    bool always = false;         ///< may be called before MPI_Init and after MPI_Finalize
    bool varied = false;         ///< C's "..." follows the parameters
    std::vector<Parameter> parameters;
};

struct Chapter {
    std::string name;
    std::vector<Function> functions;
};

std::vector<Chapter> read_table(const std::filesystem::path& path);

/// The whole of `text` with every `what` replaced.
std::string replaced(std::string text, std::string_view what, std::string_view with);

/// How a parameter of this kind becomes what an implementation takes; empty for a plain C type.
/// NAME is the parameter, ON the communicator of the call.
std::string conversion_of(const Parameter& parameter);

/// In C.
std::string declaration(const Function& function, std::string_view prefix);

void write_file(const std::filesystem::path& path, const std::string& text);
