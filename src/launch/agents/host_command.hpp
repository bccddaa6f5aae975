#pragma once
/// The process by which a launcher starts the agent of a host: `ssh HOST mpiexec --agent`, or the
/// agent itself on this host. It is told on its standard input whom to call.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "railyard/base/time.hpp"

namespace railyard::cluster {

class HostCommand {
  public:
    /// Whether hosts are named to it as on the network; to others, a name may mean anything.
    static bool takes_network_names(const std::vector<std::string>& launcher);
    /// What is run to have an agent on that host.
    static std::vector<std::string> words(const std::vector<std::string>& launcher,
                                          const std::string& host,
                                          const std::vector<std::string>& agent);

    /// `input` fits into a pipe. `prepare` as for spawn(). Throws CannotStart.
    HostCommand(const std::vector<std::string>& words, const std::string& input,
                const std::function<void()>& prepare);
    /// One that still runs is killed.
    ~HostCommand();
    HostCommand(const HostCommand&) = delete;
    HostCommand& operator=(const HostCommand&) = delete;

    /// Readable when it has ended; -1 once that was seen.
    int descriptor() const { return process_.get(); }
    /// How it ended, once it has: "exited with code 255".
    std::optional<std::string> ending();
    /// What it was, as somebody would type it.
    const std::string& text() const { return text_; }

  private:
    std::string text_;
    pid_t pid_ = -1;
    Descriptor process_;  ///< a pidfd
};

}  // namespace railyard::cluster
