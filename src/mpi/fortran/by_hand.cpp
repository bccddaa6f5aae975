// Procedures whose arguments are too unlike those of C's functions for a rule: beginnings, strings
// whose length counts, arrays of strings, and MPI-1's addresses, which are default integers.

#include <algorithm>
#include <vector>

#include "mpi/fortran/arguments.hpp"

/// One that mpi_f08 has as well.
#define NAMES_OF_ALL(lower, UPPER)                       \
    FORTRAN_NAMES("mpi_" lower, "MPI_" UPPER)            \
    FORTRAN_ALSO("mpi_" lower "_", "mpi_" lower "_f08_") \
    FORTRAN_ALSO("mpi_" lower "_", "pmpir_" lower "_f08_")

namespace railyard::mpi::fortran {

namespace {

/// A length that counts C's closing zero there and does not here. 0: only asked for.
class Length : public Result<int> {
  public:
    explicit Length(int* to) : Result(*to > 0 ? *to + 1 : 0), to_(to), before_(value_) {}
    ~Length() {
        if (value_ != before_) *to_ = value_ > 0 ? value_ - 1 : 0;
    }

  private:
    int* to_;
    int before_;
};

/// Strings of one length, `step` of them apart, up to a blank one.
class Strings {
  public:
    Strings(const char* first, std::size_t length, std::size_t step = 1) {
        for (;; first += length * step) {
            const std::string_view text = without_blanks(first, length);
            if (text.empty()) break;
            texts_.emplace_back(text);
        }
        point();
    }
    /// So many of them.
    static Strings counted(const char* first, std::size_t length, int count) {
        Strings strings;
        for (int i = 0; i < count; ++i, first += length)
            strings.texts_.emplace_back(without_blanks(first, length));
        strings.point();
        return strings;
    }
    Strings(Strings&&) = default;
    operator char**() { return pointers_.data(); }

  private:
    Strings() = default;
    void point() {
        for (std::string& text : texts_)
            pointers_.push_back(text.data());
        pointers_.push_back(nullptr);
    }
    std::vector<std::string> texts_;
    std::vector<char*> pointers_;
};

/// MPI-1's addresses.
class Narrow : public Result<MPI_Aint> {
  public:
    explicit Narrow(int* to) : Result(*to), to_(to) {}
    ~Narrow() { *to_ = static_cast<int>(value_); }

