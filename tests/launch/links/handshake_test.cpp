#include "launch/links/handshake.hpp"

#include <gtest/gtest.h>

#include <string>

namespace railyard::links {
namespace {

/// What the two say to each other, in pieces of so many bytes, until neither has anything to add.
void talk(Handshake& door, Handshake& caller, std::size_t piece) {
    const auto pass = [&](Handshake& from, Handshake& to) {
        const std::string bytes = from.take_output();
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            std::string_view next = std::string_view(bytes).substr(at, piece);
            to.feed(next);
        }
        return !bytes.empty();
    };
    while (pass(door, caller) || pass(caller, door)) {
    }
}

TEST(Handshake, WhoeverKnowsTheSecretIsRecognised) {
    for (const std::size_t piece : {1, 7, 1000}) {
        const Secret secret = Secret::make();
        Handshake door(secret, Side::door);
        Handshake caller(secret, Side::caller);
        talk(door, caller, piece);
        EXPECT_EQ(door.state(), Handshake::State::done);
        EXPECT_EQ(caller.state(), Handshake::State::done);
        EXPECT_EQ(door.keys().to_door, caller.keys().to_door);
        EXPECT_EQ(door.keys().to_caller, caller.keys().to_caller);
        EXPECT_NE(door.keys().to_caller, caller.keys().to_door);
    }
}

TEST(Handshake, WhoeverDoesNotIsRefusedAndToldNothing) {
    Handshake door(Secret::make(), Side::door);
    Handshake caller(Secret::make(), Side::caller);
    talk(door, caller, 1000);
    EXPECT_EQ(door.state(), Handshake::State::refused);
    EXPECT_NE(caller.state(), Handshake::State::done);
    EXPECT_EQ(door.take_output(), "");
}

TEST(Handshake, ADoorThatDoesNotKnowItIsNotBelieved) {
    Handshake caller(Secret::make(), Side::caller);
    Handshake stranger(Secret::make(), Side::door);
    std::string hello = stranger.take_output();
    std::string_view piece = hello;
    caller.feed(piece);
    // It can only say back what it heard, or anything.
    std::string proof = caller.take_output().substr(48);
    piece = proof;
    EXPECT_EQ(caller.feed(piece), Handshake::State::refused);
}

TEST(Handshake, WhatWasOverheardCannotBeSaidAgain) {
    const Secret secret = Secret::make();
    Handshake door(secret, Side::door);
    Handshake caller(secret, Side::caller);
    const std::string hello = door.take_output();
    std::string_view piece = hello;
    caller.feed(piece);
    const std::string overheard = caller.take_output();
    piece = overheard;
    EXPECT_EQ(door.feed(piece), Handshake::State::done);
    Handshake again(secret, Side::door);
    piece = overheard;
    EXPECT_EQ(again.feed(piece), Handshake::State::refused);
}

TEST(Handshake, OtherProtocolsAreNotWaitedFor) {
    Handshake door(Secret::make(), Side::door);
    std::string_view piece = "GET / HTTP/1.1\r\n";
    EXPECT_EQ(door.feed(piece), Handshake::State::refused);
}

TEST(Handshake, WhatFollowsIsLeft) {
    const Secret secret = Secret::make();
    Handshake door(secret, Side::door);
    Handshake caller(secret, Side::caller);
    std::string hello = door.take_output();
    std::string_view piece = hello;
    caller.feed(piece);
    const std::string answer = caller.take_output() + "more";
    piece = answer;
    EXPECT_EQ(door.feed(piece), Handshake::State::done);
    EXPECT_EQ(piece, "more");
}

}  // namespace
}  // namespace railyard::links
