#pragma once
/// Where other processes that know the secret come in. Whoever comes must prove that it does, and
/// soon; strangers are sent away, and however many there are, they keep nobody out for long.

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/reactor.hpp"
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

    /// Somebody who knows the secret.
    using Take = std::function<void(Channel channel)>;
    /// The reactor outlives it. Throws Error.
    Listener(Reactor& reactor, const Secret& secret, const Options& options, Take take);
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    std::uint16_t port() const { return port_; }
    /// How many were sent away so far.
    std::size_t strangers() const { return strangers_; }

  private:
    struct Guest {
        Descriptor socket;
        TlsSession session;
        std::string early{};  ///< what came right behind the handshake
        Reactor::Watch watch{};
        Reactor::Timer patience{};
    };
    using Guests = std::list<Guest>;

    void listen();
    void let_in(int listener);
    void rest();
    void send_away(Guests::iterator guest);
    void advance(Guests::iterator guest);

    Reactor& reactor_;
    Secret secret_;
    Options options_;
    Take take_;
    std::vector<Descriptor> listeners_;
    std::uint16_t port_ = 0;
    std::vector<Reactor::Watch> watches_;  ///< of the listeners; none while there is no room
    Reactor::Timer rest_;
    Guests guests_;  ///< the one who waits longest first
    std::size_t strangers_ = 0;
};

}  // namespace railyard::channel
