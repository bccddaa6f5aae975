#pragma once
/// Room for the descriptors that a job of many processes needs: raises this process's soft limit
/// where it is too low, and puts it back.

#include <sys/resource.h>

#include <cstddef>

namespace railyard::job {

class FileLimit {
  public:
    /// Room for `more` descriptors on top of those open now. Throws Error if the hard limit is
    /// less.
    explicit FileLimit(std::size_t more);
    ~FileLimit();
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

    /// For a forked child, which gets the limit that its launcher had.
    void undo_in_child() const;

  private:
    rlimit previous_{};
    bool raised_ = false;
};

}  // namespace railyard::job
