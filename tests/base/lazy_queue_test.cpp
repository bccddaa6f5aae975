#include "base/lazy_queue.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace railyard {
namespace {

TEST(LazyQueue, WhatWentInFirstComesOutFirst) {
    LazyQueue<int> queue;
    EXPECT_TRUE(queue.empty());
    int in = 0;
    int out = 0;
    // Two in and one out, then the other way round: it never runs empty in between.
    for (int i = 0; i < 1000; ++i) {
        queue.push_back(in++);
        queue.push_back(in++);
        ASSERT_EQ(queue.front(), out++);
        queue.pop_front();
    }
    EXPECT_EQ(queue.size(), 1000u);
    while (!queue.empty()) {
        ASSERT_EQ(queue.front(), out++);
        queue.pop_front();
    }
    EXPECT_EQ(out, in);
}

TEST(LazyQueue, WhatHasLeftIsNotHeld) {
    LazyQueue<std::shared_ptr<int>> queue;
    const auto first = std::make_shared<int>(1);
    queue.push_back(first);
    queue.push_back(std::make_shared<int>(2));
    queue.pop_front();
    EXPECT_EQ(first.use_count(), 1);
    EXPECT_EQ(*queue.front(), 2);
}

TEST(LazyQueue, OneMayLeaveFromTheMiddle) {
    LazyQueue<int> queue;
    for (int i = 0; i < 40; ++i)
        queue.push_back(i);
    for (int i = 0; i < 10; ++i)
        queue.pop_front();
    EXPECT_FALSE(queue.remove_first([](int i) { return i == 5; })) << "it has left";
    EXPECT_TRUE(queue.remove_first([](int i) { return i % 7 == 0; }));
    EXPECT_EQ(queue.size(), 29u);
    for (int i = 10; i < 40; ++i) {
        if (i == 14) continue;
        ASSERT_EQ(queue.front(), i);
        queue.pop_front();
    }
    queue.push_back(1);
    EXPECT_TRUE(queue.remove_first([](int) { return true; }));
    EXPECT_TRUE(queue.empty());
}

TEST(LazyQueue, ServesAgainOnceItIsEmpty) {
    LazyQueue<int> queue;
    for (int i = 0; i < 3; ++i) {
        queue.push_back(i);
        EXPECT_EQ(queue.front(), i);
        queue.pop_front();
        EXPECT_TRUE(queue.empty());
    }
}

}  // namespace
}  // namespace railyard
