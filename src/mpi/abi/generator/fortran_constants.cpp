// Constants and types of handles, from mpi.h.

#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "fortran.hpp"

namespace {

/// Constants of C that Fortran lacks: of tools, of MPICH's versions, of C's own statuses.
bool is_of_c_alone(const std::string& name) {
    for (const char* begin : {"MPI_T_", "MPI_F_", "MPICH", "MPIR_", "MPI_BUFFER_AUTO"})
        if (name.starts_with(begin)) return true;
    return name.ends_with("_IGNORE") || name.ends_with("_FN") || name.ends_with("FN_NULL") ||
           name.ends_with("FN_NULL_C") || name.starts_with("MPI_ARGV") || name == "MPI_BOTTOM" ||
           name == "MPI_IN_PLACE" || name == "MPI_INCLUDED";
}

/// What Fortran has instead of C's value: keys of predefined attributes are C's plus one, and texts
/// have no closing zero.
long fortran_value(const std::string& name, long value) {
    static const std::regex text("MPI_MAX_.*(NAME|STRING|KEY|VAL|_LEN)");
    if ((value & 0xff000000) == 0x64000000 || (value & 0xff000000) == 0x66000000) return value + 1;
    return std::regex_match(name, text) ? value - 1 : value;
}

long number(const std::string& text) {
    const long value = std::stol(text, nullptr, 0);
    return static_cast<int>(static_cast<unsigned>(value));
}

/// As fixed form and as free form.
void declare(std::ostream& out, const Constant& constant) {
    const bool is_offset = constant.name == "MPI_DISPLACEMENT_CURRENT";
    out << "      INTEGER" << (is_offset ? "(KIND=8)" : "") << " " << constant.name
        << "\n      PARAMETER (" << constant.name << "=" << constant.value << ")\n";
}

constexpr const char* kinds_and_statuses = R"(      INTEGER MPI_SOURCE, MPI_TAG, MPI_ERROR
      PARAMETER (MPI_SOURCE=3,MPI_TAG=4,MPI_ERROR=5)
      INTEGER MPI_STATUS_SIZE
      PARAMETER (MPI_STATUS_SIZE=5)
      INTEGER MPI_ADDRESS_KIND, MPI_OFFSET_KIND
      PARAMETER (MPI_ADDRESS_KIND=8,MPI_OFFSET_KIND=8)
      INTEGER MPI_COUNT_KIND, MPI_INTEGER_KIND
      PARAMETER (MPI_COUNT_KIND=8,MPI_INTEGER_KIND=4)
)";

/// Programs and library compare their addresses.
constexpr const char* common_blocks = R"(      LOGICAL MPI_SUBARRAYS_SUPPORTED
      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)
      LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
      INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_UNWEIGHTED
      INTEGER MPI_WEIGHTS_EMPTY, MPI_BUFFER_AUTOMATIC
      INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      INTEGER MPI_ERRCODES_IGNORE(1)
      CHARACTER(LEN=1) MPI_ARGVS_NULL(1,1)
      CHARACTER(LEN=1) MPI_ARGV_NULL(1)
      COMMON /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
      COMMON /MPIPRIV2/ MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
      COMMON /MPIPRIVC/ MPI_ARGVS_NULL, MPI_ARGV_NULL
      COMMON /MPIFCMB5/ MPI_UNWEIGHTED
      COMMON /MPIFCMB9/ MPI_WEIGHTS_EMPTY
      COMMON /MPIFCMBA/ MPI_BUFFER_AUTOMATIC
      SAVE /MPIPRIV1/, /MPIPRIV2/, /MPIPRIVC/
      SAVE /MPIFCMB5/, /MPIFCMB9/, /MPIFCMBA/
      EXTERNAL MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, MPI_DUP_FN
      EXTERNAL MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN
      EXTERNAL MPI_COMM_DUP_FN, MPI_CONVERSION_FN_NULL
      EXTERNAL MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN
      EXTERNAL MPI_TYPE_DUP_FN, MPI_WIN_DUP_FN
      EXTERNAL MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN
)";

constexpr const char* functions =
    R"(      DOUBLE PRECISION MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      EXTERNAL MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      INTEGER(KIND=8) MPI_AINT_ADD, MPI_AINT_DIFF
      EXTERNAL MPI_AINT_ADD, MPI_AINT_DIFF
)";

}  // namespace

std::vector<Constant> fortran_constants(const std::filesystem::path& header) {
    std::ifstream in(header);
    if (!in) throw std::runtime_error(header.string() + ": cannot be read");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::vector<Constant> constants;
    std::map<std::string, Constant> by_name;
    const auto add = [&](Constant constant) {
        by_name[constant.name] = constant;
        if (!is_of_c_alone(constant.name)) constants.push_back(std::move(constant));
    };
    // #define MPI_A 1, (-1), ((MPI_Comm)0x44000000) or MPI_B; or, in an enumeration, MPI_A = 1
    static const std::regex definition(
        R"re(#define +(MPIX?_\w+) +\(?(?:\((MPI_\w+)\))?(-?\w+)\)?|(MPI_\w+) += (\d+))re");
    for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it) {
        const std::smatch& match = *it;
        if (match[4].matched) {
            add({match[4], "", number(match[5])});
        } else if (const auto same = by_name.find(match[3]); same != by_name.end()) {
            add({match[1], same->second.type, same->second.value});
        } else if (const std::string value = match[3];
                   std::isdigit(static_cast<unsigned char>(value.back())) != 0 ||
                   value.starts_with("0x")) {
            add({match[1], match[2], fortran_value(match[1], number(value))});
        }
    }
    return constants;
}

