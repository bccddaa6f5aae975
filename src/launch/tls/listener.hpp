#pragma once
/// Accepts connections of processes that know the secret. Whoever connects must prove that it does,
/// and soon; others are refused, and however many there are, they keep nobody out for long.

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/reactor.hpp"
#include "launch/tls/addresses.hpp"
#include "launch/tls/link.hpp"
#include "railyard/base/time.hpp"

namespace railyard::tls {

class Listener {
  public:
    struct Options {
        HostPort where{};
        Duration heartbeat = Duration::s(5);  ///< see watch_over()
        Duration patience = Duration::s(5);   ///< with whoever has not proved to know the secret
        std::size_t most_waiting = 16;        ///< one more, and the one who waits longest goes
    };

    /// Somebody who knows the secret.
    using Take = std::function<void(Link link)>;
    /// The reactor outlives it. Throws Error.
    Listener(Reactor& reactor, const Secret& secret, const Options& options, Take take);
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    std::uint16_t port() const { return port_; }
    /// How many were refused so far.
    std::size_t refused() const { return refused_; }

  private:
    struct Handshake {
        Descriptor socket;
        Session session;
        std::string early{};  ///< what came right behind the handshake
        Reactor::Watch watch{};
        Reactor::Timer patience{};
    };
    using Handshakes = std::list<Handshake>;

    void listen();
    void accept_some(int listener);
    void pause();
    void refuse(Handshakes::iterator caller);
    void advance(Handshakes::iterator caller);

    Reactor& reactor_;
    Secret secret_;
    Options options_;
    Take take_;
    std::vector<Descriptor> listeners_;
    std::uint16_t port_ = 0;
    std::vector<Reactor::Watch> watches_;  ///< of the listeners; none while there is no room
    Reactor::Timer pause_;
    Handshakes handshakes_;  ///< the one who waits longest first
    std::size_t refused_ = 0;
};

}  // namespace railyard::tls
