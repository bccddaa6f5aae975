#include "launch/tls/session.hpp"

#include <gnutls/gnutls.h>
#include <gtest/gtest.h>

#include <string>

namespace railyard::tls {
namespace {

using State = Session::State;

/// One end with all that it was told.
struct End {
    End(const Secret& secret, Side side) : session(secret, side) {}
    State feed(std::string_view bytes) {
        return session.feed(bytes, [this](std::string_view plain) { heard += plain; });
    }

    Session session;
    std::string heard{};
};

/// What one says, to the other, in pieces of so many bytes. False: it had nothing to say.
bool pass(End& from, End& to, std::size_t piece = 1 << 20) {
    const std::string bytes = from.session.take_output();
    for (std::size_t at = 0; at < bytes.size(); at += piece)
        to.feed(std::string_view(bytes).substr(at, piece));
    return !bytes.empty();
}

void talk(End& listener, End& caller, std::size_t piece = 1 << 20) {
    while (pass(caller, listener, piece) || pass(listener, caller, piece)) {
    }
}

/// Two who have recognised each other.
class OpenSession : public ::testing::Test {
  protected:
    OpenSession() { talk(listener_, caller_); }
    /// What the caller says, as it goes over the network.
    std::string sealed(std::string_view plain) {
        caller_.session.send(plain);
        return caller_.session.take_output();
    }

