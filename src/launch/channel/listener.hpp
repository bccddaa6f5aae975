#pragma once
/// Where other processes that know the secret come in. Whoever comes must prove that it does, and
/// soon; strangers are sent away, and however many there are, they keep nobody out for long.

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "launch/channel/channel.hpp"
#include "launch/channel/endpoint.hpp"
#include "railyard/base/time.hpp"

namespace railyard::channel {

class Listener {
  public:
    struct Options {
        HostPort where{};
        Duration heartbeat = Duration::s(5);  ///< see keep_alive()
        Duration patience = Duration::s(5);   ///< with whoever has not proved to know the secret
        std::size_t most_waiting = 16;        ///< one more, and the one who waits longest goes
    };

    /// Throws Error.
    Listener(const Secret& secret, const Options& options);

    std::uint16_t port() const { return port_; }
    /// Readable when there is something to do here: call poll() then.
    int descriptor() const { return ready_.get(); }
    /// The next who knows the secret, if there is one now. Also to be called now and then without a
    /// reason, since patience may be over.
    std::optional<Channel> poll();

    /// How many were sent away so far.
    std::size_t strangers() const { return strangers_; }

  private:
    struct Guest {
        Descriptor socket;
        TlsSession session;
        Deadline deadline;
        std::string early{};  ///< what came right behind the handshake
    };

    void let_in(int listener);
    void pause();
    void go_on_after_pause();
    void send_away(std::size_t guest);
    bool advance(Guest& guest, std::optional<Channel>& channel);
    void watch(int fd);

    Secret secret_;
    Options options_;
    std::vector<Descriptor> listeners_;
    std::uint16_t port_ = 0;
    Descriptor ready_;          ///< an epoll of all sockets here
    Deadline pause_{};          ///< if set, nobody is let in until then
    std::deque<Guest> guests_;  ///< the one who waits longest first
    std::size_t strangers_ = 0;
};

}  // namespace railyard::channel
