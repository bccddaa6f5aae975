#pragma once
/// Choice buffers of the module mpi_f08. They come as descriptors of gfortran, so that sections
/// with gaps need no copy by the compiler: a section is a datatype, or a copy that is ours.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace railyard::mpi::fortran {

/// gfortran's own, since its version 8; not the one of ISO_Fortran_binding.h.
struct Descriptor {
    struct Dimension {
        std::ptrdiff_t stride;  ///< in units of `span`
        std::ptrdiff_t lower, upper;
    };
    void* base;  ///< the first element
    std::size_t offset;
    std::size_t element_size;
    int version;
    std::int8_t rank, type;
    std::int16_t attribute;
    std::ptrdiff_t span;  ///< bytes; 0: an element
    Dimension dimensions[15];

    /// In bytes.
    std::ptrdiff_t step(int dimension) const {
        return dimensions[dimension].stride *
               (span != 0 ? span : static_cast<std::ptrdiff_t>(element_size));
    }
    /// Below 0 for the last one of an array that is passed on without its size.
    std::ptrdiff_t extent(int dimension) const {
        return dimensions[dimension].upper - dimensions[dimension].lower + 1;
    }
    bool has_gaps() const;
};

/// Where it begins, or what it stands for.
void* to_address(const Descriptor* descriptor);

/// One block of data: the first `count` of `type` in the section, were it without gaps. Where there
/// are gaps it is a datatype of its own; its elements must be what `type` describes densely, else
/// the type is MPI_DATATYPE_NULL, and the call fails with MPI_ERR_TYPE.
class Section {
  public:
    Section(const Descriptor* descriptor, MPI_Count count, MPI_Datatype type);
    /// So many blocks of `count` each.
    Section(const Descriptor* descriptor, MPI_Count count, MPI_Datatype type, int blocks);
    /// Calls that still use the type keep it.
    ~Section() {
        if (made_) PMPI_Type_free(&type_);
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

    void* address() const { return address_; }
    template <class Count>
    Count count() const {
        return static_cast<Count>(count_);
    }
    MPI_Datatype type() const { return type_; }

  private:
    void make(const Descriptor& descriptor);

    void* address_;
    MPI_Count count_;
    mutable MPI_Datatype type_;
    bool made_ = false;
};

/// All of a section without its gaps: for calls with several blocks, and for reductions. One that
/// has no gaps is not copied.
class Copy {
  public:
    enum Direction { in, both };
    Copy(const Descriptor* descriptor, Direction direction);
    /// Brings back what was written.
    ~Copy();
    Copy(Copy&&) = default;
    Copy& operator=(Copy&&) = delete;

    void* address() const { return is_copy() ? bytes_.get() : address_; }
    bool is_copy() const { return bytes_ != nullptr; }
    void collect();
    void bring_back();
    /// What was written stays in the copy.
    void drop() { bytes_.reset(); }

  private:
    Descriptor descriptor_{};
    void* address_;
    Direction direction_;
    std::unique_ptr<std::byte[]> bytes_;
};

/// After a call that started or made a collective and returned `code`: copies are kept until it is
/// over, collected again whenever it is started, and brought back when it is complete.
int stage(int code, MPI_Request* request, Copy& first);
int stage(int code, MPI_Request* request, Copy& first, Copy& second);

}  // namespace railyard::mpi::fortran
