#pragma once
/// A connection between two processes of a job that have recognised each other: sealed frames, both
/// ways. Nothing here blocks; what cannot be sent yet is kept.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "launch/links/handshake.hpp"
#include "launch/links/seal.hpp"
#include "railyard/base/time.hpp"

namespace railyard::links {

class Link {
  public:
    /// `rest` are bytes that came behind the handshake. Throws Error.
    Link(Descriptor socket, const Keys& keys, Side side, std::string_view rest = {});

    /// Readable when there is something to do here: call receive() then. Also once after making it.
    int descriptor() const { return ready_.get(); }

    /// Never waits. Once the link is lost it does nothing.
    void send(std::uint32_t kind, std::string_view payload);
    /// Hands over what has come, and sends on what had to wait. False: the other is gone, and why()
    /// says how; frames that came before were handed over.
    bool receive(const Unsealer::Take& take);
    const std::string& why() const { return why_; }

    /// The address of this host on the way to the other, as a number.
    std::string own_address() const;

    /// How much has not been handed to the system yet.
    std::size_t backlog() const { return output_.size(); }
    /// Waits until there is none, or until that time has passed.
    void drain(Duration patience);

  private:
    void push();
    void watch();
    bool lose(std::string why);

    Descriptor socket_;
    Descriptor
        ready_;  ///< an epoll of the socket alone, so that others need not know what it lacks
    Sealer sealer_;
    Unsealer unsealer_;
    std::string early_;
    std::string output_;
    bool watches_output_ = false;
    std::string why_;  ///< empty: all is well
};

/// Lets the two kernels watch over each other: an idle connection is tried now and then, and one
/// that has had no answer for so long is lost. A process that is merely stopped is not.
void keep_alive(int socket, Duration heartbeat);

}  // namespace railyard::links
