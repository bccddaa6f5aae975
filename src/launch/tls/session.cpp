#include "launch/tls/session.hpp"

#include <fmt/format.h>
#include <gnutls/gnutls.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::tls {

namespace {

/// No other version, no certificates, and never a key exchange without ephemeral keys. A pre-shared
/// key goes with SHA-256, which leaves out AES-256. The library wants signatures to be named,
/// though nobody signs.
constexpr const char* priorities =
    "NONE:+VERS-TLS1.3:+CHACHA20-POLY1305:+AES-128-GCM:+AEAD:+ECDHE-PSK:"
    "+GROUP-X25519:+GROUP-SECP256R1:+SIGN-ALL";
/// Whose secret it is. There is but one.
constexpr const char* identity = "railyard";
/// Of what is kept of somebody who has proved nothing yet; ours say about 400 bytes. The library's
/// own limit is looked at only once all that was announced has come.
constexpr std::size_t longest_handshake = 4 << 10;

void check(int code, const char* what) {
    if (code < 0) throw Error(fmt::format("TLS: {}: {}", what, ::gnutls_strerror(code)));
}

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using GnutlsSession = std::unique_ptr<gnutls_session_int, Freed<::gnutls_deinit>>;
using ForListener = std::unique_ptr<std::remove_pointer_t<gnutls_psk_server_credentials_t>,
                                    Freed<::gnutls_psk_free_server_credentials>>;
using ForCaller = std::unique_ptr<std::remove_pointer_t<gnutls_psk_client_credentials_t>,
                                  Freed<::gnutls_psk_free_client_credentials>>;

}  // namespace

struct Session::Ends {
    explicit Ends(const Secret& s) : secret(s) {}

    static ssize_t push(gnutls_transport_ptr_t ends, const void* data, std::size_t size) {
        static_cast<Ends*>(ends)->output.append(static_cast<const char*>(data), size);
        return static_cast<ssize_t>(size);
    }
    static ssize_t pull(gnutls_transport_ptr_t pointer, void* data, std::size_t size) {
        Ends& ends = *static_cast<Ends*>(pointer);
        if (ends.input.empty()) {
            ::gnutls_transport_set_errno(ends.session.get(), EAGAIN);
            return -1;
        }
        const std::size_t step = std::min(size, ends.input.size());
        std::copy_n(ends.input.data(), step, static_cast<char*>(data));
        ends.input.remove_prefix(step);
        return static_cast<ssize_t>(step);
    }
    static int find_key(gnutls_session_t session, const char* who, gnutls_datum_t* key) {
        const auto& ends = *static_cast<Ends*>(::gnutls_session_get_ptr(session));
        if (std::string_view(who) != identity) return -1;
        const auto bytes = ends.secret.bytes();
        key->data = static_cast<unsigned char*>(::gnutls_malloc(bytes.size()));
        if (key->data == nullptr) return -1;
        key->size = static_cast<unsigned>(bytes.size());
        std::ranges::copy(bytes, key->data);
        return 0;
    }

    void be_listener() {
        gnutls_psk_server_credentials_t made = nullptr;
        check(::gnutls_psk_allocate_server_credentials(&made), "cannot set up a session");
        for_listener.reset(made);
        ::gnutls_psk_set_server_credentials_function(made, find_key);
        check(::gnutls_credentials_set(session.get(), GNUTLS_CRD_PSK, made), "no credentials");
    }
    void be_caller() {
        gnutls_psk_client_credentials_t made = nullptr;
        check(::gnutls_psk_allocate_client_credentials(&made), "cannot set up a session");
        for_caller.reset(made);
        const auto bytes = secret.bytes();
        const gnutls_datum_t key{const_cast<unsigned char*>(bytes.data()),
                                 static_cast<unsigned>(bytes.size())};
        check(::gnutls_psk_set_client_credentials(made, identity, &key, GNUTLS_PSK_KEY_RAW),
              "cannot use the secret");
        check(::gnutls_credentials_set(session.get(), GNUTLS_CRD_PSK, made), "no credentials");
    }

