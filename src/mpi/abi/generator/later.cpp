#include "later.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

/// "files MPI_ERR_UNSUPPORTED_OPERATION" in two.
struct Heading {
    explicit Heading(const Chapter& chapter) {
        std::istringstream words(chapter.name);
        if (!(words >> kind >> error_class) || chapter.remark.empty())
            throw std::runtime_error("[" + chapter.name + "]: a kind, a class and a sentence");
    }
    std::string kind, error_class;
};

bool is_the_communicator(const Parameter& parameter) {
    return parameter.type == "MPI_Comm" && parameter.name == "comm";
}

/// Parameters of the definition have no names but for the one that is looked at.
Function unnamed(Function function, bool but_the_communicator) {
    for (Parameter& parameter : function.parameters)
        if (!but_the_communicator || !is_the_communicator(parameter)) parameter.name.clear();
    return function;
}

void write_entry(std::ostream& out, const Heading& heading, const std::string& sentence,
                 const Function& function) {
    const bool on = heading.kind == "processes" &&
                    std::ranges::any_of(function.parameters, is_the_communicator);
    out << "extern \"C\" " << declaration(unnamed(function, on), Called::profiled) << " {\n";
    if (function.result != "int") {
        // Handles from one language to the other: there is none but the null one.
        out << "    return {};\n";
    } else {
        out << "    return absent_" << heading.kind << "(\"" << c_name(function) << "\", "
            << heading.error_class << ", \"" << sentence << '"' << (on ? ", comm" : "") << ");\n";
    }
    out << "}\nextern \"C\" " << declaration(function) << " __attribute__((weak, alias(\""
        << c_name(function, Called::profiled) << "\")));\n\n";
}

}  // namespace

void write_later_entries(std::ostream& out, const std::vector<Chapter>& chapters) {
    for (const Chapter& chapter : chapters)
        for (const Function& function : chapter.functions)
            write_entry(out, Heading(chapter), chapter.remark, function);
}

void write_later_calls(std::ostream& out, const std::vector<Chapter>& chapters) {
    for (const Chapter& chapter : chapters)
        for (const Function& function : chapter.functions) {
            if (function.result != "int") continue;
            const Heading heading(chapter);
            out << "RAILYARD_MPI_LATER(" << heading.kind << ", " << heading.error_class << ", "
                << c_name(function) << ", " << c_name(function) << "(";
            for (std::size_t i = 0; i < function.parameters.size(); ++i)
                out << (i == 0 ? "" : ", ")
                    << (is_the_communicator(function.parameters[i]) ? "MPI_COMM_WORLD" : "{}");
            out << "))\n";
        }
}
