#pragma once
/// The threads that a rank's program makes: they compute for their rank, side by side as they would
/// on a node of its own, whatever this machine has.

#include <time.h>

#include <list>
#include <mutex>

#include "railyard/base/time.hpp"

namespace railyard::executables {

class Threads {
  public:
    /// From its beginning to its end, in the thread itself.
    class Here {
      public:
        explicit Here(Threads& threads);
        ~Here();
        Here(const Here&) = delete;
        Here& operator=(const Here&) = delete;

      private:
        friend class Threads;
        Threads& threads_;
        clockid_t clock_{};  ///< of the processor time that it uses
        Duration told_;      ///< of which this much has been told
    };

    /// The processor time since this was asked of the thread that used most.
    Duration computed();

  private:
    static Duration used(const Here& thread);

    std::mutex mutex_;
    std::list<Here*> all_;
    Duration of_ended_;  ///< the same, of those that have ended since
};

}  // namespace railyard::executables
