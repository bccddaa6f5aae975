// Random sends, receives and cancels against a matcher that is plainly right: each receive gets
// what it says, with the right bytes, in every mixture of sizes, masks and sources (TP-2, TP-7,
// MX-1).

#include <algorithm>
#include <list>
#include <optional>
#include <random>
#include <string>

#include "tagged_ranks.hpp"

namespace railyard::virtual_time::testing {
namespace {

constexpr std::size_t ranks_at_work = 4;

struct Sent {
    std::size_t from = 0;
    std::size_t to = 0;
    MatchBits bits = 0;
    Data data;
    bool synchronous = false;
    bool matched = false;
};
struct Wanted {
    std::size_t at = 0;
    std::optional<std::size_t> from;
    MatchBits bits = 0;
    MatchBits mask = 0;
    Data buffer;
    std::optional<std::size_t> message;  ///< by number
    bool cancelled = false;
};

/// The program and what must come of it. Messages and receives are named by number.
struct Reference {
    std::vector<Sent> sent;
    std::vector<Wanted> wanted;
    std::list<std::size_t> posted[ranks_at_work];
    std::list<std::size_t> unexpected[ranks_at_work];

    bool fit(std::size_t receive, std::size_t message) const {
        const Wanted& w = wanted[receive];
        const Sent& s = sent[message];
        return (!w.from || *w.from == s.from) && (w.bits & w.mask) == (s.bits & w.mask);
    }
    void arrives(std::size_t message) {
        std::list<std::size_t>& queue = posted[sent[message].to];
        for (auto i = queue.begin(); i != queue.end(); ++i)
            if (fit(*i, message)) {
                pair(*i, message);
                queue.erase(i);
                return;
            }
        unexpected[sent[message].to].push_back(message);
    }
    void is_posted(std::size_t receive) {
        std::list<std::size_t>& queue = unexpected[wanted[receive].at];
        for (auto i = queue.begin(); i != queue.end(); ++i)
            if (fit(receive, *i)) {
                pair(receive, *i);
                queue.erase(i);
                return;
            }
        posted[wanted[receive].at].push_back(receive);
    }
    bool is_cancelled(std::size_t receive) {
        std::list<std::size_t>& queue = posted[wanted[receive].at];
        const auto found = std::find(queue.begin(), queue.end(), receive);
        if (found == queue.end()) return false;
        queue.erase(found);
        return wanted[receive].cancelled = true;
    }
    void pair(std::size_t receive, std::size_t message) {
        wanted[receive].message = message;
        sent[message].matched = true;
    }
};

class TaggedProperty : public TaggedRanks, public ::testing::WithParamInterface<unsigned> {
  protected:
    std::size_t below(std::size_t n) { return random() % n; }

