#pragma once
/// Where what the ranks of this host print goes: to this process's own output, through pipes, so
/// that no byte is lost however a rank ends, and that a byte which is lost is told of.

#include <functional>
#include <memory>

#include "base/reactor.hpp"
#include "launch/job/job.hpp"
#include "launch/job/output.hpp"
#include "launch/job/rank_process.hpp"

namespace railyard::job {

class Launcher;

class RankPrinter {
  public:
    /// Without labels ranks share a terminal by themselves, so that they know it for one. The
    /// reactor outlives it.
    RankPrinter(Reactor& reactor, int ranks, bool with_labels);
    RankPrinter(const RankPrinter&) = delete;
    RankPrinter& operator=(const RankPrinter&) = delete;

    /// For Launcher::Options.
    RankOutputs outputs(int rank);
    /// Whom to ask for more, or not, from now on. It outlives the printer.
    void attach(Launcher& launcher) { launcher_ = &launcher; }
    /// After the run: waits until all is written, or somebody is tired of it, and tells of what was
    /// lost.
    void settle(Result& result);

  private:
    std::unique_ptr<Output> output_to(int rank, OutputFile& file);
    void on_change(RankProcess::Stream stream, const OutputFile& file);
    bool is_idle() const;

    Reactor& reactor_;
    int ranks_;
    bool with_labels_;
    Launcher* launcher_ = nullptr;
    std::unique_ptr<OutputFile> output_;  ///< none: ranks print by themselves
    std::unique_ptr<OutputFile> errors_;
    bool joined_ = false;  ///< both are the same file, where order is kept
};

}  // namespace railyard::job