    Secret secret;
    ForListener for_listener;
    ForCaller for_caller;
    GnutlsSession session;  ///< before the credentials it uses
    State state = State::handshake;
    std::string_view input;  ///< of the other's bytes, what has not been taken; during feed() only
    std::string output;
    std::size_t handshake_left = longest_handshake;
};

Session::Session(const Secret& secret, Side side) : ends_(std::make_unique<Ends>(secret)) {
    gnutls_session_t made = nullptr;
    const unsigned role = side == Side::listener ? GNUTLS_SERVER : GNUTLS_CLIENT;
    // Nobody comes back to a session, so nobody gets a ticket for it.
    check(::gnutls_init(&made, role | GNUTLS_NONBLOCK | GNUTLS_NO_TICKETS),
          "cannot set up a session");
    ends_->session.reset(made);
    check(::gnutls_priority_set_direct(made, priorities, nullptr), "cannot choose the ciphers");
    ::gnutls_session_set_ptr(made, ends_.get());
    ::gnutls_transport_set_ptr(made, ends_.get());
    ::gnutls_transport_set_push_function(made, Ends::push);
    ::gnutls_transport_set_pull_function(made, Ends::pull);
    if (side == Side::listener)
        ends_->be_listener();
    else
        ends_->be_caller();
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Session::State Session::state() const {
    return ends_->state;
}

gnutls_session_int* Session::raw() const {
    return ends_->session.get();
}

std::string Session::take_output() {
    // The caller speaks first, before it has heard anything.
    if (ends_->state == State::handshake) advance([](std::string_view) {});
    return std::exchange(ends_->output, {});
}

Session::State Session::feed(std::string_view bytes, const Take& take) {
    if (ends_->state == State::handshake) {
        const std::size_t given = std::min(bytes.size(), ends_->handshake_left);
        ends_->input = bytes.substr(0, given);
        advance(take);
        const std::size_t taken = given - ends_->input.size();
        ends_->handshake_left -= taken;
        bytes.remove_prefix(taken);
        if (ends_->state == State::handshake && ends_->handshake_left == 0)
            ends_->state = State::refused;
    }
    ends_->input = bytes;
    if (ends_->state == State::open) advance(take);
    ends_->input = {};
    return ends_->state;
}

void Session::advance(const Take& take) {
    gnutls_session_t session = ends_->session.get();
    const auto is_wait = [](ssize_t code) {
        return code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED;
    };
    if (ends_->state == State::handshake) {
        int code = 0;
        do
            code = ::gnutls_handshake(session);
        while (code < 0 && ::gnutls_error_is_fatal(code) == 0 && !is_wait(code));
        if (is_wait(code)) return;
        ends_->state = code == GNUTLS_E_SUCCESS ? State::open : State::refused;
        if (code != GNUTLS_E_SUCCESS) ::gnutls_alert_send_appropriate(session, code);
    }
    std::array<char, 16 << 10> plain;
    while (ends_->state == State::open) {
        const ssize_t n = ::gnutls_record_recv(session, plain.data(), plain.size());
        if (n > 0)
            take({plain.data(), static_cast<std::size_t>(n)});
        else if (is_wait(n))
            return;
        else if (n == 0 || ::gnutls_error_is_fatal(static_cast<int>(n)) != 0)
            ends_->state = State::refused;
    }
}

void Session::send(std::string_view plain) {
    while (!plain.empty() && ends_->state == State::open) {
        const ssize_t n = ::gnutls_record_send(ends_->session.get(), plain.data(), plain.size());
        if (n > 0)
            plain.remove_prefix(static_cast<std::size_t>(n));
        else if (::gnutls_error_is_fatal(static_cast<int>(n)) != 0)
            ends_->state = State::refused;
    }
}

}  // namespace railyard::tls