    void send() {
        Sent sent{below(ranks_at_work), below(ranks_at_work), below(3),
                  pattern(sizes[below(std::size(sizes))], static_cast<unsigned>(random())),
                  below(5) == 0};
        const std::size_t number = all.sent.size();
        all.sent.push_back(std::move(sent));
        const Sent& kept = all.sent.back();
        EXPECT_TRUE(rank(kept.from)
                        .send(number, rank(kept.to), kept.bits, kept.data, kept.synchronous)
                        .ok());
        // The same event queue: after the arrival of earlier ones, and before that of later ones.
        engine.schedule(engine.now() + plan.way, [this, number] { all.arrives(number); });
    }
    void receive() {
        static constexpr MatchBits masks[] = {all_bits, 0, 1, 2};
        Wanted wanted;
        wanted.at = below(ranks_at_work);
        if (below(2) == 0) wanted.from = below(ranks_at_work);
        wanted.bits = below(3);
        wanted.mask = masks[below(std::size(masks))];
        wanted.buffer.resize(below(8) == 0 ? 50 : 3000);
        const std::size_t number = all.wanted.size();
        all.wanted.push_back(std::move(wanted));
        Wanted& kept = all.wanted.back();
        const Rank& here = rank(kept.at);
        EXPECT_TRUE(here.receive(number, kept.from ? here.peer(rank(*kept.from)) : any_peer,
                                 kept.bits, kept.buffer, kept.mask)
                        .ok());
        all.is_posted(number);
    }
    void cancel() {
        if (all.wanted.empty()) return;
        const std::size_t number = below(all.wanted.size());
        EXPECT_EQ(rank(all.wanted[number].at).port->cancel(number), all.is_cancelled(number));
    }
    void check(std::size_t at, const TaggedCompletion& found) {
        if (!found.receive) {
            EXPECT_TRUE(found.status.ok());
            EXPECT_EQ(all.sent.at(found.id).from, at);
            return;
        }
        const Wanted& wanted = all.wanted.at(found.id);
        EXPECT_EQ(wanted.at, at);
        EXPECT_EQ(found.cancelled, wanted.cancelled);
        if (wanted.cancelled) return;
        ASSERT_TRUE(wanted.message.has_value()) << "receive " << found.id;
        const Sent& sent = all.sent[*wanted.message];
        EXPECT_EQ(found.peer, rank(at).peer(rank(sent.from))) << "receive " << found.id;
        EXPECT_EQ(found.bits, sent.bits);
        EXPECT_EQ(found.length, Bytes(sent.data.size()));
        const std::size_t n = std::min(sent.data.size(), wanted.buffer.size());
        EXPECT_EQ(found.status, n < sent.data.size() ? Code::too_long : Code::ok);
        EXPECT_TRUE(std::equal(sent.data.begin(),
                               sent.data.begin() + static_cast<std::ptrdiff_t>(n),
                               wanted.buffer.begin()))
            << "receive " << found.id;
    }
    /// Takes out everything; returns how many ends of sends and of receives there were.
    std::pair<std::size_t, std::size_t> reap() {
        std::size_t sends = 0;
        std::size_t receives = 0;
        for (std::size_t at = 0; at < ranks_at_work; ++at)
            for (TaggedCompletion found; rank(at).poll(found);) {
                check(at, found);
                ++(found.receive ? receives : sends);
            }
        return {sends, receives};
    }

    static constexpr std::size_t sizes[] = {0, 8, 64, 65, 1000, 1001, 2500};
    std::mt19937 random{GetParam()};
    Reference all;
};

TEST_P(TaggedProperty, EveryReceiveGetsWhatAPlainMatcherGivesIt) {
    plan.way = 1_us;
    plan.placing = 130_ns;
    plan.telling = 40_ns;
    plan.matching = GetParam() % 2 == 0 ? 0_ns : 90_ns;
    plan.match_entry = GetParam() % 2 == 0 ? 0_ns : 35_ns;
    run(ranks_at_work, [&] {
        // Buffers stay where they are, as long as ports hold them.
        all.sent.reserve(1500);
        all.wanted.reserve(1500);
        for (int i = 0; i < 1500; ++i) {
            const std::size_t what = below(16);
            if (what < 7)
                send();
            else if (what < 15)
                receive();
            else
                cancel();
            if (below(3) == 0) pass(Duration::ns(static_cast<std::int64_t>(below(1500))));
        }
        pass(10_ms);
        const auto [sends, receives] = reap();
        const auto ended = [](const Wanted& wanted) { return wanted.message || wanted.cancelled; };
        const auto done = [this](const Sent& sent) {
            return sent.matched ||
                   (!sent.synchronous && Bytes(sent.data.size()) <= plan.rules.eager_limit);
        };
        EXPECT_EQ(sends, static_cast<std::size_t>(std::ranges::count_if(all.sent, done)));
        EXPECT_EQ(receives, static_cast<std::size_t>(std::ranges::count_if(all.wanted, ended)));
        EXPECT_GT(receives, 300U) << "the program is worth running";
    });
}

INSTANTIATE_TEST_SUITE_P(seeds, TaggedProperty, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace railyard::virtual_time::testing
