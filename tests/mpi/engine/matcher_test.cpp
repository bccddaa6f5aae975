// Both ways to match, against the plainest one: two lists, searched from the front.

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <optional>
#include <random>

#include "mpi/engine/matcher.hpp"
#include "mpi/engine/settings.hpp"

namespace railyard::mpi {
namespace {

struct Oracle {
    std::list<Request*> posted;
    std::list<Unexpected*> messages;

    Request* arrive(const Envelope& message) {
        for (auto at = posted.begin(); at != posted.end(); ++at)
            if (matches((*at)->envelope, message)) {
                Request* found = *at;
                posted.erase(at);
                return found;
            }
        return nullptr;
    }
    Unexpected* find(const Envelope& wanted) {
        for (Unexpected* message : messages)
            if (matches(wanted, message->envelope())) return message;
        return nullptr;
    }
};

class MatcherTest : public testing::TestWithParam<Matching> {
  protected:
    std::unique_ptr<Matcher> make() {
        return GetParam() == Matching::list ? make_list_matcher() : make_hashed_matcher();
    }
};

Envelope random_envelope(std::mt19937& random, bool wild) {
    Envelope e;
    e.context = random() % 2;
    e.source = static_cast<int>(random() % 3);
    e.tag = static_cast<int>(random() % 4);
    if (wild && random() % 3 == 0) e.source = any_source;
    if (wild && random() % 3 == 0) e.tag = any_tag;
    return e;
}

TEST_P(MatcherTest, DoesWhatListsDo) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const auto matcher = make();
        Oracle oracle;
        RequestPool pool;
        std::deque<Unexpected> store;
        // Some runs have more receives than messages, some the contrary, some no wildcards.
        const unsigned receives = 20 + seed % 60;
        const bool wild = seed % 4 != 0;
        for (int step = 0; step < 3000; ++step) {
            const unsigned what = random() % 100;
            if (what < receives) {
                Request& request = pool.take();
                request.envelope = random_envelope(random, wild);
                Unexpected* expected = oracle.find(request.envelope);
                ASSERT_EQ(matcher->post(request), expected);
                if (expected != nullptr) {
                    oracle.messages.remove(expected);
                    pool.give_back(request);
                } else {
                    oracle.posted.push_back(&request);
                }
            } else if (what < 95) {
                const Envelope envelope = random_envelope(random, false);
                Request* expected = oracle.arrive(envelope);
                ASSERT_EQ(matcher->arrive(envelope), expected);
                if (expected != nullptr) {
                    pool.give_back(*expected);
                    continue;
                }
                Unexpected& message = store.emplace_back();
                message.header.context = envelope.context;
                message.header.source = envelope.source;
                message.header.tag = envelope.tag;
                oracle.messages.push_back(&message);
                matcher->add_unexpected(message);
            } else if (what < 97) {
                const Envelope wanted = random_envelope(random, wild);
                Unexpected* expected = oracle.find(wanted);
                ASSERT_EQ(matcher->find(wanted), expected);
                if (expected != nullptr && random() % 2 == 0) {
                    matcher->withdraw(*expected);
                    oracle.messages.remove(expected);
                }
            } else if (!oracle.posted.empty()) {
                auto at = oracle.posted.begin();
                std::advance(at, random() % oracle.posted.size());
                Request& request = **at;
                oracle.posted.erase(at);
                ASSERT_TRUE(matcher->withdraw(request));
                ASSERT_FALSE(matcher->withdraw(request));
                pool.give_back(request);
            }
        }
    }
}

// PR-5: with lists, the cost grows with the entries passed over; hashed, it does not.
TEST_P(MatcherTest, VisitsAsManyEntriesAsItsKindDoes) {
    const auto matcher = make();
    RequestPool pool;
    constexpr int n = 1000;
    for (int tag = 0; tag < n; ++tag) {
        Request& request = pool.take();
        request.envelope = {0, 0, tag};
        matcher->post(request);
    }
    matcher->take_visits();
    EXPECT_NE(matcher->arrive({0, 0, n - 1}), nullptr);
    const std::uint64_t visits = matcher->take_visits().posted;
    if (GetParam() == Matching::list)
        EXPECT_EQ(visits, n);
    else
        EXPECT_EQ(visits, 1u);
}

TEST_P(MatcherTest, FindsUnexpectedMessagesAsItsKindDoes) {
    const auto matcher = make();
    std::deque<Unexpected> store;
    constexpr int n = 1000;
    for (int tag = 0; tag < n; ++tag) {
        Unexpected& message = store.emplace_back();
        message.header.source = tag % 7;
        message.header.tag = tag;
        EXPECT_EQ(matcher->arrive(message.envelope()), nullptr);
        matcher->add_unexpected(message);
    }
    for (const Envelope& wanted :
         {Envelope{0, (n - 1) % 7, n - 1}, Envelope{0, any_source, n - 1}}) {
        matcher->take_visits();
        EXPECT_EQ(matcher->find(wanted), &store.back());
        EXPECT_EQ(matcher->take_visits().unexpected, GetParam() == Matching::list ? n : 1u);
    }
}

INSTANTIATE_TEST_SUITE_P(Kind, MatcherTest, testing::Values(Matching::hashed, Matching::list),
                         [](const auto& instance) {
                             return instance.param == Matching::list ? "list" : "hashed";
                         });

}  // namespace
}  // namespace railyard::mpi