std::string mpif_declarations(const std::vector<Constant>& constants) {
    std::ostringstream out;
    out << kinds_and_statuses;
    for (const Constant& constant : constants)
        declare(out, constant);
    out << common_blocks;
    return out.str();
}

std::string mpif_h(const std::vector<Constant>& constants) {
    return "!     MPI for Fortran programs, in fixed and in free form. Made by the\n"
           "!     build from mpi.h. Values and common blocks are MPICH's.\n" +
           mpif_declarations(constants) + functions;
}

std::string f08_constants(const std::vector<Constant>& constants) {
    std::ostringstream out;
    for (const Constant& constant : constants) {
        const bool is_offset = constant.name == "MPI_DISPLACEMENT_CURRENT";
        if (constant.type.empty())
            out << "integer" << (is_offset ? "(kind=8)" : "") << ", parameter :: " << constant.name
                << " = " << constant.value << '\n';
        else
            out << "type(" << constant.type << "), parameter :: " << constant.name << " = "
                << constant.type << "(" << constant.value << ")\n";
    }
    return out.str();
}

namespace {

constexpr const char* handles[] = {"Comm",    "Datatype", "Errhandler", "File", "Group",  "Info",
                                   "Message", "Op",       "Request",    "Win",  "Session"};

std::string for_each_handle(std::size_t count, const std::string& text) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i)
        all += replaced(replaced(text, "HANDLE", std::string("MPI_") + handles[i]), "SHORT",
                        handles[i]);
    return all;
}

}  // namespace

std::string mpi_handle_types() {
    return for_each_handle(10, "type :: HANDLE\nsequence\ninteger :: MPI_VAL\nend type\n") +
           "interface operator(.eq.)\n" + for_each_handle(10, "module procedure SHORTeq\n") +
           "end interface\ninterface operator(.ne.)\n" +
           for_each_handle(10, "module procedure SHORTneq\n") + "end interface\n";
}

std::string mpi_handle_operators() {
    return for_each_handle(10,
                           "logical function SHORTeq(a, b)\ntype(HANDLE), intent(in) :: a, b\n"
                           "SHORTeq = a%MPI_VAL == b%MPI_VAL\nend function\n"
                           "logical function SHORTneq(a, b)\ntype(HANDLE), intent(in) :: a, b\n"
                           "SHORTneq = a%MPI_VAL /= b%MPI_VAL\nend function\n");
}

std::string f08_handle_types() {
    return for_each_handle(
        11,
        "type, bind(C), public :: HANDLE\ninteger :: MPI_VAL\nend type\n"
        "interface operator(==)\nmodule procedure HANDLE_eq, HANDLE_f08_eq_f, HANDLE_f_eq_f08\n"
        "end interface\n"
        "interface operator(/=)\nmodule procedure HANDLE_neq, HANDLE_f08_neq_f, HANDLE_f_neq_f08\n"
        "end interface\n"
        "private :: HANDLE_eq, HANDLE_f08_eq_f, HANDLE_f_eq_f08\n"
        "private :: HANDLE_neq, HANDLE_f08_neq_f, HANDLE_f_neq_f08\n");
}

std::string f08_handle_operators() {
    // Files are pointers in C, and C's own functions convert them.
    std::string text =
        replaced(for_each_handle(11,
                                 "integer function HANDLE_c2f(x) result(res)\ninteger, value :: x\n"
                                 "res = x\nend function\n"
                                 "integer function HANDLE_f2c(x) result(res)\ninteger, value :: x\n"
                                 "res = x\nend function\n"),
                 "MPI_File_", "MPIR_File_");
    for (const char* op : {"eq", "neq"}) {
        const std::string sign = std::string(op) == "eq" ? "==" : "/=";
        text += for_each_handle(
            11, replaced(replaced("elemental logical function HANDLE_OP(a, b)\n"
                                  "type(HANDLE), intent(in) :: a, b\n"
                                  "HANDLE_OP = a%MPI_VAL SIGN b%MPI_VAL\nend function\n"
                                  "elemental logical function HANDLE_f08_OP_f(a, b)\n"
                                  "type(HANDLE), intent(in) :: a\ninteger, intent(in) :: b\n"
                                  "HANDLE_f08_OP_f = a%MPI_VAL SIGN b\nend function\n"
                                  "elemental logical function HANDLE_f_OP_f08(a, b)\n"
                                  "integer, intent(in) :: a\ntype(HANDLE), intent(in) :: b\n"
                                  "HANDLE_f_OP_f08 = a SIGN b%MPI_VAL\nend function\n",
                                  "OP", op),
                         "SIGN", sign));
    }
    return text;
}
