#pragma once
/// The standard input of a rank whose launcher's is on another host: a pipe that takes what came,
/// as fast as the rank reads it.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/reactor.hpp"

namespace railyard::cluster {

class InputFeed {
  public:
    /// Calls `ready` when advance() can do something. The reactor outlives it. Throws Error.
    InputFeed(Reactor& reactor, Reactor::Call ready);

    /// What the rank reads from. It stays open here as well: nobody is hurt by writing to a rank
    /// that does not read.
    int reading_end() const { return read_.get(); }

    void add(std::string_view bytes) { waiting_ += bytes; }
    void end() { ended_ = true; }
    /// Gives the rank what it takes now, and says how much that was.
    std::size_t advance();

  private:
    Reactor& reactor_;
    Reactor::Call ready_;
    Descriptor read_;
    Descriptor write_;
    Reactor::Watch watch_;
    std::string waiting_;
    bool ended_ = false;
};

}  // namespace railyard::cluster
