#pragma once
/// The standard input of a rank whose launcher's is on another host: a pipe that takes what came,
/// as fast as the rank reads it.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace railyard::cluster {

class InputFeed {
  public:
    InputFeed();  ///< Throws Error.

    /// What the rank reads from. It stays open here as well: nobody is hurt by writing to a rank
    /// that does not read.
    int reading_end() const { return read_.get(); }

    void add(std::string_view bytes) { waiting_ += bytes; }
    void end() { ended_ = true; }
    /// Readable when advance() can do something.
    int descriptor() const { return ready_.get(); }
    /// Gives the rank what it takes now, and says how much that was.
    std::size_t advance();

  private:
    void watch(bool yes);

    Descriptor read_;
    Descriptor write_;
    Descriptor ready_;  ///< an epoll of the pipe alone
    std::string waiting_;
    bool ended_ = false;
    bool watches_ = false;
};

}  // namespace railyard::cluster
