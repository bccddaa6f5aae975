#pragma once
/// Memory that all ranks of a job on one node have in common: who they are, where they may run, and
/// a board for what they put. The first rank makes it.

#include <sys/types.h>

#include <utility>

#include "base/shared_memory.hpp"
#include "launch/job/board.hpp"
#include "railyard/base/time.hpp"

namespace railyard::managers {

class NodeShare {
  public:
    /// For so many ranks, here called members and counted from 0. Throws Error.
    static NodeShare create(int members);
    /// Throws Error if it cannot be mapped here, or is for another number.
    static NodeShare open(const SharedMemory::Handle& handle, int members);

    const SharedMemory::Handle& handle() const { return memory_.handle(); }
    int members() const { return board_.ranks(); }
    job::Board board() const { return board_; }

    /// This process is that member.
    void enter(int member);
    int entered() const;
    /// Waits until all have; false: not for longer than that.
    bool await_all(Duration patience) const;
    pid_t process_of(int member) const;
    /// Whether there are more members than cores that they may run on. Known when all have entered.
    bool shares_cores() const;

  private:
    struct Page;
    NodeShare(SharedMemory memory, job::Board board) : memory_(std::move(memory)), board_(board) {}
    Page& page() const;

    SharedMemory memory_;
    job::Board board_;
};

}  // namespace railyard::managers
