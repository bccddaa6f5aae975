#include "cli/words.hpp"

#include <gtest/gtest.h>

#include "railyard/base/error.hpp"

namespace railyard::cli {
namespace {

template <class Action>
std::string complaint(Action&& action) {
    try {
        action();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(Words, ListsAreSplitAtCommas) {
    EXPECT_EQ(split_list("--on", "shm"), std::vector<std::string>{"shm"});
    EXPECT_EQ(split_list("--on", "shm, ideal"), (std::vector<std::string>{"shm", "ideal"}));
}

TEST(Words, ListsHaveNoEmptyItems) {
    for (const char* text : {"", ",", "a,", ",a", "a,,b", " "})
        EXPECT_EQ(complaint([&] { split_list("--on", text); }),
                  std::string("--on: expected a list such as 'a,b', found '") + text + "'");
}

TEST(Words, CountsAreWholeNumbersWithinBounds) {
    EXPECT_EQ(parse_count("--window", "1", 1, 64), 1u);
    EXPECT_EQ(parse_count("--window", "64", 1, 64), 64u);
    for (const char* text : {"0", "65", "-1", "1.5", "8x", "x", "", " 8", "99999999999999"})
        EXPECT_EQ(
            complaint([&] { parse_count("--window", text, 1, 64); }),
            std::string("--window: expected a whole number from 1 to 64, found '") + text + "'");
}

TEST(Words, UnknownNamesGetTheNearestRightOne) {
    const std::vector<std::string> names{"latency-uni", "latency-bi", "limits"};
    EXPECT_EQ(unknown("experiment", "latncy-uni", names, "railyard experiments"),
              "unknown experiment 'latncy-uni'; did you mean 'latency-uni'? "
              "`railyard experiments` lists all");
    EXPECT_EQ(unknown("experiment", "quux", names, "railyard experiments"),
              "unknown experiment 'quux'; `railyard experiments` lists all");
}

}  // namespace
}  // namespace railyard::cli