    const Secret secret_ = Secret::make();
    End listener_{secret_, Side::listener};
    End caller_{secret_, Side::caller};
};

TEST(Tls, WhoeverKnowsTheSecretIsRecognised) {
    for (const std::size_t piece : {1, 7, 1000}) {
        const Secret secret = Secret::make();
        End listener(secret, Side::listener);
        End caller(secret, Side::caller);
        talk(listener, caller, piece);
        EXPECT_EQ(listener.session.state(), State::open);
        EXPECT_EQ(caller.session.state(), State::open);
        listener.session.send("from the listener");
        caller.session.send("from the caller");
        talk(listener, caller, piece);
        EXPECT_EQ(caller.heard, "from the listener");
        EXPECT_EQ(listener.heard, "from the caller");
    }
}

TEST_F(OpenSession, IsTls13WithEphemeralKeys) {
    for (const End* end : {&listener_, &caller_}) {
        EXPECT_EQ(::gnutls_protocol_get_version(end->session.raw()), GNUTLS_TLS1_3);
        EXPECT_EQ(::gnutls_kx_get(end->session.raw()), GNUTLS_KX_ECDHE_PSK);
    }
}

TEST(Tls, WhoeverWantsNoEphemeralKeysIsRefused) {
    const Secret secret = Secret::make();
    for (const Side side : {Side::listener, Side::caller}) {
        End one(secret, side);
        End other(secret, side == Side::listener ? Side::caller : Side::listener);
        ::gnutls_priority_set_direct(one.session.raw(),
                                     "NONE:+VERS-TLS1.3:+CHACHA20-POLY1305:+AEAD:+PSK:+SIGN-ALL:"
                                     "+GROUP-X25519",
                                     nullptr);
        talk(one, other);
        EXPECT_NE(one.session.state(), State::open);
        EXPECT_NE(other.session.state(), State::open);
    }
}

TEST(Tls, WhoeverDoesNotKnowItIsRefusedAndToldNothing) {
    End listener(Secret::make(), Side::listener);
    End caller(Secret::make(), Side::caller);
    pass(caller, listener);
    EXPECT_EQ(listener.session.state(), State::refused);
    constexpr std::size_t alert_size = 7;
    const std::string answer = listener.session.take_output();
    EXPECT_LE(answer.size(), alert_size);
    EXPECT_EQ(caller.feed(answer), State::refused);
    EXPECT_EQ(listener.session.take_output(), "");
}

TEST(Tls, AListenerThatDoesNotKnowItIsNotBelieved) {
    const Secret secret = Secret::make();
    End caller(secret, Side::caller);
    End real(secret, Side::listener);
    // Somebody in between who answers with what another session had.
    End other(secret, Side::caller);
    pass(other, real);
    EXPECT_EQ(caller.feed(real.session.take_output()), State::refused);
}

TEST(Tls, WhatWasOverheardCannotBeSaidAgain) {
    const Secret secret = Secret::make();
    End listener(secret, Side::listener);
    End caller(secret, Side::caller);
    const std::string hello = caller.session.take_output();
    listener.feed(hello);
    pass(listener, caller);
    const std::string rest = caller.session.take_output();
    EXPECT_EQ(listener.feed(rest), State::open);
    End again(secret, Side::listener);
    EXPECT_EQ(again.feed(hello), State::handshake);
    EXPECT_EQ(again.feed(rest), State::refused);
}

TEST(Tls, OtherProtocolsAreNotWaitedFor) {
    End listener(Secret::make(), Side::listener);
    EXPECT_EQ(listener.feed("GET / HTTP/1.1\r\n"), State::refused);
}

TEST(Tls, AGreetingThatIsTooLongIsNotWaitedFor) {
    End listener(Secret::make(), Side::listener);
    // Records of 512 bytes that begin a greeting of a megabyte.
    std::string bytes("\x16\x03\x01\x02\x00\x01\x10\x00\x00", 9);
    bytes.resize(5 + 512, 'x');
    std::size_t fed = 0;
    while (listener.feed(bytes) == State::handshake && fed < 10'000) {
        fed += bytes.size();
        bytes.replace(5, 4, "xxxx");
    }
    EXPECT_EQ(listener.session.state(), State::refused);
    EXPECT_LT(fed, 5'000u);
}

TEST_F(OpenSession, WhatFollowsTheHandshakeIsHeard) {
    End listener(secret_, Side::listener);
    End caller(secret_, Side::caller);
    pass(caller, listener);
    pass(listener, caller);
    caller.session.send("more");
    EXPECT_EQ(listener.feed(caller.session.take_output()), State::open);
    EXPECT_EQ(listener.heard, "more");
}

TEST_F(OpenSession, NothingCanBeReadOnTheWay) {
    EXPECT_EQ(sealed("a very secret text").find("secret"), std::string::npos);
    // Nor does the same text look the same again.
    EXPECT_NE(sealed("text"), sealed("text"));
}

TEST(Tls, EveryChangedBitIsNoticed) {
    for (std::size_t bit = 0;; ++bit) {
        const Secret secret = Secret::make();
        End listener(secret, Side::listener);
        End caller(secret, Side::caller);
        talk(listener, caller);
        caller.session.send("one");
        std::string forged = caller.session.take_output();
        if (bit == 8 * forged.size()) break;
        caller.session.send("more");
        forged[bit / 8] = static_cast<char>(forged[bit / 8] ^ (1 << bit % 8));
        listener.feed(forged + caller.session.take_output());
        // The first byte says what kind of record it is, which counts for nothing: the true kind is
        // sealed.
        if (bit < 8)
            EXPECT_TRUE(listener.heard.empty() || listener.heard == "onemore") << "bit " << bit;
        else
            EXPECT_EQ(listener.heard, "") << "bit " << bit;
    }
}

TEST_F(OpenSession, MessagesKeepTheirOrderAndComeOnce) {
    const std::string one = sealed("one");
    const std::string two = sealed("two");
    EXPECT_EQ(listener_.feed(one), State::open);
    EXPECT_EQ(listener_.feed(one), State::refused);
    EXPECT_EQ(listener_.heard, "one");
    EXPECT_EQ(listener_.feed(two), State::refused) << "it is over for good";
}

TEST_F(OpenSession, NothingCanBeLeftOut) {
    sealed("one");
    EXPECT_EQ(listener_.feed(sealed("two")), State::refused);
    EXPECT_EQ(listener_.heard, "");
}

TEST_F(OpenSession, LongTextsComeWhole) {
    const std::string text(100'000, 'x');
    EXPECT_EQ(listener_.feed(sealed(text)), State::open);
    EXPECT_EQ(listener_.heard, text);
}

}  // namespace
}  // namespace railyard::tls
