#pragma once
/// One end of a TLS 1.3 session whose two ends know one secret (RFC 8446, pre-shared key with
/// ephemeral keys, so that a secret that comes out later opens nothing that was recorded). Bytes
/// in, bytes out; sockets are somebody else's, and nothing here waits.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "launch/tls/secret.hpp"

struct gnutls_session_int;

namespace railyard::tls {

/// Who waits for others, and who comes.
enum class Side { listener, caller };

class Session {
  public:
    /// `refused`: the other does not know the secret, or something came that it did not send.
    enum class State { handshake, open, refused };

    /// Throws Error.
    Session(const Secret& secret, Side side);
    ~Session();
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;

    using Take = std::function<void(std::string_view plain)>;
    /// Takes the other's bytes, and hands over what it has said once the session is open.
    State feed(std::string_view bytes, const Take& take);
    State state() const;

    /// Once the session is open.
    void send(std::string_view plain);
    /// What is to go to the other now; it is gone then.
    std::string take_output();

    /// For whoever wants to know how the session is sealed, or to change it before it begins.
    gnutls_session_int* raw() const;

  private:
    struct Ends;
    void advance(const Take& take);

    std::unique_ptr<Ends> ends_;  ///< what the library points to, so it stays where it is
};

}  // namespace railyard::tls
