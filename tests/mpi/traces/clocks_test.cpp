#include "mpi/traces/clocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace railyard::mpi::traces {
namespace {

/// What a host's clock says of a time: it is off by so much at the start, and more and more.
struct WrongClock {
    double off = 0;    ///< seconds
    double drift = 0;  ///< seconds in each

    Time says(double seconds) const {
        return Time::at(Duration::ps(std::llround((seconds + off + drift * seconds) * 1e12)));
    }
};

double seconds(Time time) {
    return static_cast<double>(time.since_start().picoseconds()) / 1e12;
}

/// Ranks of a host each, that talk to and fro for so many seconds. A message takes 20 us, and many
/// take longer.
struct Talk {
    explicit Talk(std::vector<WrongClock> its_clocks, double length = 10)
        : clocks(std::move(its_clocks)) {
        run.ranks.resize(clocks.size());
        for (std::size_t i = 0; i < clocks.size(); ++i)
            run.ranks[i].node = static_cast<int>(i);
        std::mt19937 chance(1);
        std::exponential_distribution<double> later(1 / 30e-6);
        for (int i = 0; i < 2000; ++i) {
            const double sent = length * i / 2000;
            // Everybody with the next.
            for (std::size_t from = 0; from + 1 < clocks.size(); ++from)
                for (const bool back : {false, true})
                    add(back ? from + 1 : from, back ? from : from + 1, sent,
                        sent + 20e-6 + later(chance));
        }
    }

    void add(std::size_t from, std::size_t to, double sent, double received) {
        Message message;
        message.source = static_cast<int>(from);
        message.destination = static_cast<int>(to);
        message.is_sent = message.is_received = true;
        message.sent = message.left = clocks[from].says(sent);
        message.posted = message.received = clocks[to].says(received);
        run.messages.push_back(message);
        took.push_back(received - sent);
    }

    /// By how much messages seem to have taken another time than they did, at most.
    double worst() const {
        double error = 0;
        for (std::size_t i = 0; i < took.size(); ++i)
            error = std::max(error, std::abs(seconds(run.messages[i].received) -
                                             seconds(run.messages[i].sent) - took[i]));
        return error;
    }

    std::vector<WrongClock> clocks;
    RunRecord run;
    std::vector<double> took;
};

TEST(Clocks, OfHostsThatAreApartAreShifted) {
    Talk talk({{0, 0}, {3.5, 0}, {-0.25, 0}});
    EXPECT_GT(talk.worst(), 1);
    align_hosts(talk.run);
    EXPECT_LT(talk.worst(), 2e-6);
}

TEST(Clocks, ThatDriftApartAreBroughtTogetherAllAlong) {
    Talk talk({{0, 0}, {1.25, 50e-6}, {-2, -30e-6}});
    align_hosts(talk.run);
    // In 10 s the second has gained 500 us, and lost 80 us in each to the third.
    EXPECT_LT(talk.worst(), 10e-6);
    for (const Message& message : talk.run.messages)
        EXPECT_GE(message.received, message.sent);
}

TEST(Clocks, AreNotBentWhereAShiftIsEnough) {
    // Whoever comes late to its receives at the end of one way, and at the beginning of the other,
    // is no clock that drifts.
    Talk talk({{0, 0}, {0.5, 0}});
    talk.run.messages.clear();
    talk.took.clear();
    for (const double at : {0.0, 1.0, 2.0}) {
        talk.add(0, 1, at, at + 20e-6 + at * 200e-6);
        talk.add(1, 0, at, at + 20e-6 + (2 - at) * 200e-6);
    }
    align_hosts(talk.run);
    EXPECT_LT(talk.worst(), 1e-9);
}

TEST(Clocks, OfAHostThatOnlySendsStayAsTheCalendarHasThem) {
    Talk talk({{0, 0}, {0.5, 0}});
    std::erase_if(talk.run.messages, [](const Message& message) { return message.source == 0; });
    const Time before = talk.run.messages.front().sent;
    align_hosts(talk.run);
    EXPECT_EQ(talk.run.messages.front().sent, before);
}

}  // namespace
}  // namespace railyard::mpi::traces
