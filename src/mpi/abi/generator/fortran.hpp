#pragma once
/// The table of the interface as Fortran sees it: which functions there are, what its arguments
/// are, and how each becomes one of C's.

#include <string>
#include <vector>

#include "table.hpp"

struct FortranParameter {
    enum class Role {
        omitted,   ///< C's command line
        value,     ///< a number or handle: by reference here, by value there
        place,     ///< an address in both
        flag,      ///< LOGICAL that is written
        index,     ///< counted from 1 here, written
        indices,   ///< so many of them as `outcount` says
        status,    ///< one or several, or MPI_STATUS(ES)_IGNORE
        string,    ///< blanks follow it here, a zero there
        text,      ///< the same, written
        strings,   ///< an array, ended by a blank one
        weights,   ///< of edges, or MPI_UNWEIGHTED or MPI_WEIGHTS_EMPTY
        errcodes,  ///< or MPI_ERRCODES_IGNORE
        file,      ///< an integer here, a pointer there
        new_file,  ///< the same, written
        function,  ///< the user's
        integer,   ///< an attribute, or the state of the user's functions: a pointer in C
        memory,    ///< where the address of memory is written to
        buffer,    ///< a choice buffer
    };
    Role role = Role::value;
    Parameter c;
    std::string name;         ///< that of Fortran's dummy argument
    bool is_logical = false;  ///< C's int is a LOGICAL
};

struct FortranFunction {
    Function c;
    std::string chapter;
    std::string name;      ///< "Send", also of the twin
    bool is_old = false;   ///< of MPI-1: addresses are default integers
    bool by_hand = false;  ///< what the library does is written in src/mpi/fortran/
    std::vector<FortranParameter> parameters;

    bool has_buffers() const;
    /// In MPI or in MPIX.
    bool is_extension() const { return c.name.starts_with("X_"); }
    /// mpi_send, mpix_comm_agree: what symbols begin with; `prefix` comes first.
    std::string symbol(const std::string& prefix = "") const;
    /// MPI_Send_f08ts_large: the specific procedure of the module mpi_f08 (or pmpi_f08).
    std::string f08_name(Called called) const;
};

std::string lower_case(std::string text);
std::string upper_case(std::string text);

/// All that Fortran has; twins follow what they are twins of, where Fortran can tell them apart.
std::vector<FortranFunction> fortran_functions(const std::vector<Chapter>& chapters);

// What is written from it.

/// C++ for include/: definitions of mpi_send_ and its other names, and of the procedures of
/// mpi_f08.
std::string fortran_definitions(const std::vector<FortranFunction>& functions);
std::string f08_definitions(const std::vector<FortranFunction>& functions);

/// Fortran: interfaces for the modules mpi (mpi_base) and mpi_f08 or pmpi_f08.
std::string mpi_interfaces(const std::vector<FortranFunction>& functions);
std::string f08_interfaces(const std::vector<FortranFunction>& functions, Called called);

/// A constant of mpi.h that Fortran has.
struct Constant {
    std::string name;
    std::string type;  ///< the handle's, "MPI_Comm"; or nothing
    long value = 0;
};
std::vector<Constant> fortran_constants(const std::filesystem::path& header);

/// mpif.h; its declarations alone, for the module mpi_constants; those of mpi_f08.
std::string mpif_h(const std::vector<Constant>& constants);
std::string mpif_declarations(const std::vector<Constant>& constants);
std::string f08_constants(const std::vector<Constant>& constants);

/// Types of handles with their operators: the bodies of mpi_constants and mpi_f08_types.
std::string mpi_handle_types();
std::string mpi_handle_operators();
std::string f08_handle_types();
std::string f08_handle_operators();
