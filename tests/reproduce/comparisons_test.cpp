// Curves beside each other, made up for it.

#include <gtest/gtest.h>

#include "railyard/base/error.hpp"
#include "reproduce/shapes.hpp"

namespace railyard::reproduce {
namespace {

Series series(std::string label, std::initializer_list<double> values) {
    Series out{std::move(label), {}};
    for (const double value : values)
        out.points.push_back({static_cast<double>(out.points.size() + 1), value});
    return out;
}

using Groups = std::vector<std::vector<Series>>;

TEST(Order, IsBestFirst) {
    const Series a = series("a", {1, 2}), b = series("b", {2, 3}), c = series("c", {4, 4});
    EXPECT_TRUE(order(Groups{{a}, {b}, {c}}, Better::lower).holds);
    EXPECT_FALSE(order(Groups{{a}, {c}, {b}}, Better::lower).holds);
    EXPECT_FALSE(order(Groups{{a}, {b}, {c}}, Better::higher).holds);
    EXPECT_TRUE(order(Groups{{c}, {b}, {a}}, Better::higher).holds);
    EXPECT_FALSE(order(Groups{{a}, {a}}, Better::lower).holds);
    EXPECT_FALSE(order(Groups{{a}}, Better::lower).holds);
    EXPECT_EQ(order(Groups{{a}, {c}, {b}}, Better::lower).numbers, "c 4 at 1, but b 2 at 1");
}

TEST(Order, OfGroupsTakesAllOfEach) {
    const Series a = series("a", {1}), b = series("b", {2}), c = series("c", {3});
    EXPECT_TRUE(order(Groups{{b, a}, {c}}, Better::lower).holds);
    EXPECT_FALSE(order(Groups{{a, c}, {b}}, Better::lower).holds);
}

TEST(Order, NeedsTheSamePlaces) {
    EXPECT_FALSE(order(Groups{{series("a", {1})}, {series("b", {2, 3})}}, Better::lower).holds);
    EXPECT_FALSE(order(Groups{{series("a", {})}, {series("b", {})}}, Better::lower).holds);
}

TEST(Best, BeatsAllOthers) {
    const std::vector ours{series("write", {2, 9}), series("send", {5, 3})};
    EXPECT_TRUE(best(ours, std::vector{series("x", {3, 4})}, Better::lower).holds);
    EXPECT_FALSE(
        best(ours, std::vector{series("x", {3, 4}), series("y", {1, 4})}, Better::lower).holds);
    EXPECT_FALSE(best(ours, std::vector{series("x", {6, 4})}, Better::higher).holds);
    EXPECT_FALSE(best(ours, {}, Better::lower).holds);
    EXPECT_FALSE(best({}, ours, Better::lower).holds);
}

TEST(Compare, TellsLessFromMore) {
    const Series low = series("low", {1, 2}), high = series("high", {2, 3});
    EXPECT_TRUE(compare(low, Comparison::less, high, true, 0.1).holds);
    EXPECT_FALSE(compare(low, Comparison::greater, high, true, 0.1).holds);
    EXPECT_TRUE(compare(high, Comparison::greater, low, true, 0.1).holds);
    EXPECT_FALSE(compare(low, Comparison::less, low, true, 0.1).holds);
}

TEST(Compare, EverywhereOrSomewhere) {
    const Series a = series("a", {1, 5}), b = series("b", {2, 5}), c = series("c", {2, 4});
    EXPECT_FALSE(compare(a, Comparison::less, b, true, 0.1).holds);
    EXPECT_TRUE(compare(a, Comparison::less, b, false, 0.1).holds);
    EXPECT_FALSE(compare(a, Comparison::less, c, false, 0.1).holds);  // the other way round at 2
    EXPECT_FALSE(compare(a, Comparison::less, a, false, 0.1).holds);  // nowhere
}

TEST(Compare, AlikeIsWithinTheTolerance) {
    const Series a = series("a", {100, 10}), b = series("b", {109, 9.5}),
                 c = series("c", {120, 10});
    EXPECT_TRUE(compare(a, Comparison::alike, b, true, 0.1).holds);
    EXPECT_FALSE(compare(a, Comparison::alike, b, true, 0.05).holds);
    EXPECT_FALSE(compare(a, Comparison::alike, c, true, 0.1).holds);
    EXPECT_FALSE(compare(a, Comparison::alike, series("d", {100}), true, 0.1).holds);
}

TEST(Compare, HasThreeNames) {
    EXPECT_EQ(comparison_named("<"), Comparison::less);
    EXPECT_EQ(comparison_named(">"), Comparison::greater);
    EXPECT_EQ(comparison_named("~"), Comparison::alike);
    EXPECT_THROW(comparison_named("!="), Error);
}

TEST(Ratio, IsAboutTheValue) {
    EXPECT_TRUE(ratio(series("bi", {471}), series("uni", {236}), 2).holds);
    EXPECT_FALSE(ratio(series("bi", {319}), series("uni", {314}), 2).holds);
    EXPECT_FALSE(ratio(series("bi", {}), series("uni", {}), 2).holds);
}

TEST(Within, IsBetweenBothEnds) {
    EXPECT_TRUE(within(std::vector{series("a", {307, 320}), series("b", {335.3})}, 307, 335).holds);
    EXPECT_FALSE(within(std::vector{series("a", {306})}, 307, 335).holds);
    EXPECT_FALSE(within(std::vector{series("a", {336})}, 307, 335).holds);
    EXPECT_FALSE(within(std::vector{series("a", {})}, 307, 335).holds);
    EXPECT_FALSE(within({}, 307, 335).holds);
}

TEST(SlopeOrder, GrowsFromEachToTheNext) {
    const Series flat = series("flat", {9, 9, 9}), mild = series("mild", {1, 2, 3}),
                 steep = series("steep", {0, 5, 10});
    EXPECT_TRUE(slope_order(std::vector{flat, mild, steep}).holds);
    EXPECT_FALSE(slope_order(std::vector{mild, flat, steep}).holds);
    EXPECT_FALSE(slope_order(std::vector{mild, mild}).holds);
    EXPECT_FALSE(slope_order(std::vector{mild}).holds);
    EXPECT_FALSE(slope_order(std::vector{mild, series("one", {1})}).holds);
    EXPECT_EQ(slope_order(std::vector{mild, steep}).numbers, "slopes: mild 1, steep 5");
}

TEST(ReachesPeak, IsWithinFivePercentOfIt) {
    EXPECT_TRUE(reaches_peak(series("8", {800}), series("100", {831})).holds);
    EXPECT_TRUE(reaches_peak(series("8", {840}), series("100", {831})).holds);
    EXPECT_FALSE(reaches_peak(series("8", {780}), series("100", {831})).holds);
}

}  // namespace
}  // namespace railyard::reproduce
