// What may overtake what between two nodes.

#include "interconnects/quadrics/fabric/order.hpp"

#include <gtest/gtest.h>

namespace railyard::quadrics {
namespace {

using virtual_time::Kind;

class OrderTest : public ::testing::Test {
  protected:
    Message& send(Kind kind, std::uint32_t queue_pair = 0) {
        auto message = std::make_unique<Message>();
        message->kind = kind;
        message->from = {.node = 1, .queue_pair = queue_pair};
        message->to = {.node = 2, .queue_pair = queue_pair};
        order_.add(*message);
        messages_.push_back(std::move(message));
        return *messages_.back();
    }
    Message* next() { return order_.take_next(1, 2); }

    Order order_;

  private:
    std::vector<std::unique_ptr<Message>> messages_;
};

TEST_F(OrderTest, RequestsOfAQueuePairAreDeliveredAsTheyWereSent) {
    Message& first = send(Kind::write);
    Message& second = send(Kind::send);
    order_.arrived(second);
    EXPECT_EQ(next(), nullptr);
    order_.arrived(first);
    EXPECT_EQ(next(), &first);
    EXPECT_EQ(next(), &second);
    EXPECT_EQ(next(), nullptr);
}

TEST_F(OrderTest, QueuePairsDoNotWaitForEachOther) {
    send(Kind::write, 0);
    Message& other = send(Kind::write, 1);
    order_.arrived(other);
    EXPECT_EQ(next(), &other);
}

TEST_F(OrderTest, AnswersWaitForNoRequest) {
    send(Kind::write);
    for (const Kind kind : {Kind::read_response, Kind::atomic_response}) {
        Message& message = send(kind);
        order_.arrived(message);
        EXPECT_EQ(next(), &message) << static_cast<int>(kind);
    }
}

TEST_F(OrderTest, AnswersOfAQueuePairKeepTheirOrder) {
    Message& first = send(Kind::read_response);
    Message& second = send(Kind::atomic_response);
    order_.arrived(second);
    EXPECT_EQ(next(), nullptr);
    order_.arrived(first);
    EXPECT_EQ(next(), &first);
    EXPECT_EQ(next(), &second);
}

TEST_F(OrderTest, WhatMakesAConnectionOvertakesNothingAndIsNotOvertaken) {
    Message& before = send(Kind::read_response, 3);
    Message& control = send(Kind::control);
    Message& behind = send(Kind::write, 5);
    order_.arrived(behind);
    order_.arrived(control);
    EXPECT_EQ(next(), nullptr);
    order_.arrived(before);
    EXPECT_EQ(next(), &before);
    EXPECT_EQ(next(), &control);
    EXPECT_EQ(next(), &behind);
}

TEST_F(OrderTest, ALostMessageHoldsNobodyUp) {
    Message& lost = send(Kind::write);
    Message& behind = send(Kind::write);
    order_.arrived(behind);
    EXPECT_EQ(next(), nullptr);
    order_.lost(lost);
    EXPECT_EQ(next(), &behind);
}

}  // namespace
}  // namespace railyard::quadrics
