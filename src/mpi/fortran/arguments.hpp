#pragma once
/// How arguments of Fortran's procedures become those of C's functions: addresses that stand for
/// something, strings, LOGICAL, indices. Objects live as long as the call they are arguments of,
/// and what C has written is handed on at its end. Handles are the same integers in both languages,
/// and statuses the same five.

#include <mpi.h>

#include <cstddef>
#include <string>
#include <string_view>

/// All names of a definition `lower`_: compilers add no underscore, one or two, or write capitals.
#define FORTRAN_NAMES(lower, UPPER)         \
    FORTRAN_ALSO(lower "_", lower)          \
    FORTRAN_ALSO(lower "_", lower "__")     \
    FORTRAN_ALSO(lower "_", UPPER)          \
    FORTRAN_ALSO(lower "_", "p" lower)      \
    FORTRAN_ALSO(lower "_", "p" lower "_")  \
    FORTRAN_ALSO(lower "_", "p" lower "__") \
    FORTRAN_ALSO(lower "_", "P" UPPER)      \
    __asm__(".weak " lower "_");
/// Another name of a definition of the same file. A program may define it instead.
#define FORTRAN_ALSO(of, name) __asm__(".weak " name "\n.set " name ", " of);

// Addresses that programs compare: mpif.h's common blocks, and variables of mpi_f08. Where a
// program has them, its own are meant.
extern "C" {
struct MpiPriv1 {
    MPI_Fint bottom, in_place, status_ignore[5];
};
struct MpiPriv2 {
    MPI_Fint statuses_ignore[5], errcodes_ignore;
};
struct MpiPrivC {
    char argvs_null, argv_null;
};
extern MpiPriv1 mpipriv1_;
extern MpiPriv2 mpipriv2_;
extern MpiPrivC mpiprivc_;
extern MPI_Fint mpifcmb5_;  // MPI_UNWEIGHTED
extern MPI_Fint mpifcmb9_;  // MPI_WEIGHTS_EMPTY
extern MPI_Fint mpifcmba_;  // MPI_BUFFER_AUTOMATIC, which MPICH 4.0 lacks

extern MPI_Fint MPIR_F08_MPI_BOTTOM, MPIR_F08_MPI_IN_PLACE, MPIR_F08_MPI_BUFFER_AUTOMATIC;
extern MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ, MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
extern MPI_Fint __mpi_f08_link_constants_MOD_mpi_unweighted;
extern MPI_Fint __mpi_f08_link_constants_MOD_mpi_weights_empty;
extern MPI_Fint __mpi_f08_link_constants_MOD_mpi_errcodes_ignore;
extern char __mpi_f08_link_constants_MOD_mpi_argv_null;
extern char __mpi_f08_link_constants_MOD_mpi_argvs_null;
}

namespace railyard::mpi::fortran {

/// mpi_f08's error argument is optional.
inline void finish(int* ierror, int code) {
    if (ierror != nullptr) *ierror = code;
}

inline void* to_buffer(const void* address) {
    if (address == &mpipriv1_.bottom) [[unlikely]]
        return MPI_BOTTOM;
    if (address == &mpipriv1_.in_place) [[unlikely]]
        return MPI_IN_PLACE;
    return const_cast<void*>(address);
}

/// What is attached for buffered sends.
inline void* to_attached(void* address) {
    const bool is_automatic = address == &mpifcmba_ || address == &MPIR_F08_MPI_BUFFER_AUTOMATIC;
    return is_automatic ? MPI_BUFFER_AUTOMATIC : address;
}

/// One or several.
inline MPI_Status* to_status(const MPI_Status* address) {
    const void* const place = address;
    if (place == mpipriv1_.status_ignore || place == mpipriv2_.statuses_ignore ||
        place == &MPIR_F08_MPI_STATUS_IGNORE_OBJ || place == &MPIR_F08_MPI_STATUSES_IGNORE_OBJ)
        return MPI_STATUS_IGNORE;
    return const_cast<MPI_Status*>(address);
}

inline int* to_weights(const int* address) {
    if (address == &mpifcmb5_ || address == &__mpi_f08_link_constants_MOD_mpi_unweighted)
        return MPI_UNWEIGHTED;
    if (address == &mpifcmb9_ || address == &__mpi_f08_link_constants_MOD_mpi_weights_empty)
        return MPI_WEIGHTS_EMPTY;
    return const_cast<int*>(address);
}

inline int* to_errcodes(int* address) {
    const bool ignored = address == &mpipriv2_.errcodes_ignore ||
                         address == &__mpi_f08_link_constants_MOD_mpi_errcodes_ignore;
    return ignored ? MPI_ERRCODES_IGNORE : address;
}

/// A result that C writes and Fortran gets otherwise.
template <class Value>
class Result {
  public:
    Result(const Result&) = delete;
    Result& operator=(const Result&) = delete;
    operator Value*() { return &value_; }

  protected:
    explicit Result(Value value) : value_(value) {}
    ~Result() = default;
    Value value_;
};

/// A LOGICAL: 0 or 1, whatever C says for true.
class Flag : public Result<int> {
  public:
    explicit Flag(int* to) : Result(*to), to_(to) {}
    ~Flag() { *to_ = value_ != 0 ? 1 : 0; }

  private:
    int* to_;
};

/// Counted from 1.
class Index : public Result<int> {
  public:
    explicit Index(int* to) : Result(MPI_UNDEFINED), to_(to) {}
    ~Index() { *to_ = value_ == MPI_UNDEFINED ? value_ : value_ + 1; }

  private:
    int* to_;
};

class Indices {
  public:
    Indices(int* indices, int* count) : indices_(indices), count_(count) { *count_ = 0; }
    ~Indices() {
        for (int i = 0; i < *count_; ++i)
            ++indices_[i];
    }
    Indices(const Indices&) = delete;
    Indices& operator=(const Indices&) = delete;
    operator int*() { return indices_; }

  private:
    int* indices_;
    int* count_;
};

class NewFile : public Result<MPI_File> {
  public:
    explicit NewFile(int* to) : Result(MPI_File_f2c(*to)), to_(to) {}
    ~NewFile() { *to_ = MPI_File_c2f(value_); }

  private:
    int* to_;
};

inline std::string_view without_blanks(const char* text, std::size_t length) {
    std::string_view view(text, length);
    const auto last = view.find_last_not_of(' ');
    return view.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// Without the blanks that follow.
class String {
  public:
    String(const char* text, std::size_t length) : text_(without_blanks(text, length)) {}
    operator const char*() const { return text_.c_str(); }

  protected:
    std::string text_;
};

/// Without the blanks before it, too: MPI wants keys and values of info objects so.
class Stripped : public String {
  public:
    Stripped(const char* text, std::size_t length) : String(text, length) {
        text_.erase(0, text_.find_first_not_of(' '));
    }
};

/// Written by C: blanks follow. Left as it is if C writes nothing.
class Text {
  public:
    Text(char* to, std::size_t length) : to_(to), length_(length) { text_[0] = untouched; }
    ~Text();
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    operator char*() { return text_; }

  private:
    static constexpr char untouched = '\1';
    char* to_;
    std::size_t length_;
    char text_[MPI_MAX_LIBRARY_VERSION_STRING];  ///< the longest that MPI writes
};

}  // namespace railyard::mpi::fortran
