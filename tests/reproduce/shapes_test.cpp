// The shapes of one curve, on curves made up for it: each holds, and each can fail.

#include "reproduce/shapes.hpp"

#include <gtest/gtest.h>

#include "railyard/base/error.hpp"

namespace railyard::reproduce {

namespace {

Points curve(std::initializer_list<double> values) {
    Points out;
    for (const double value : values)
        out.push_back({static_cast<double>(out.size() + 1), value});
    return out;
}

TEST(Flat, IsAllWithinFivePercent) {
    EXPECT_TRUE(flat(curve({100, 98, 96, 99})).holds);
    EXPECT_FALSE(flat(curve({100, 98, 94, 99})).holds);
    EXPECT_FALSE(flat(curve({1, 2, 3})).holds);
    EXPECT_FALSE(flat(curve({100})).holds);  // one point shows no trend
    EXPECT_FALSE(flat({}).holds);
    EXPECT_EQ(flat(curve({100, 90})).numbers, "90 to 100: 10.0 %");
}

TEST(Margins, SayHowMuchIsLeft) {
    EXPECT_NEAR(*flat(curve({100, 98})).margin, 0.03, 1e-9);
    EXPECT_NEAR(*flat(curve({100, 90})).margin, -0.05, 1e-9) << "what is missing";
    EXPECT_NEAR(*never_drops(curve({100, 98, 120})).margin, 0.03, 1e-9);
    EXPECT_NEAR(*monotone(curve({5, 8, 10}), Trend::rises, "").margin, 0.5, 1e-9);
    EXPECT_NEAR(*monotone(curve({5, 8, 10}), Trend::rises, "strong").margin, 0.25, 1e-9);
    EXPECT_NEAR(*monotone(curve({9.6, 10}), Trend::rises, "weak").margin, 0.04, 1e-9);
    EXPECT_LT(*monotone(curve({10, 9}), Trend::rises, "").margin, 0);
    EXPECT_NEAR(*knee(curve({100, 100, 90, 80}), 2, Better::higher).margin, 0.07, 1e-9);
    EXPECT_NEAR(*dip(curve({100, 90, 120}), {}).margin, 0.09, 1e-9);
    EXPECT_NEAR(*valley(curve({30, 20, 25}), 2).margin, 0.25, 1e-9);
    const Series a{"a", curve({10, 10})}, b{"b", curve({11, 12})};
    EXPECT_NEAR(*compare(a, Comparison::less, b, true, 0).margin, 0.1, 1e-9) << "the worst place";
    EXPECT_NEAR(*compare(a, Comparison::less, b, false, 0).margin, 0.2, 1e-9) << "the best one";
    EXPECT_NEAR(*best(std::vector{a}, std::vector{b}, Better::lower).margin, 0.1, 1e-9);
    EXPECT_NEAR(*order(std::vector<std::vector<Series>>{{a}, {b}}, Better::lower).margin, 0.1,
                1e-9);
    EXPECT_NEAR(*ratio(b, a, 1.15).margin, 0.1 - 0.05 / 1.15, 1e-9);
    EXPECT_NEAR(*within(std::vector{a}, 8, 20).margin, 0.1, 1e-9);
}

TEST(NeverDrops, IsLevelOrRising) {
    EXPECT_TRUE(never_drops(curve({100, 100, 99, 120, 118})).holds);
    EXPECT_TRUE(never_drops(curve({1, 2, 30})).holds);
    EXPECT_FALSE(never_drops(curve({100, 120, 110})).holds);
    EXPECT_FALSE(never_drops(curve({100})).holds);
}

TEST(Slight, IsAChangeOfLessThanATenth) {
    EXPECT_TRUE(slight(curve({100, 130, 109})).holds) << "from the first to the last";
    EXPECT_FALSE(slight(curve({100, 112})).holds);
    EXPECT_TRUE(slight(curve({100, 92})).holds);
    EXPECT_FALSE(slight(curve({100})).holds);
    EXPECT_EQ(slight(curve({2, 4})).numbers, "2 at 1 to 4 at 2: 50.0 %");
}

TEST(Monotone, GoesOneWay) {
    EXPECT_TRUE(monotone(curve({10, 8, 8, 5}), Trend::falls, "").holds);
    EXPECT_TRUE(monotone(curve({10, 8, 8.05, 5}), Trend::falls, "").holds);  // a hair's breadth
    EXPECT_FALSE(monotone(curve({10, 8, 9, 5}), Trend::falls, "").holds);
    EXPECT_FALSE(monotone(curve({10, 8, 8, 5}), Trend::rises, "").holds);
    EXPECT_TRUE(monotone(curve({5, 8, 9}), Trend::rises, "").holds);
    EXPECT_FALSE(monotone(curve({5, 5, 5}), Trend::rises, "").holds);
    EXPECT_FALSE(monotone(curve({5}), Trend::rises, "").holds);
}

TEST(Monotone, HasAStrength) {
    const Points steep = curve({30, 20, 10});
    const Points mild = curve({11, 10.5, 10});
    EXPECT_DOUBLE_EQ(change(steep), 2);
    EXPECT_DOUBLE_EQ(change(mild), 0.1);
    EXPECT_TRUE(monotone(steep, Trend::falls, "strong").holds);
    EXPECT_FALSE(monotone(steep, Trend::falls, "weak").holds);
    EXPECT_FALSE(monotone(mild, Trend::falls, "strong").holds);
    // One word for each change: below a tenth, below a quarter, and beyond.
    for (const double top : {10.5, 11.5, 14.0}) {
        const Points points = curve({top, 10});
        const bool weak = monotone(points, Trend::falls, "weak").holds;
        const bool medium = monotone(points, Trend::falls, "medium").holds;
        const bool strong = monotone(points, Trend::falls, "strong").holds;
        EXPECT_EQ(weak, top < 11) << top;
        EXPECT_EQ(medium, top > 11 && top < 12) << top;
        EXPECT_EQ(strong, top > 12) << top;
    }
}

TEST(Knee, IsLevelAndThenWorse) {
    const Points bandwidth = curve({830, 831, 829, 700, 650});
    EXPECT_TRUE(knee(bandwidth, 3, Better::higher).holds);
    EXPECT_FALSE(knee(bandwidth, 2, Better::higher).holds);  // 829 is still level
    EXPECT_FALSE(knee(bandwidth, 4, Better::higher).holds);  // 700 is worse already
    EXPECT_FALSE(knee(bandwidth, 3, Better::lower).holds);
    EXPECT_TRUE(knee(curve({5, 5, 9, 9}), 2, Better::lower).holds);
    EXPECT_FALSE(knee(curve({5, 5, 5}), 2, Better::lower).holds);
    EXPECT_FALSE(knee(curve({5, 5}), 2, Better::lower).holds);                // nothing beyond
    EXPECT_FALSE(knee(curve({5, 5}), 0, Better::lower).holds);                // nothing before
    EXPECT_TRUE(knee(curve({100, 300, 600, 400}), 3, Better::higher).holds);  // rising up to it
}

TEST(Valley, HasItsMinimumThere) {
    const Points latency = curve({4.5, 3.4, 3.2, 3.8, 3.8});
    EXPECT_TRUE(valley(latency, 3).holds);
    EXPECT_FALSE(valley(latency, 2).holds);
    EXPECT_FALSE(valley(curve({4.5, 3.4, 3.2}), 3).holds);  // does not rise again
    EXPECT_FALSE(valley(curve({3.2, 3.4, 3.5}), 1).holds);  // did not fall
    EXPECT_FALSE(valley(curve({3, 3, 3}), 1).holds);
}

TEST(Dip, GoesDownAndUpAgain) {
    EXPECT_TRUE(dip(curve({100, 300, 250, 500}), {}).holds);
    EXPECT_FALSE(dip(curve({100, 300, 299, 500}), {}).holds);
    EXPECT_FALSE(dip(curve({100, 300, 250, 200}), {}).holds);  // never recovers
    EXPECT_FALSE(dip(curve({100, 200, 300}), {}).holds);
    EXPECT_TRUE(dip(curve({100, 300, 250, 500}), std::pair(2.0, 3.0)).holds);
    EXPECT_FALSE(dip(curve({100, 300, 250, 500}), std::pair(4.0, 5.0)).holds);
}

TEST(Jump, StandsOutOfItsNeighbours) {
    const auto after = [](double place) {
        return [place](double x, double next) { return x <= place && next > place; };
    };
    EXPECT_TRUE(jump(curve({10, 10, 14, 14}), after(2)).holds);
    EXPECT_TRUE(jump(curve({10, 10, 7, 7}), after(2)).holds);
    EXPECT_FALSE(jump(curve({10, 11, 12.1, 13.3}), after(2)).holds);
    EXPECT_FALSE(jump(curve({10, 10, 14, 14}), after(3)).holds);  // there is nothing there
    EXPECT_FALSE(jump(curve({10, 14}), after(1)).holds);
}

/// Anywhere between the second and the fourth point.
bool in_the_middle(double x, double next) {
    return x >= 2 && next <= 4;
}

TEST(Jump, MayBeAtAnyStepThere) {
    EXPECT_TRUE(jump(curve({10, 10, 14, 14, 14}), in_the_middle).holds);
    EXPECT_TRUE(jump(curve({10, 10, 10, 14, 14}), in_the_middle).holds);
    EXPECT_FALSE(jump(curve({10, 14, 14, 14, 14}), in_the_middle).holds);
    EXPECT_FALSE(jump(curve({10, 11, 12.1, 13.3, 14.6}), in_the_middle).holds);
    EXPECT_FALSE(jump(curve({10, 14}), in_the_middle).holds);
}

TEST(NoJump, IsAStepLikeThoseAround) {
    EXPECT_TRUE(no_jump(curve({10, 11, 12.1, 13.3, 14.6}), in_the_middle).holds);
    EXPECT_FALSE(no_jump(curve({10, 20, 3, 3, 3}), in_the_middle).holds) << "a fall is one";
    EXPECT_FALSE(no_jump(curve({10, 10, 14, 14, 14}), in_the_middle).holds);
    EXPECT_FALSE(no_jump(curve({10, 10, 10, 14, 14}), in_the_middle).holds);
    EXPECT_FALSE(no_jump(curve({10, 10}), in_the_middle).holds);
}

TEST(StaysLow, FromAPlaceOn) {
    EXPECT_TRUE(stays_low(curve({1, 5, 1, 2, 5.4}), 3).holds);
    EXPECT_FALSE(stays_low(curve({1, 5, 1, 2, 5.6}), 3).holds);
    EXPECT_FALSE(stays_low(curve({1, 5}), 3).holds);  // nothing beyond
    EXPECT_FALSE(stays_low(curve({1, 5}), 1).holds);  // nothing before
}

TEST(Depth, IsTheShareThatIsLost) {
    EXPECT_DOUBLE_EQ(depth(curve({100, 200, 150, 300}), {2, 3}), 0.25);
    EXPECT_DOUBLE_EQ(depth(curve({100, 200, 150, 300}), {4, 5}), 0);
    EXPECT_DOUBLE_EQ(depth(curve({100, 200, 300}), {1, 3}), 0);
}

TEST(Above, IsAllOfIt) {
    EXPECT_TRUE(above(curve({1.2, 3}), 1.1).holds);
    EXPECT_FALSE(above(curve({1.2, 1.05}), 1.1).holds);
    EXPECT_FALSE(above({}, 1.1).holds);
}

TEST(Near, IsAboutTheValue) {
    EXPECT_TRUE(near(curve({1.05, 0.95}), 1).holds);
    EXPECT_FALSE(near(curve({1.05, 1.15}), 1).holds);
    EXPECT_FALSE(near(curve({0.85}), 1).holds);
    EXPECT_FALSE(near({}, 1).holds);
}

TEST(Better, HasTwoNames) {
    EXPECT_EQ(better_named("lower"), Better::lower);
    EXPECT_EQ(better_named("higher"), Better::higher);
    EXPECT_THROW(better_named("nicer"), Error);
}

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
