#pragma once
/// The seam between a rank and whoever started it: what a process manager gives to each rank before
/// any fabric is up.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/error.hpp"
#include "railyard/fabric.hpp"

namespace railyard::job {

/// How Rank::abort ends a rank that is no process of its own. To be caught by the job alone.
class AbortCalled : public Error {
  public:
    AbortCalled(int code, std::string_view why) : Error(std::string(why)), code_(code) {}
    int code() const { return code_; }

  private:
    int code_;
};

/// Who the rank is, and an exchange of small values under (rank, key). The board of one host is one
/// (board.hpp); other process managers bring their own (see join_by). When it is destroyed, the
/// rank takes leave of the others.
class Bootstrap {
  public:
    virtual ~Bootstrap() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Ranks of one node share memory. Throws UsageError if there is no such rank.
    virtual fabric::NodeId node_of(int rank) const = 0;
    /// Publishes a value of this rank's. A key is put once.
    virtual void put(std::string_view key, std::span<const std::byte> value) = 0;
    /// The value that `rank` put under `key`; waits until it is there. To be put and committed
    /// before.
    virtual std::vector<std::byte> get(int rank, std::string_view key) = 0;
    /// From here on others may get what was put so far. All ranks call it as often as each other,
    /// and a fence does the same. Where a rank's log is read by the others it is nothing; process
    /// managers hand values over when all ranks have said so. Does not wait.
    virtual void commit() {}
    /// Returns once every rank has entered.
    virtual void fence() = 0;
    /// The same for a rank whom others may still need until they have entered, too: `meanwhile` is
    /// called every few milliseconds; in virtual time, whenever something has arrived.
    virtual void fence_while(const std::function<void()>& /*meanwhile*/) { fence(); }
    /// Ends the whole job, with that exit code. A process ends here and now, without destructors;
    /// other kinds of ranks throw AbortCalled.
    [[noreturn]] virtual void abort(int code, std::string_view why) = 0;
};

/// An exit code as a process can have it: never 0 by accident.
int as_exit_code(int code);

// The complaints of an exchange, the same for ranks of every kind.
UsageError bootstrap_no_such_rank(int rank, int ranks);
UsageError bootstrap_put_twice(int rank, std::string_view key);
Error bootstrap_full(int rank, std::size_t room, std::string_view key, std::size_t value_size);
Error bootstrap_never_put(int rank, std::string_view key);
Error bootstrap_outside_fence(int absent, int waiting);

}  // namespace railyard::job
