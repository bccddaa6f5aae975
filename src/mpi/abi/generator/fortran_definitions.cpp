// C++ definitions of what Fortran programs call. A definition is one call of C's function; objects
// that convert an argument live as long as that call, and write results back when it is over.

#include <sstream>

#include "fortran.hpp"

namespace {

using Role = FortranParameter::Role;

bool is_string(const FortranParameter& parameter) {
    return parameter.role == Role::string || parameter.role == Role::text;
}

/// For buffered sends: may be MPI_BUFFER_AUTOMATIC.
bool is_attached(const FortranFunction& function, const FortranParameter& parameter) {
    return function.chapter == "buffered" && parameter.c.name == "buffer";
}

/// The parameter as C++ declares it. `by_descriptor`: buffers come as Fortran's descriptors.
std::string declared(const FortranParameter& parameter, bool by_descriptor) {
    const Parameter& c = parameter.c;
    switch (parameter.role) {
        case Role::value:
            return "const " + c.type + "* " + c.name;
        case Role::file:
            return "const int* " + c.name;
        case Role::new_file:
            return "int* " + c.name;
        case Role::string:
            return "const char* " + c.name;
        case Role::buffer:
            return (by_descriptor ? "const Descriptor* " : c.type + " ") + c.name;
        default:
            break;
    }
    if (c.array.empty()) return c.type + " " + c.name;
    return c.array == "[]" ? c.type + "* " + c.name : c.type + " (*" + c.name + ")[3]";
}

/// What C's function gets for it. Buffers that come by descriptors are seen to elsewhere.
std::string argument(const FortranFunction& function, const FortranParameter& parameter) {
    const std::string& name = parameter.c.name;
    switch (parameter.role) {
        case Role::omitted:
            return {};
        case Role::value:
            return "*" + name;
        case Role::flag:
            return "Flag(" + name + ")";
        case Role::index:
            return "Index(" + name + ")";
        case Role::indices:
            return "Indices(" + name + ", outcount)";
        case Role::status:
            return "to_status(" + name + ")";
        case Role::string:
            return (function.chapter == "infos" ? "Stripped(" : "String(") + name + ", " + name +
                   "_length)";
        case Role::text:
            return "Text(" + name + ", " + name + "_length)";
        case Role::weights:
            return "to_weights(" + name + ")";
        case Role::file:
            return "MPI_File_f2c(*" + name + ")";
        case Role::new_file:
            return "NewFile(" + name + ")";
        case Role::buffer:
            if (is_attached(function, parameter)) return "to_attached(" + name + ")";
            return "to_buffer(" + name + ")";
        default:
            return name;
    }
}

std::string parameter_list(const FortranFunction& function, bool by_descriptor) {
    std::string list, lengths;
    for (const FortranParameter& parameter : function.parameters) {
        if (parameter.role == Role::omitted) continue;
        list += declared(parameter, by_descriptor) + ", ";
        if (is_string(parameter)) lengths += ", std::size_t " + parameter.c.name + "_length";
    }
    if (function.c.result == "int") return list + "int* ierror" + lengths;
    return list.empty() ? "" : list.substr(0, list.size() - 2);
}

// How a buffer with gaps gets through the call: as a datatype; as a copy; as a copy that is brought
// back once the request is complete; or not at all, since only its address matters.
enum class Way { datatype, partitions, copy, staged_copy, address };

bool is_number(const Parameter& c) {
    return c.kind == "count" || c.type == "int" || c.type == "MPI_Count";
}

Way way_of(const FortranFunction& function, std::size_t i) {
    const std::string& chapter = function.chapter;
    if (chapter.starts_with("nonblocking_") || chapter.starts_with("persistent_"))
        return Way::staged_copy;
    if (chapter == "collectives" || chapter == "neighbourhoods" || chapter == "operations")
        return Way::copy;
    const auto at = [&](std::size_t n) -> const Parameter& { return function.c.parameters[n]; };
    const std::size_t size = function.c.parameters.size();
    if (i + 2 < size && is_number(at(i + 1)) && at(i + 2).type == "MPI_Datatype")
        return Way::datatype;
    if (chapter == "partitioned") return Way::partitions;
    return chapter == "packing" ? Way::copy : Way::address;
}

/// A body of a procedure of mpi_f08 that has buffers.
struct F08Body {
    explicit F08Body(const FortranFunction& function) {
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            const FortranParameter& parameter = function.parameters[i];
            if (parameter.role == Role::omitted) continue;
            if (parameter.role != Role::buffer) {
                add(argument(function, parameter));
                continue;
            }
            const auto name = [&](std::size_t n) { return function.parameters[n].c.name; };
            const std::string object = name(i) + "_";
            switch (way_of(function, i)) {
                case Way::datatype:
                    objects += "    const Section " + object + "(" + name(i) + ", *" + name(i + 1) +
                               ", *" + name(i + 2) + ");\n";
                    add(object + ".address()");
                    add(object + ".count<" + function.parameters[i + 1].c.type + ">()");
                    add(object + ".type()");
                    i += 2;
                    break;
                case Way::partitions:
                    objects += "    const Section " + object + "(" + name(i) + ", *" + name(i + 2) +
                               ", *" + name(i + 3) + ", *" + name(i + 1) + ");\n";
                    add(object + ".address()");
                    add("*" + name(i + 1));
                    add(object + ".count<MPI_Count>()");
                    add(object + ".type()");
                    i += 3;
                    break;
                case Way::copy:
                case Way::staged_copy:
                    objects += "    Copy " + object + "(" + name(i) +
                               ", Copy::" + (parameter.c.type == "void*" ? "both" : "in") + ");\n";
                    add(object + ".address()");
                    if (way_of(function, i) == Way::staged_copy) staged += ", " + object;
                    break;
                case Way::address:
                    add(is_attached(function, parameter)
                            ? "to_attached(to_address(" + name(i) + "))"
                            : "to_address(" + name(i) + ")");
            }
        }
    }
    void add(const std::string& one) { arguments += (arguments.empty() ? "" : ", ") + one; }

