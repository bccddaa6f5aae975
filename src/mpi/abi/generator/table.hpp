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
    std::string wide;    ///< the C type in a large-count twin, where it is another
    std::string name;    ///< without brackets
    std::string array;   ///< "[]", "[][3]" or nothing
    std::string length;  ///< of an array: the parameter that counts its elements; or nothing
};

struct Function {
    std::string name;            ///< "Send"; "X_Comm_agree" of an extension
    std::string implementation;  ///< "send"; a large-count twin, "Send_c", has the same
    std::string result = "int";  ///< what it returns
    bool always = false;         ///< may be called before MPI_Init and after MPI_Finalize
    bool varied = false;         ///< C's "..." follows the parameters
    bool twin = false;           ///< the large-count form of another
    std::vector<Parameter> parameters;
};

struct Chapter {
    std::string name;    ///< what stands in its brackets
    std::string remark;  ///< what follows them
    std::vector<Function> functions;
};

/// A function that is marked large is followed by its twin.
std::vector<Chapter> read_table(const std::filesystem::path& path);

/// The whole of `text` with every `what` replaced.
std::string replaced(std::string text, std::string_view what, std::string_view with);

/// How a parameter of this kind becomes what an implementation takes; empty for a plain C type.
/// NAME is the parameter, ON the communicator of the call, LARGE whether the function is a twin.
std::string conversion_of(const Parameter& parameter);

/// What C calls it: MPI_Send, MPIX_Comm_agree; `profiled` puts a P before.
enum class Called { plain, profiled };
std::string c_name(const Function& function, Called called = Called::plain);

/// In C.
std::string declaration(const Function& function, Called called = Called::plain);

void write_file(const std::filesystem::path& path, const std::string& text);
