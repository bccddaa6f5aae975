#pragma once
/// What was done before work was interrupted: it lies beside the file that it was for, so that a
/// later call can go on.

#include <string>
#include <vector>

#include "experiments/core/plan.hpp"

namespace railyard::cli {

/// "out.json.partial"
std::string kept_beside(const std::string& file);

/// Throws UsageError if there is none, or if it is another build's.
std::vector<experiments::Finished> read_kept(const std::string& file);
/// What to tell of it, behind what went wrong. Keeps nothing where nothing is done.
std::string keep(const std::string& file, const std::vector<experiments::Finished>& finished);
/// All is done, and nobody needs it any more.
void forget_kept(const std::string& file);

/// Says, when a signal ends this process, what is kept by then.
class Interrupted {
  public:
    Interrupted() = default;
    ~Interrupted();
    Interrupted(const Interrupted&) = delete;
    Interrupted& operator=(const Interrupted&) = delete;
    /// What keep() says. The first call begins to watch for signals.
    void say(const std::string& kept);
};

}  // namespace railyard::cli
