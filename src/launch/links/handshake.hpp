#pragma once
/// How two processes find out that both know the job's secret, without saying it: each signs what
/// the other made up. Bytes in, bytes out; sockets are somebody else's.
///
///     door    →  greeting, a number
///     caller  →  greeting, a number, both numbers signed as the caller
///     door    →  both numbers signed as the door
///
/// Whoever does not know the secret gets nothing but a number. Numbers are made up anew each time,
/// so nothing that was overheard can be said again.

#include <cstddef>
#include <string>
#include <string_view>

#include "launch/links/secret.hpp"

namespace railyard::links {

/// Who waits for others, and who comes.
enum class Side { door, caller };

/// With what frames are sealed from now on, one key each way.
struct Keys {
    Secret::Bytes to_door{};
    Secret::Bytes to_caller{};
};

class Handshake {
  public:
    enum class State { going, done, refused };

    Handshake(const Secret& secret, Side side);

    /// What is to be sent now; it is gone then.
    std::string take_output();
    /// Takes of the other's bytes what belongs to the handshake, and leaves what follows it.
    State feed(std::string_view& piece);
    State state() const { return state_; }
    /// Once it is done.
    const Keys& keys() const { return keys_; }

  private:
    static constexpr std::string_view greeting = "railyard link 01";
    static constexpr std::size_t number_size = 32;

    std::size_t expected() const;
    void take_proof(std::string_view proof, std::string_view role);
    std::string_view door_number() const;
    std::string_view caller_number() const;
    std::string sign(std::string_view role) const;

    Secret secret_;
    Side side_;
    State state_ = State::going;
    std::string own_;     ///< the number that we made up
    std::string theirs_;  ///< empty until it came
    std::string input_;
    std::string output_;
    Keys keys_;
};

}  // namespace railyard::links
