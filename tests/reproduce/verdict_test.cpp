// From rows to verdicts, and from verdicts to what is shown.

#include "reproduce/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "railyard/base/error.hpp"
#include "reproduce/rows.hpp"

namespace railyard::reproduce {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const std::string vapi = "infiniband-pcix-liu04";
const std::string gm = "myrinet2000-gm";
const std::string write_id = "liu04.latency.rdma_write.small.vapi";
const std::string send_id = "liu04.latency.send_recv.small.vapi";
const std::string order_id = "liu04.latency.vapi.sr_gt_rdma";

std::vector<Record> records(const std::vector<std::string>& ids) {
    std::vector<Record> out;
    for (const std::string& id : ids)
        out.push_back(paper(id));
    return out;
}

/// `write` and `send` are our latencies on VAPI.
Measured measured(double write, double send) {
    return {{small_latency(vapi, "rdma_write", write), small_latency(vapi, "send_recv", send)}, {}};
}

std::vector<Verdict> verdicts(const std::vector<std::string>& ids, const Measured& found,
                              const std::vector<Exception>& exceptions = {},
                              const Cited& cited = {}) {
    return judge(tasks(records(ids), papers()), found, Bases(papers(), cited), Figures(papers()),
                 exceptions);
}

Verdict verdict(const std::string& id, const Measured& found,
                const std::vector<Exception>& exceptions = {}) {
    return verdicts({id}, found, exceptions).front();
}

TEST(Verdicts, TellRightFromOff) {
    const Verdict right = verdict(write_id, measured(6.2, 7.8));
    EXPECT_EQ(right.outcome, Outcome::right);
    EXPECT_EQ(right.judgement.ours, 6.2);
    EXPECT_NEAR(*right.judgement.difference_percent, 3.33, 0.01);
    EXPECT_THAT(right.fabrics, ElementsAre(vapi));
    EXPECT_EQ(verdict(write_id, measured(6.4, 7.8)).outcome, Outcome::off);
    EXPECT_EQ(verdict(order_id, measured(6.0, 7.8)).outcome, Outcome::right);
    EXPECT_EQ(verdict(order_id, measured(8.0, 7.8)).outcome, Outcome::off);
}

TEST(Verdicts, ExceptionsAreKeptHonest) {
    const std::vector<Exception> listed{{write_id, "physics", "because"}};
    const Verdict off = verdict(write_id, measured(9, 9), listed);
    EXPECT_EQ(off.outcome, Outcome::exception);
    EXPECT_EQ(off.reason, "physics: because");
    EXPECT_EQ(verdict(write_id, measured(6, 9), listed).outcome, Outcome::come_right);
    EXPECT_EQ(verdict(send_id, measured(6, 9), listed).outcome, Outcome::off);
}

TEST(Verdicts, SayWhyTheyCannot) {
    Measured nothing;
    nothing.failures[{"latency-uni", vapi}] = "there is no fabric 'x'";
    const Verdict failed = verdict(write_id, nothing);
    EXPECT_EQ(failed.outcome, Outcome::not_available);
    EXPECT_EQ(failed.reason, "there is no fabric 'x'");
    const Verdict missing = verdict(write_id, {});
    EXPECT_EQ(missing.outcome, Outcome::not_available);
    EXPECT_THAT(missing.reason, HasSubstr("not measured"));
}

TEST(Verdicts, OfProgramsThatAreNotHereNeedAReason) {
    const std::string id = "wu02.table1.sppm.64";
    const Verdict unlisted = verdict(id, {});
    EXPECT_EQ(unlisted.outcome, Outcome::not_available);
    EXPECT_THAT(unlisted.reason, HasSubstr("exceptions.toml does not say why"));
    // That it is off is no reason: nobody has looked.
    EXPECT_EQ(verdict(id, {}, {{id, "physics", "because"}}).outcome, Outcome::not_available);
    const Verdict listed = verdict(id, {}, {{id, "not reproducible", "because"}});
    EXPECT_EQ(listed.outcome, Outcome::not_reproducible);
    EXPECT_EQ(listed.reason, "not reproducible: because");
    EXPECT_FALSE(checked(listed.outcome));
    // Once it is measured, the reason is gone.
    const std::vector<Exception> stale{{write_id, "not reproducible", "because"}};
    EXPECT_EQ(verdict(write_id, measured(9, 9), stale).outcome, Outcome::off);
    EXPECT_EQ(verdict(write_id, measured(6, 9), stale).outcome, Outcome::come_right);
}

TEST(Verdicts, AFigureThatWasFittedProvesNothing) {
    const Cited one{{vapi, {write_id}}};
    const auto found = verdicts({write_id, send_id, order_id}, measured(6, 7.8), {}, one);
    EXPECT_EQ(found[0].basis, Basis::fitted);
    EXPECT_EQ(found[1].basis, Basis::predicted);
    EXPECT_EQ(found[2].basis, Basis::predicted);
    // Nor does a relation between two of them.
    const Cited both{{vapi, {write_id, send_id}}};
    EXPECT_EQ(verdicts({order_id}, measured(6, 7.8), {}, both)[0].basis, Basis::fitted);
    // A record that another fabric's profile names says nothing of this one.
    const Cited other{{gm, {write_id}}};
    EXPECT_EQ(verdicts({write_id}, measured(6, 7.8), {}, other)[0].basis, Basis::predicted);
}

TEST(Verdicts, AParametersTwinIsFittedWithIt) {
    const Record knee = paper("liu04.reuse.fifo.vapi");
    const auto check = check_of(knee, papers());
    // The place of the knee is a parameter of the paper; that it is there, a result.
    const Bases bases(papers(), {{vapi, {"liu04.reuse.fifo.knee.vapi"}}});
    EXPECT_EQ(bases.of(knee, std::get<Check>(check)), Basis::fitted);
    EXPECT_EQ(Bases(papers(), {}).of(knee, std::get<Check>(check)), Basis::predicted);
}

TEST(Verdicts, KnowWhatKindOfStatementARecordIs) {
    EXPECT_EQ(class_of(paper(write_id)), Class::performance);
    EXPECT_EQ(class_of(paper("rashti07.reuse.eager.ib")), Class::bound);
    EXPECT_EQ(class_of(paper("wu02.table1.sppm.64")), Class::structure);
    EXPECT_EQ(class_of(paper(order_id)), Class::relation);
}

TEST(Verdicts, ABoundOnWhatIsNotThereIsVacuous) {
    Verdict bound{.record = paper("rashti07.reuse.eager.ib")};
    bound.judgement.ours = 1.0;
    EXPECT_TRUE(is_vacuous(bound));
    bound.judgement.ours = 1.2;
    EXPECT_FALSE(is_vacuous(bound));
    bound.record = paper(write_id);
    bound.judgement.ours = 1.0;
    EXPECT_FALSE(is_vacuous(bound)) << "a latency of 1 us is one";
}

// The paper has 6.0 and 7.8 us: 30 % apart.
TEST(Verdicts, ARelationThatHardlyHoldsIsMarginal) {
    const Verdict holds = verdict(order_id, measured(6.0, 6.3));
    EXPECT_EQ(holds.outcome, Outcome::right);
    EXPECT_NEAR(*holds.judgement.margin, 0.05, 1e-9);
    EXPECT_NEAR(*holds.paper_margin, 0.3, 1e-9);
    EXPECT_EQ(verdict(order_id, measured(6.0, 6.1)).outcome, Outcome::marginal);
    EXPECT_EQ(verdict(order_id, measured(6.0, 6.0)).outcome, Outcome::off);
    EXPECT_TRUE(count(verdicts({order_id}, measured(6.0, 6.1))).good()) << "it does hold";
    EXPECT_EQ(count(verdicts({order_id}, measured(6.0, 6.1))).marginal, 1U);
}

TEST(Verdicts, AreCounted) {
    const std::string sppm = "wu02.table1.sppm.64";
    const auto found =
        verdicts({write_id, send_id, order_id, sppm, "rashti07.param.iwarp.bus_rate",
                  "liu04.host_overhead.gm"},
                 measured(6, 7.8), {{sppm, "not reproducible", ""}}, {{vapi, {write_id}}});
    const Counts counts = count(found);
    EXPECT_EQ(counts.of(Class::performance, Basis::fitted).right, 1U);
    EXPECT_EQ(counts.of(Class::performance, Basis::predicted).right, 1U);
    EXPECT_EQ(counts.of(Class::performance, Basis::predicted).checked, 2U);
    EXPECT_EQ(counts.of(Class::relation).right, 1U);
    EXPECT_EQ(counts.not_available, 1U);
    EXPECT_FALSE(counts.good());
    EXPECT_EQ(
        summary(counts),
        "1 of 2 performance predictions within 5 % (0.00 % off on average); fitted figures 1 of 1; "
        "relations 1 of 1; 0 off, 1 not available; not checked of 6 records: 1 not "
        "reproducible, 1 parameter or remark");
    EXPECT_TRUE(count(verdicts({write_id}, measured(6, 7.8))).good());
    EXPECT_FALSE(count(verdicts({write_id}, measured(9, 9))).good());
    const std::vector<Exception> listed{{write_id, "physics", "because"}};
    EXPECT_TRUE(count(verdicts({write_id}, measured(9, 9), listed)).good());
    EXPECT_FALSE(count(verdicts({write_id}, measured(6, 9), listed)).good());
}

TEST(Wants, AreOneAnExperimentAndFabric) {
    const auto todo =
        tasks(records({write_id, send_id, order_id, "liu04.latency.order.over2k"}), papers());
    const auto needed = wants(selections(todo));
    ASSERT_THAT(needed, SizeIs(3));
    EXPECT_EQ(needed[0].fabric, vapi);
    EXPECT_THAT(needed[0].sizes, ElementsAre(4, 4096, 16384, 65536));
    EXPECT_THAT(needed[0].ops, ElementsAre("rdma_write", "send_recv"));
    EXPECT_EQ(needed[2].fabric, "quadrics-liu04");
    EXPECT_THAT(needed[2].ops, ElementsAre("rdma_write"));
}

TEST(Wants, ThatCannotBeMeasuredAreTold) {
    const std::vector<Want> none{{"latency-uni", "no-such-fabric", {4}, {}, {}},
                                 {"no-such-experiment", "ideal", {4}, {}, {}},
                                 {"latency-uni", "ideal", {1LL << 50}, {}, {}}};
    const Measured found = measure(none, {});
    EXPECT_THAT(found.rows, SizeIs(0));
    EXPECT_EQ(found.failures.at({"latency-uni", "no-such-fabric"}),
              "there is no fabric 'no-such-fabric'");
    EXPECT_EQ(found.failures.at({"no-such-experiment", "ideal"}),
              "there is no experiment 'no-such-experiment'");
    EXPECT_THAT(found.failures.at({"latency-uni", "ideal"}), HasSubstr("carries messages"));
}

TEST(Wants, AreMeasuredAndNoMore) {
    const std::vector<Want> one{{"latency-uni", "ideal", {4, 64}, {"rdma_write"}, {}}};
    const Measured found = measure(one, {});
    EXPECT_THAT(found.rows, SizeIs(2));
    EXPECT_TRUE(found.failures.empty());
}

// Each MPI as its paper had it, whatever ours does by itself.
TEST(Wants, OfMpiRunThePapersLibrary) {
    const auto todo = tasks(records({"liu04pcie.mpi.latency.small.pcie"}), papers());
    const Measured found = measure(wants(selections(todo)), {});
    EXPECT_TRUE(found.failures.empty());
    ASSERT_THAT(found.rows, SizeIs(2));  // with one port and with two
    for (const results::Row& row : found.rows)
        EXPECT_EQ(word(row.parameters, "mpi"), "paper");
    const auto judged = judge(todo, found, Bases(papers(), {}), Figures(papers()), {});
    EXPECT_TRUE(judged.front().judgement.ours);
    EXPECT_EQ(word(judged.front().place, "mpi"), "paper");
}

TEST(Choosing, IsByPaperAndPattern) {
    EXPECT_THAT(choose(papers(), "", write_id), SizeIs(1));
    const auto hotspots = choose(papers(), "liu04", "hotspot-*");
    ASSERT_THAT(hotspots, Not(SizeIs(0)));
    for (const Record& record : hotspots)
        EXPECT_THAT(record.experiment, ::testing::StartsWith("hotspot-"));
    EXPECT_EQ(choose(papers(), "", "").size(), papers().size());
    EXPECT_THROW(choose(papers(), "liu05", ""), UsageError);
    EXPECT_THROW(choose(papers(), "wu02", "hotspot-*"), UsageError);
}

TEST(Shown, IsATableAnExperiment) {
    const std::string text = tables(verdicts({write_id, order_id}, measured(6.1, 7.8)));
    EXPECT_THAT(text, HasSubstr("liu04: latency-uni\n"));
    EXPECT_THAT(text, HasSubstr("~ 6 us"));
    EXPECT_THAT(text, HasSubstr("+1.7 %"));
    EXPECT_THAT(text, HasSubstr("holds"));
    EXPECT_THAT(text, HasSubstr("send_recv 7.8, rdma_write 6.1"));
}

TEST(Shown, AsJsonWithItsRows) {
    const Measured found = measured(6.3, 7.8);
    const std::string text = to_json(verdicts({write_id, order_id}, found), found.rows);
    EXPECT_THAT(text, HasSubstr("\"published\":6.0,\"unit\":\"us\",\"qualifier\":\"~\""));
    EXPECT_THAT(text, HasSubstr("\"fabric\":\"infiniband-pcix-liu04\""));
    EXPECT_THAT(text, HasSubstr("\"place\":{\"message_bytes\":4,\"op\":\"rdma_write\"}"));
    EXPECT_THAT(text, HasSubstr("\"statement\":\"send_recv > rdma_write\""));
    EXPECT_THAT(text, HasSubstr("\"verdict\":\"holds\""));
    EXPECT_THAT(text, HasSubstr("\"rows\": [\n    {\"experiment\":\"latency-uni\""));
}

TEST(Shown, AsAListOfWhereItRuns) {
    const std::string text = list(tasks(records({write_id, "wu02.table1.sppm.64"}), papers()));
    EXPECT_THAT(text, HasSubstr(vapi));
    EXPECT_THAT(text, HasSubstr("(not measured)"));
}

}  // namespace
}  // namespace railyard::reproduce
