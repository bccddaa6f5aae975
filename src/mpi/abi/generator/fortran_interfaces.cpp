// Fortran interfaces of all procedures, for the modules mpi and mpi_f08.

#include <map>
#include <sstream>

#include "fortran.hpp"

namespace {

using Role = FortranParameter::Role;
enum class Style { mpi, f08 };

/// "const MPI_Comm*" as "MPI_Comm".
std::string base_type(std::string type) {
    if (type.starts_with("const ")) type = type.substr(6);
    while (type.ends_with('*'))
        type.pop_back();
    return type;
}

/// Without its array part. Addresses, counts and offsets have 8 bytes on all machines of this ABI.
std::string type_name(const FortranFunction& function, const FortranParameter& parameter,
                      Style style) {
    const std::string base = base_type(parameter.c.type);
    switch (parameter.role) {
        case Role::string:
        case Role::text:
        case Role::strings:
            return "character(len=*)";
        case Role::status:
            return style == Style::f08 ? "type(MPI_Status)" : "integer";
        case Role::memory:
            return style == Style::f08 ? "type(c_ptr)" : "integer(kind=8)";
        case Role::integer:
            return function.is_old ? "integer" : "integer(kind=8)";
        case Role::buffer:
            return "type(*)";
        default:
            break;
    }
    if (parameter.is_logical) return "logical";
    if (base == "int") return "integer";
    if (base == "MPI_Aint" || base == "MPI_Count" || base == "MPI_Offset")
        return function.is_old ? "integer" : "integer(kind=8)";
    return style == Style::f08 ? "type(" + base + ")" : "integer";
}

std::string shape(const FortranParameter& parameter, Style style) {
    const bool is_array = !parameter.c.array.empty();
    if (parameter.role == Role::buffer) return style == Style::f08 ? "(..)" : "(*)";
    if (parameter.c.name == "array_of_argv") return "(count,*)";
    if (parameter.role == Role::strings) return "(*)";
    if (parameter.role == Role::status && style == Style::mpi) return is_array ? "(5,*)" : "(5)";
    if (!is_array) return "";
    return parameter.c.array == "[]" ? "(*)" : "(3,*)";
}

/// Whether C changes what it points to, and reads it first.
bool is_updated(const FortranFunction& function, const FortranParameter& parameter) {
    for (const char* end : {"_free", "_disconnect", "_commit", "_finalize", "_close", "_keyval"})
        if (function.name.ends_with(end)) return true;
    for (const char* name : {"request", "array_of_requests", "message", "position", "dims",
                             "buflen", "pset_len", "flag"})
        if (parameter.c.name == name) return true;
    return false;
}

std::string intent(const FortranFunction& function, const FortranParameter& parameter) {
    const std::string& type = parameter.c.type;
    if (parameter.role == Role::status && !type.starts_with("const ") &&
        parameter.c.kind != "result")
        return "";  // may be one to be ignored
    if (parameter.role == Role::buffer) return type.starts_with("const ") ? ", intent(in)" : "";
    if (parameter.role == Role::weights || parameter.role == Role::errcodes) return "";
    if (parameter.role == Role::integer)
        return function.name.ends_with("_get_attr") || function.name == "Attr_get" ? ", intent(out)"
                                                                                   : ", intent(in)";
    const bool is_written = type.ends_with('*') || !parameter.c.array.empty();
    if (!is_written || type.starts_with("const ") || parameter.role == Role::strings ||
        parameter.role == Role::string)
        return ", intent(in)";
    if (!parameter.c.array.empty()) return ", intent(inout)";
    return is_updated(function, parameter) ? ", intent(inout)" : ", intent(out)";
}

/// Buffers that are in use after the call.
bool is_asynchronous(const FortranFunction& function) {
    for (const FortranParameter& parameter : function.parameters)
        if (parameter.c.name == "request" || parameter.c.name == "win") return true;
    return function.name.ends_with("_begin") || function.name.ends_with("_end") ||
           function.name.find("ttach") != std::string::npos || function.name == "Get_address";
}

void declare(std::ostream& out, const FortranFunction& function, const FortranParameter& parameter,
             Style style) {
    const std::string type = type_name(function, parameter, style);
    if (parameter.role == Role::function) {
        if (style == Style::f08)
            out << "procedure(" << base_type(parameter.c.type) << ") :: " << parameter.name << '\n';
        else
            out << "external :: " << parameter.name << '\n';
        return;
    }
    const bool is_choice = parameter.role == Role::buffer || parameter.c.name == "buffer_addr";
    // MPI_UNWEIGHTED is no array in mpif.h.
    if (style == Style::mpi && (is_choice || parameter.role == Role::weights)) {
        out << "!GCC$ attributes no_arg_check :: " << parameter.name << "\ntype(*), dimension(*)"
            << (parameter.c.type.starts_with("const ") ? ", intent(in)" : "")
            << " :: " << parameter.name << '\n';
        return;
    }
    out << type << intent(function, parameter)
        << (is_choice && style == Style::f08 && parameter.role == Role::buffer &&
                    is_asynchronous(function)
                ? ", asynchronous"
                : "")
        << " :: " << parameter.name << shape(parameter, style) << '\n';
}

void write(std::ostream& out, const FortranFunction& function, const std::string& name,
           Style style) {
    std::string list;
    for (const FortranParameter& parameter : function.parameters)
        if (parameter.role != Role::omitted) list += parameter.name + ", ";
    const bool is_function = function.c.result != "int";
    if (!is_function) list += "ierror, ";
    if (!list.empty()) list.resize(list.size() - 2);
    out << (is_function ? "function " : "subroutine ") << name << "(" << list << ")\n";
    if (style == Style::f08) out << "import\n";
    out << "implicit none\n";
    if (is_function)
        out << (function.c.result == "double" ? "double precision" : "integer(kind=8)")
            << " :: " << name << '\n';
    // A length must be declared before the shape that has it.
    for (const bool first : {true, false})
        for (const FortranParameter& parameter : function.parameters)
            if (parameter.role != Role::omitted &&
                first == (parameter.role == Role::value && parameter.c.name == "count"))
                declare(out, function, parameter, style);
    if (!is_function)
        out << "integer, " << (style == Style::f08 ? "optional, " : "")
            << "intent(out) :: ierror\n";
    out << "end " << (is_function ? "function" : "subroutine") << "\n";
}

bool has_memory(const FortranFunction& function) {
    for (const FortranParameter& parameter : function.parameters)
        if (parameter.c.name == "baseptr") return true;
    return false;
}

}  // namespace

