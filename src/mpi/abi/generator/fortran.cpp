#include "fortran.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace {

using Role = FortranParameter::Role;

/// Functions that Fortran lacks: they hand objects from C to Fortran, or are for tools in C.
bool is_of_c_alone(const Function& function) {
    static const std::set<std::string> names = {
        "File_c2f",     "File_f2c",     "Status_c2f",  "Status_f2c",
        "Status_c2f08", "Status_f082c", "Op_create_c", "Register_datarep_c",
    };
    return names.contains(function.name) || function.name.starts_with("T_") ||
           function.name.starts_with("X_Grequest");
}

/// Those whose arguments are too unlike C's for a rule.
bool is_by_hand(const std::string& name) {
    static const std::set<std::string> names = {
        "Init",
        "Init_thread",
        "Pcontrol",
        "Info_create_env",
        "Info_get_string",
        "Session_get_nth_pset",
        "Grequest_start",
        "Keyval_create",
        "Attr_put",
        "Attr_get",
        "Comm_create_keyval",
        "Comm_set_attr",
        "Comm_get_attr",
        "Type_create_keyval",
        "Type_set_attr",
        "Type_get_attr",
        "Win_create_keyval",
        "Win_set_attr",
        "Win_get_attr",
        "File_create_errhandler",
        "Register_datarep",
        "Comm_spawn",
        "Comm_spawn_multiple",
        "Address",
        "Type_extent",
        "Type_lb",
        "Type_ub",
        "Type_hvector",
        "Type_hindexed",
        "Type_struct",
        "Buffer_detach",
        "Comm_detach_buffer",
        "Session_detach_buffer",
    };
    return names.contains(name);
}

bool is_logical(const Function& function, const std::string& name) {
    static const std::set<std::string> names = {
        "flag", "reorder", "commute", "high", "periods", "weighted", "is_supported", "remain_dims"};
    return names.contains(name) && function.name != "X_Comm_agree";
}

/// Where the two languages call an argument differently.
std::string fortran_name(const std::string& name) {
    static const std::map<std::string, std::string> names = {
        {"cmp", "result"}, {"indx", "index"}, {"err", "error"}};
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
}

Role role_of(const Parameter& parameter) {
    const std::string& type = parameter.type;
    const std::string& name = parameter.name;
    if (name == "argc" || type == "char***" || (type == "char**" && name == "argv"))
        return Role::omitted;
    if (type.find("_function") != std::string::npos) return Role::function;
    if (name == "attribute_val" || name == "extra_state") return Role::integer;
    if (name == "baseptr" || name == "buffer_addr") return Role::memory;
    if (type == "void*" || type == "const void*") return Role::buffer;
    if (type.starts_with("char*") && !parameter.array.empty()) return Role::strings;
    if (type.starts_with("char**")) return Role::strings;
    if (type == "const char*") return Role::string;
    if (type == "char*") return Role::text;
    if (type == "MPI_File") return Role::file;
    if (type == "MPI_File*") return Role::new_file;
    if (type.find("MPI_Status") != std::string::npos) return Role::status;
    if (name == "indx" && type == "int*" && parameter.array.empty()) return Role::index;
    if (name == "array_of_indices") return Role::indices;
    if (name == "array_of_errcodes") return Role::errcodes;
    if (name.ends_with("weights")) return Role::weights;
    return type.ends_with('*') || !parameter.array.empty() ? Role::place : Role::value;
}

FortranParameter parameter_of(const Function& function, const Parameter& c) {
    FortranParameter parameter{role_of(c), c, fortran_name(c.name), is_logical(function, c.name)};
    if (function.name == "Precv_init" && c.name == "dest") parameter.name = "source";
    if (parameter.is_logical && parameter.role == Role::place && c.array.empty())
        parameter.role = Role::flag;
    return parameter;
}

/// Whether a compiler sees by the arguments which of a function and its twin is meant: addresses
/// and counts have the same kind.
bool is_distinct(const Function& function, const Function& twin) {
    for (std::size_t i = 0; i < twin.parameters.size(); ++i) {
        const std::string& type = function.parameters.at(i).type;
        const bool is_int = type == "int" || type == "const int" || type == "int*";
        if (type != twin.parameters[i].type && is_int) return true;
    }
    return false;
}

std::string in_case(std::string text, int (*change)(int)) {
    for (char& c : text)
        c = static_cast<char>(change(static_cast<unsigned char>(c)));
    return text;
}

}  // namespace

std::string lower_case(std::string text) {
    return in_case(std::move(text), std::tolower);
}

std::string upper_case(std::string text) {
    return in_case(std::move(text), std::toupper);
}

bool FortranFunction::has_buffers() const {
    return std::ranges::any_of(parameters,
                               [](const auto& one) { return one.role == Role::buffer; });
}

std::string FortranFunction::symbol(const std::string& prefix) const {
    return prefix + "mpi" + (is_extension() ? "" : "_") + lower_case(name);
}

std::string FortranFunction::f08_name(Called called) const {
    const std::string begin = called == Called::plain ? (is_extension() ? "MPIX_" : "MPI_")
                              : is_extension()        ? "PMPIXR_"
                                                      : "PMPIR_";
    return begin + (is_extension() ? name.substr(2) : name) + (has_buffers() ? "_f08ts" : "_f08") +
           (c.twin || c.name != name ? "_large" : "");
}

std::vector<FortranFunction> fortran_functions(const std::vector<Chapter>& chapters) {
    std::vector<FortranFunction> functions;
    for (const Chapter& chapter : chapters)
        for (const Function& c : chapter.functions) {
            if (is_of_c_alone(c)) continue;
            FortranFunction function{
                c, chapter.name, c.name, chapter.name.starts_with("old_"), is_by_hand(c.name), {}};
            const bool is_large = c.twin || c.name.ends_with("_c");
            if (is_large) {
                function.name.resize(c.name.size() - 2);
                const auto first = std::ranges::find(functions, function.name,
                                                     [](const auto& one) { return one.c.name; });
                const bool has_more =
                    first != functions.end() && first->c.parameters.size() != c.parameters.size();
                if (first == functions.end() || (!has_more && !is_distinct(first->c, c))) continue;
            }
            for (const Parameter& parameter : c.parameters)
                function.parameters.push_back(parameter_of(c, parameter));
            functions.push_back(std::move(function));
        }
    return functions;
}
