#include "interconnects/real/iwarp/handshake.hpp"

#include <gtest/gtest.h>

#include "interconnects/real/iwarp/support.hpp"
#include "interconnects/real/iwarp/vectors.hpp"

namespace railyard::iwarp::mpa {
namespace {

using namespace railyard::iwarp::testing;

/// Moves all that one has to say to the other, byte by byte.
template <class From, class To>
void pass(From& from, To& to) {
    while (!from.output().unsent().empty()) {
        EXPECT_EQ(to.feed(from.output().unsent().first(1)), 1u);
        from.output().sent(1);
    }
}

struct Outcome {
    Initiator::State state;
    Agreement initiator;
    Agreement answerer;
    std::optional<Fault> terminate;
};

Outcome meet(const Wishes& asks, const Wishes& answers) {
    Initiator initiator(asks, text_bytes("hello"));
    Answerer answerer;
    pass(initiator, answerer);
    EXPECT_EQ(answerer.state(), Answerer::State::asked);
    EXPECT_EQ(to_hex(answerer.request().private_data()), to_hex(text_bytes("hello")));
    const Agreement agreement = answerer.accept(answers, text_bytes("welcome"));
    pass(answerer, initiator);
    EXPECT_EQ(to_hex(initiator.reply().private_data()), to_hex(text_bytes("welcome")));
    return {initiator.state(), initiator.agreement(), agreement, initiator.terminate()};
}

Wishes counts(std::uint16_t ird, std::uint16_t ord) {
    return {.ird = ird, .ord = ord};
}

TEST(Handshake, BothComeToTheSameAgreement) {
    for (const bool crc_a : {false, true})
        for (const bool crc_b : {false, true})
            for (const bool markers_a : {false, true})
                for (const bool markers_b : {false, true})
                    for (const std::uint8_t revision : {std::uint8_t{1}, std::uint8_t{2}}) {
                        const Outcome o =
                            meet({.crc = crc_a, .markers = markers_a, .revision = revision},
                                 {.crc = crc_b, .markers = markers_b});
                        ASSERT_EQ(o.state, Initiator::State::agreed);
                        const bool crc = crc_a || crc_b;
                        EXPECT_EQ(o.initiator.in, (Framing{crc, markers_a}));
                        EXPECT_EQ(o.initiator.out, (Framing{crc, markers_b}));
                        EXPECT_EQ(o.answerer.in, o.initiator.out);
                        EXPECT_EQ(o.answerer.out, o.initiator.in);
                        EXPECT_EQ(o.initiator.rtr, revision == 2 ? Rtr::write : Rtr::none);
                        EXPECT_EQ(o.answerer.rtr, o.initiator.rtr);
                        EXPECT_EQ(o.initiator.enhanced, revision == 2);
                    }
}

TEST(Handshake, NobodyAsksForMoreThanTheOtherServes) {
    for (const std::uint16_t a_ird : {0, 1, 7, 200})
        for (const std::uint16_t a_ord : {0, 1, 9, 300})
            for (const std::uint16_t b_ird : {0, 2, 8, 100})
                for (const std::uint16_t b_ord : {0, 3, 16, 400}) {
                    const Outcome o = meet(counts(a_ird, a_ord), counts(b_ird, b_ord));
                    ASSERT_EQ(o.state, Initiator::State::agreed);
                    EXPECT_LE(o.initiator.ord, o.answerer.ird);
                    EXPECT_LE(o.answerer.ord, o.initiator.ird);
                    EXPECT_EQ(o.initiator.ord, std::min(a_ord, b_ird));
                    EXPECT_EQ(o.answerer.ord, std::min(b_ord, a_ird));
                }
}

TEST(Handshake, CountsMayBeLeftToOthers) {
    const Outcome o = meet(counts(not_negotiated, not_negotiated), counts(5, 6));
    EXPECT_EQ(o.state, Initiator::State::agreed);
    EXPECT_EQ(o.answerer.ird, 5);
    EXPECT_EQ(o.answerer.ord, 6);
    EXPECT_EQ(o.initiator.ird, not_negotiated);
    EXPECT_EQ(o.initiator.ord, not_negotiated);
}

TEST(Handshake, ReadySaidByAReadHasAPlace) {
    Wishes read_only = counts(0, 0);
    read_only.rtr = {.read = true};
    const Outcome o = meet(read_only, counts(0, 0));
    EXPECT_EQ(o.state, Initiator::State::agreed);
    EXPECT_EQ(o.initiator.rtr, Rtr::read);
    EXPECT_EQ(o.initiator.ord, 1);
    EXPECT_EQ(o.answerer.ird, 1);
}

TEST(Handshake, NoWayToSayReadyIsToldByATerminate) {
    Wishes by_send;
    by_send.rtr = {.send = true};
    const Outcome o = meet(by_send, {});
    EXPECT_EQ(o.state, Initiator::State::failed);
    EXPECT_EQ(o.terminate, Fault::no_matching_rtr);
    Wishes all = by_send;
    all.rtr = {.send = true, .write = true, .read = true};
    EXPECT_EQ(meet(by_send, all).initiator.rtr, Rtr::send);
}

TEST(Handshake, ClientAndServerNeedNoReady) {
    Wishes client;
    client.peer_to_peer = false;
    const Outcome o = meet(client, {});
    EXPECT_EQ(o.state, Initiator::State::agreed);
    EXPECT_EQ(o.initiator.rtr, Rtr::none);
    EXPECT_EQ(o.answerer.rtr, Rtr::none);
}

TEST(Handshake, ARejectionCarriesData) {
    for (const std::uint8_t revision : {std::uint8_t{1}, std::uint8_t{2}}) {
        Initiator initiator({.revision = revision}, {});
        Answerer answerer;
        pass(initiator, answerer);
        answerer.reject(text_bytes("no"));
        pass(answerer, initiator);
        EXPECT_EQ(answerer.state(), Answerer::State::rejected);
        EXPECT_EQ(initiator.state(), Initiator::State::rejected);
        EXPECT_EQ(to_hex(initiator.reply().private_data()), to_hex(text_bytes("no")));
    }
}

Initiator::State fed(Initiator& initiator, std::string_view reply) {
    initiator.feed(hex(reply));
    return initiator.state();
}

TEST(Handshake, AnswersThatDoNotFitAreErrors) {
    {
        Initiator asks_two({}, {});
        EXPECT_EQ(fed(asks_two, vectors::mpa_rep_rev1), Initiator::State::failed);
        EXPECT_EQ(asks_two.error(), StartupError::wrong_answer);
        EXPECT_FALSE(asks_two.terminate());
    }
    {
        Initiator asks_one({.revision = 1}, {});
        EXPECT_EQ(fed(asks_one, vectors::mpa_rep_rev2), Initiator::State::failed);
    }
    {
        Initiator wants_peer({}, {});
        EXPECT_EQ(fed(wants_peer, vectors::mpa_rep_rev2), Initiator::State::failed);
    }
    {
        Initiator both({}, {});
        EXPECT_EQ(fed(both, vectors::mpa_req_rev2), Initiator::State::failed);
        EXPECT_EQ(both.error(), StartupError::both_asked);
    }
    {
        Initiator serves_few(counts(15, 16), {});
        EXPECT_EQ(fed(serves_few, vectors::mpa_rep_rev2_p2p), Initiator::State::failed);
        EXPECT_EQ(serves_few.terminate(), Fault::insufficient_ird);
    }
}

TEST(Handshake, KnownFramesAreAnswered) {
    Answerer answerer;
    answerer.feed(hex(vectors::mpa_req_rev2_p2p));
    ASSERT_EQ(answerer.state(), Answerer::State::asked);
    answerer.accept({}, {});
    EXPECT_EQ(to_hex(answerer.output().unsent()), vectors::mpa_rep_rev2_p2p);
    Answerer first;
    first.feed(hex(vectors::mpa_req_rev1));
    first.accept({}, {});
    EXPECT_EQ(to_hex(first.output().unsent()), vectors::mpa_rep_rev1);
    Answerer refuses;
    refuses.feed(hex(vectors::mpa_req_rev1));
    refuses.reject({});
    EXPECT_EQ(to_hex(refuses.output().unsent()), vectors::mpa_rep_rev1_reject);
}

TEST(Handshake, StrangersAreNotAnswered) {
    Answerer answerer;
    answerer.feed(text_bytes("GET / HTTP/1.1\r\n"));
    EXPECT_EQ(answerer.state(), Answerer::State::failed);
    EXPECT_EQ(answerer.error(), StartupError::wrong_key);
    EXPECT_TRUE(answerer.output().unsent().empty());
}

}  // namespace
}  // namespace railyard::iwarp::mpa
