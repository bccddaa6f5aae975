#pragma once
/// This process's standard input, read for a rank on another host: as much as it takes, and only
/// while the terminal is ours to read.

#include <cstddef>
#include <optional>
#include <string>

namespace railyard::cluster {

class OwnInput {
  public:
    OwnInput();

    /// So many bytes more may be read.
    void allow(std::size_t bytes) { allowed_ += bytes; }
    /// What is to be watched now; -1: nothing.
    int descriptor() const;
    /// Nothing is watched because the terminal is somebody else's for now: look again later.
    bool waits_for_terminal() const;
    /// What came, once the descriptor is readable; empty: the end. None: nothing after all.
    std::optional<std::string> read();

  private:
    bool is_terminal_;
    std::size_t allowed_ = 0;
    bool ended_ = false;
};

}  // namespace railyard::cluster