  private:
    int* to_;
};

std::vector<MPI_Aint> wide(const int* addresses, int count) {
    return {addresses, addresses + std::max(count, 0)};
}

bool is_null(const char* argv) {
    return argv == &mpiprivc_.argv_null || argv == &mpiprivc_.argvs_null ||
           argv == &__mpi_f08_link_constants_MOD_mpi_argv_null ||
           argv == &__mpi_f08_link_constants_MOD_mpi_argvs_null;
}

}  // namespace

extern "C" {

void mpi_init_(int* ierror) {
    finish(ierror, MPI_Init(nullptr, nullptr));
}
NAMES_OF_ALL("init", "INIT")

void mpi_init_thread_(const int* required, int* provided, int* ierror) {
    finish(ierror, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
NAMES_OF_ALL("init_thread", "INIT_THREAD")

void mpi_pcontrol_(const int* level, int* ierror) {
    finish(ierror, MPI_Pcontrol(*level));
}
NAMES_OF_ALL("pcontrol", "PCONTROL")

/// mpi_f08 has it under a name of its own.
void mpi_op_create_c_(MPI_User_function_c* function, const int* commute, MPI_Op* op, int* ierror) {
    finish(ierror, MPI_Op_create_c(function, *commute, op));
}
FORTRAN_NAMES("mpi_op_create_c", "MPI_OP_CREATE_C")

void mpi_info_create_env_(MPI_Info* info, int* ierror) {
    finish(ierror, MPI_Info_create_env(0, nullptr, info));
}
NAMES_OF_ALL("info_create_env", "INFO_CREATE_ENV")

void mpi_info_get_string_(const MPI_Info* info, const char* key, int* buflen, char* value,
                          int* flag, int* ierror, std::size_t key_length,
                          std::size_t value_length) {
    finish(ierror, MPI_Info_get_string(*info, Stripped(key, key_length), Length(buflen),
                                       Text(value, value_length), Flag(flag)));
}
NAMES_OF_ALL("info_get_string", "INFO_GET_STRING")

void mpi_session_get_nth_pset_(const MPI_Session* session, const MPI_Info* info, const int* n,
                               int* pset_len, char* pset_name, int* ierror, std::size_t length) {
    finish(ierror, MPI_Session_get_nth_pset(*session, *info, *n, Length(pset_len),
                                            Text(pset_name, length)));
}
NAMES_OF_ALL("session_get_nth_pset", "SESSION_GET_NTH_PSET")

void mpi_comm_spawn_(const char* command, const char* argv, const int* maxprocs,
                     const MPI_Info* info, const int* root, const MPI_Comm* comm,
                     MPI_Comm* intercomm, int* codes, int* ierror, std::size_t command_length,
                     std::size_t argv_length) {
    const String program(command, command_length);
    if (is_null(argv))
        return finish(ierror, MPI_Comm_spawn(program, MPI_ARGV_NULL, *maxprocs, *info, *root, *comm,
                                             intercomm, to_errcodes(codes)));
    finish(ierror, MPI_Comm_spawn(program, Strings(argv, argv_length), *maxprocs, *info, *root,
                                  *comm, intercomm, to_errcodes(codes)));
}
NAMES_OF_ALL("comm_spawn", "COMM_SPAWN")

void mpi_comm_spawn_multiple_(const int* count, const char* commands, const char* argvs,
                              const int* maxprocs, const MPI_Info* infos, const int* root,
                              const MPI_Comm* comm, MPI_Comm* intercomm, int* codes, int* ierror,
                              std::size_t command_length, std::size_t argv_length) {
    Strings programs = Strings::counted(commands, command_length, *count);
    std::vector<Strings> rows;
    std::vector<char**> pointers;
    if (!is_null(argvs)) {
        // A row of Fortran's array is a program's: its elements lie `count` apart.
        const auto step = static_cast<std::size_t>(*count);
        for (std::size_t i = 0; i < step; ++i)
            rows.emplace_back(argvs + i * argv_length, argv_length, step);
        for (Strings& row : rows)
            pointers.push_back(row);
    }
    finish(ierror, MPI_Comm_spawn_multiple(
                       *count, programs, pointers.empty() ? MPI_ARGVS_NULL : pointers.data(),
                       maxprocs, infos, *root, *comm, intercomm, to_errcodes(codes)));
}
NAMES_OF_ALL("comm_spawn_multiple", "COMM_SPAWN_MULTIPLE")

// mpif.h's programs have an array there, which would be overwritten; mpi_f08's a pointer.

void mpi_buffer_detach_(void*, int* size, int* ierror) {
    void* buffer = nullptr;
    finish(ierror, MPI_Buffer_detach(&buffer, size));
}
FORTRAN_NAMES("mpi_buffer_detach", "MPI_BUFFER_DETACH")
void mpi_buffer_detach_f08_(void* buffer, int* size, int* ierror) {
    finish(ierror, MPI_Buffer_detach(buffer, size));
}
FORTRAN_ALSO("mpi_buffer_detach_f08_", "pmpir_buffer_detach_f08_")

void mpi_comm_detach_buffer_(const MPI_Comm* comm, void*, int* size, int* ierror) {
    void* buffer = nullptr;
    finish(ierror, MPI_Comm_detach_buffer(*comm, &buffer, size));
}
FORTRAN_NAMES("mpi_comm_detach_buffer", "MPI_COMM_DETACH_BUFFER")
void mpi_comm_detach_buffer_f08_(const MPI_Comm* comm, void* buffer, int* size, int* ierror) {
    finish(ierror, MPI_Comm_detach_buffer(*comm, buffer, size));
}
FORTRAN_ALSO("mpi_comm_detach_buffer_f08_", "pmpir_comm_detach_buffer_f08_")

void mpi_session_detach_buffer_(const MPI_Session* session, void*, int* size, int* ierror) {
    void* buffer = nullptr;
    finish(ierror, MPI_Session_detach_buffer(*session, &buffer, size));
}
FORTRAN_NAMES("mpi_session_detach_buffer", "MPI_SESSION_DETACH_BUFFER")
void mpi_session_detach_buffer_f08_(const MPI_Session* session, void* buffer, int* size,
                                    int* ierror) {
    finish(ierror, MPI_Session_detach_buffer(*session, buffer, size));
}
FORTRAN_ALSO("mpi_session_detach_buffer_f08_", "pmpir_session_detach_buffer_f08_")

// MPI-1.

void mpi_address_(void* location, int* address, int* ierror) {
    MPI_Aint whole = 0;
    const int code = MPI_Get_address(to_buffer(location), &whole);
    *address = static_cast<int>(whole);
    finish(ierror, code);
}
FORTRAN_NAMES("mpi_address", "MPI_ADDRESS")

void mpi_type_extent_(const MPI_Datatype* type, int* extent, int* ierror) {
    finish(ierror, MPI_Type_extent(*type, Narrow(extent)));
}
FORTRAN_NAMES("mpi_type_extent", "MPI_TYPE_EXTENT")

void mpi_type_lb_(const MPI_Datatype* type, int* displacement, int* ierror) {
    finish(ierror, MPI_Type_lb(*type, Narrow(displacement)));
}
FORTRAN_NAMES("mpi_type_lb", "MPI_TYPE_LB")

void mpi_type_ub_(const MPI_Datatype* type, int* displacement, int* ierror) {
    finish(ierror, MPI_Type_ub(*type, Narrow(displacement)));
}
FORTRAN_NAMES("mpi_type_ub", "MPI_TYPE_UB")

void mpi_type_hvector_(const int* count, const int* length, const int* stride,
                       const MPI_Datatype* old, MPI_Datatype* made, int* ierror) {
    finish(ierror, MPI_Type_hvector(*count, *length, *stride, *old, made));
}
FORTRAN_NAMES("mpi_type_hvector", "MPI_TYPE_HVECTOR")

void mpi_type_hindexed_(const int* count, int* lengths, const int* places, const MPI_Datatype* old,
                        MPI_Datatype* made, int* ierror) {
    finish(ierror, MPI_Type_hindexed(*count, lengths, wide(places, *count).data(), *old, made));
}
FORTRAN_NAMES("mpi_type_hindexed", "MPI_TYPE_HINDEXED")

void mpi_type_struct_(const int* count, int* lengths, const int* places, MPI_Datatype* types,
                      MPI_Datatype* made, int* ierror) {
    finish(ierror, MPI_Type_struct(*count, lengths, wide(places, *count).data(), types, made));
}
FORTRAN_NAMES("mpi_type_struct", "MPI_TYPE_STRUCT")

}  // extern "C"

}  // namespace railyard::mpi::fortran