    std::string objects, arguments, staged;
};

void define(std::ostream& out, const FortranFunction& function) {
    std::string arguments;
    for (const FortranParameter& parameter : function.parameters)
        if (const std::string one = argument(function, parameter); !one.empty())
            arguments += (arguments.empty() ? "" : ", ") + one;
    const std::string call = c_name(function.c) + "(" + arguments + ")";
    const bool is_large = function.c.name != function.name;
    const std::string symbol =
        is_large ? lower_case(function.f08_name(Called::plain)) : function.symbol();
    out << (function.c.result == "int" ? "void" : function.c.result) << " " << symbol << "_("
        << parameter_list(function, false) << ") {\n    "
        << (function.c.result == "int" ? "finish(ierror, " + call + ")" : "return " + call)
        << ";\n}\n";
    if (!is_large) out << "FORTRAN_NAMES(\"" << symbol << "\", \"" << upper_case(symbol) << "\")\n";
}

/// The names that mpi_f08 has for what is the same as in Fortran's other interfaces.
void name_for_f08(std::ostream& out, const FortranFunction& function) {
    if (function.has_buffers() || function.is_old) return;
    const bool is_large = function.c.name != function.name;
    const std::string plain = lower_case(function.f08_name(Called::plain)) + "_";
    const std::string of = is_large ? plain : function.symbol() + "_";
    const auto also = [&](const std::string& name) {
        out << "FORTRAN_ALSO(\"" << of << "\", \"" << name << "\")\n";
    };
    if (!is_large) also(plain);
    also(lower_case(function.f08_name(Called::profiled)) + "_");
    if (function.c.name.starts_with("X_Delete"))  // MPICH's module has no X there
        for (const char* prefix : {"mpi_", "pmpir_"})
            also(prefix + plain.substr(5));
    if (function.name == "Alloc_mem" || function.name.starts_with("Win_allocate") ||
        function.name == "Win_shared_query")
        if (!is_large) also(function.symbol() + "_cptr_");
}

}  // namespace

std::string fortran_definitions(const std::vector<FortranFunction>& functions) {
    std::ostringstream out;
    for (const FortranFunction& function : functions) {
        const bool is_large = function.c.name != function.name;
        if (function.by_hand || (is_large && function.has_buffers())) continue;
        define(out, function);
        name_for_f08(out, function);
    }
    return out.str();
}

std::string f08_definitions(const std::vector<FortranFunction>& functions) {
    std::ostringstream out;
    for (const FortranFunction& function : functions) {
        if (function.is_old || !function.has_buffers() || function.by_hand) continue;
        const F08Body body(function);
        const std::string call = c_name(function.c) + "(" + body.arguments + ")";
        const std::string plain = lower_case(function.f08_name(Called::plain)) + "_";
        if (function.c.result != "int") continue;
        out << "void " << plain << "(" << parameter_list(function, true) << ") {\n"
            << body.objects << "    finish(ierror, "
            << (body.staged.empty() ? call : "stage(" + call + ", request" + body.staged + ")")
            << ");\n}\nFORTRAN_ALSO(\"" << plain << "\", \""
            << lower_case(function.f08_name(Called::profiled)) << "_\")\n";
    }
    return out.str();
}
