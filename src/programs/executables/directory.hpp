#pragma once
/// The working directory of one rank's program. The system knows one of this process; when programs
/// have several, it is changed as they take turns.

#include "base/descriptor.hpp"

namespace railyard::executables {

class Directory {
  public:
    /// The process has this one from now on.
    void use() const;
    /// As chdir and fchdir: 0, or -1 with the reason in errno.
    int change(const char* path);
    int change(int descriptor);

    /// The process has the one again that it had before any program ran.
    static void leave();

  private:
    int remember();

    Descriptor place_;  ///< none: the process's
};

}  // namespace railyard::executables
