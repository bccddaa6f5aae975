#include "mpi/windows/epochs.hpp"

#include <string>

#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

[[noreturn]] void throw_sync(const std::string& what) {
    throw MpiError(ErrorClass::rma_sync, what);
}

}  // namespace

void Epochs::throw_no_epoch(int target) const {
    throw_sync("no access epoch is open for rank " + std::to_string(target) +
               "; begin one with MPI_Win_fence, MPI_Win_start or MPI_Win_lock");
}

void Epochs::check_free(const char* what) const {
    if (is_free()) return;
    throw_sync(std::string(what) +
               " was called in an access epoch of another kind; end that first");
}

void Epochs::check_fence() const {
    if ((kind_ != Kind::none && kind_ != Kind::fence) || is_posted_)
        throw_sync("MPI_Win_fence was called in an epoch of another kind; end that first");
}

void Epochs::fence(bool another_follows) {
    kind_ = another_follows ? Kind::fence : Kind::none;
    is_used_ = false;
}

void Epochs::start(const std::vector<int>& targets) {
    check_free("MPI_Win_start");
    kind_ = Kind::started;
    for (const int target : targets)
        open_[static_cast<std::size_t>(target)] = Open::started;
}

std::vector<int> Epochs::complete() {
    if (kind_ != Kind::started)
        throw_sync("MPI_Win_complete was called, but no MPI_Win_start before it");
    kind_ = Kind::none;
    std::vector<int> targets;
    for (std::size_t target = 0; target < open_.size(); ++target) {
        if (open_[target] == Open::no) continue;
        open_[target] = Open::no;
        targets.push_back(static_cast<int>(target));
    }
    return targets;
}

void Epochs::post() {
    if (is_posted_)
        throw_sync("MPI_Win_post was called twice; call MPI_Win_wait or MPI_Win_test in between");
    if (kind_ == Kind::fence && is_used_)
        throw_sync("MPI_Win_post was called between two fences; call MPI_Win_fence first");
    is_posted_ = true;
}

void Epochs::check_posted() const {
    if (!is_posted_) throw_sync("there is nothing to wait for; call MPI_Win_post first");
}

void Epochs::lock(int target, Open how) {
    if (kind_ != Kind::locked) check_free("MPI_Win_lock");
    Open& open = open_[static_cast<std::size_t>(target)];
    if (open != Open::no)
        throw MpiError(
            ErrorClass::rma_conflict,
            "this rank has locked rank " + std::to_string(target) + " already; unlock it first");
    open = how;
    kind_ = Kind::locked;
    ++locks_;
}

Epochs::Open Epochs::unlock(int target) {
    Open& open = open_[static_cast<std::size_t>(target)];
    if (kind_ != Kind::locked || open == Open::no)
        throw_sync("rank " + std::to_string(target) + " is not locked by MPI_Win_lock");
    const Open how = open;
    open = Open::no;
    if (--locks_ == 0) kind_ = Kind::none;
    return how;
}

void Epochs::lock_all(Open how) {
    check_free("MPI_Win_lock_all");
    kind_ = Kind::locked_all;
    all_ = how;
}

Epochs::Open Epochs::unlock_all() {
    if (kind_ != Kind::locked_all)
        throw_sync("MPI_Win_unlock_all was called, but no MPI_Win_lock_all before it");
    kind_ = Kind::none;
    return all_;
}

void Epochs::check_passive(int target) const {
    if (has_locked(target)) return;
    if (!reaches(target)) throw_no_epoch(target);
    throw_sync("rank " + std::to_string(target) +
               " is not locked; operations that return a request are allowed between a lock and "
               "its unlock only, not between fences or after MPI_Win_start");
}

void Epochs::check_flush(int target) const {
    if (!has_locked(target))
        throw_sync("rank " + std::to_string(target) +
                   " is not locked; only operations between a lock and its unlock are flushed");
}

void Epochs::check_flush_all() const {
    if (kind_ != Kind::locked && kind_ != Kind::locked_all)
        throw_sync("nothing is locked; only operations between a lock and its unlock are flushed");
}

void Epochs::check_none() const {
    if (!is_free() || is_posted_)
        throw_sync("the window has an epoch open; end that before MPI_Win_free");
}

}  // namespace railyard::mpi
