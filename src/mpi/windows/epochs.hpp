#pragma once
/// Which synchronisation of a window is open at this rank, and so which targets its operations may
/// reach. Knows nothing of messages. What does not fit is an MpiError (rma_sync, rma_conflict).

#include <cstdint>
#include <vector>

#include "mpi/windows/shared_words.hpp"

namespace railyard::mpi {

class Epochs {
  public:
    explicit Epochs(int ranks) : open_(static_cast<std::size_t>(ranks), Open::no) {}

    /// What is there between this rank and a target.
    enum class Open : std::uint8_t {
        no,
        started,
        locked_shared,
        locked_exclusive,
        locked_unchecked,  ///< no lock was taken: the program says that none is needed
    };

    bool may_use(int target) const { return reaches(target); }
    /// Before each operation.
    void use(int target) {
        if (!reaches(target)) [[unlikely]]
            throw_no_epoch(target);
        is_used_ = true;
    }

    // Each changes the state, or throws.

    void check_fence() const;
    void fence(bool another_follows);
    void start(const std::vector<int>& targets);
    /// Returns the targets of start().
    std::vector<int> complete();
    void post();
    void check_posted() const;
    void end_post() { is_posted_ = false; }
    void lock(int target, Open how);
    Open unlock(int target);
    void lock_all(Open how);
    Open unlock_all();
    /// Of operations that return a request: they are of passive synchronisation alone.
    void check_passive(int target) const;
    /// Of MPI_Win_flush: a lock is held on the target.
    void check_flush(int target) const;
    void check_flush_all() const;
    /// Of MPI_Win_free: nothing is open.
    void check_none() const;

  private:
    enum class Kind : std::uint8_t { none, fence, started, locked, locked_all };

    bool reaches(int target) const {
        return kind_ == Kind::fence || kind_ == Kind::locked_all ||
               open_[static_cast<std::size_t>(target)] != Open::no;
    }
    bool has_locked(int target) const {
        return kind_ == Kind::locked_all ||
               (kind_ == Kind::locked && open_[static_cast<std::size_t>(target)] != Open::no);
    }
    /// A fence that no operation has followed need not be closed by another.
    bool is_free() const { return kind_ == Kind::none || (kind_ == Kind::fence && !is_used_); }
    void check_free(const char* what) const;
    [[noreturn]] void throw_no_epoch(int target) const;

    Kind kind_ = Kind::none;
    bool is_used_ = false;  ///< operations have followed the fence
    bool is_posted_ = false;
    int locks_ = 0;
    Open all_ = Open::no;     ///< of lock_all()
    std::vector<Open> open_;  ///< by target
};

}  // namespace railyard::mpi