std::string mpi_interfaces(const std::vector<FortranFunction>& functions) {
    std::ostringstream out;
    for (const FortranFunction& function : functions) {
        if (function.c.name != function.name) continue;
        std::string name = c_name(function.c);
        out << "interface " << (has_memory(function) ? name : "") << '\n';
        write(out, function, name, Style::mpi);
        if (has_memory(function)) {
            // The same with a C pointer.
            std::ostringstream other;
            write(other, function, name + "_cptr", Style::mpi);
            std::string text = replaced(other.str(), "integer(kind=8), intent(out) :: baseptr",
                                        "type(c_ptr), intent(out) :: baseptr");
            out << replaced(text, "implicit none",
                            "use, intrinsic :: iso_c_binding, only: c_ptr\nimplicit none");
        }
        out << "end interface\n";
        if (function.c.result == "int") continue;
        out << "interface\n";
        write(out, function, "P" + name, Style::mpi);
        out << "end interface\n";
    }
    return out.str();
}

std::string f08_interfaces(const std::vector<FortranFunction>& functions, Called called) {
    std::map<std::string, std::string> generics;
    for (const FortranFunction& function : functions) {
        if (function.is_old || function.name == "Status_f2f08" || function.name == "Status_f082f")
            continue;
        Function base = function.c;
        base.name = function.name;
        std::ostringstream one;
        write(one, function, function.f08_name(called), Style::f08);
        generics[c_name(base, called)] += one.str();
    }
    std::ostringstream out;
    for (const auto& [name, specifics] : generics)
        out << "interface " << name << '\n' << specifics << "end interface\n";
    return out.str();
}
