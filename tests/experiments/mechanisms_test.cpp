// What the experiments show of the adapters' mechanisms, on the models of liu04's three networks:
// statements of docs/mechanisms.md (NT: address translation, CO: completion, GM), not figures.

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

constexpr const char* vapi = "infiniband-pcix-liu04";
constexpr const char* gm = "myrinet2000-gm";
constexpr const char* elan = "quadrics-liu04";
constexpr double alike = 0.01;

/// The values of a metric, by one parameter.
std::map<std::int64_t, double> values(const std::vector<results::Row>& rows,
                                      std::string_view metric, const char* parameter) {
    std::map<std::int64_t, double> found;
    for (const auto& row : rows)
        if (row.metric == metric) found[integer(row, parameter)] = row.value;
    return found;
}

/// The smallest over the largest.
double flatness(const std::map<std::int64_t, double>& values) {
    const auto [least, most] = std::ranges::minmax_element(
        values, [](const auto& a, const auto& b) { return a.second < b.second; });
    return least->second / most->second;
}

TEST(Translation, NT1NT3ABoundedSetOfBuffersCostsElanAndGmNothing) {
    for (const char* fabric : {elan, gm}) {
        const auto bandwidth =
            values(measure("buffer-reuse-fifo", fabric, {.buffers = {1, 10, 25}}), "bandwidth",
                   results::parameter::buffers);
        EXPECT_GT(flatness(bandwidth), 1 - alike) << fabric;
    }
}

TEST(Translation, NT2MoreThanTenBuffersCostVapiBandwidth) {
    auto bandwidth = values(measure("buffer-reuse-fifo", vapi, {.buffers = {1, 10, 11, 30}}),
                            "bandwidth", results::parameter::buffers);
    EXPECT_NEAR(bandwidth[10], bandwidth[1], alike * bandwidth[1]);
    EXPECT_LT(bandwidth[11], 0.95 * bandwidth[10]);
    EXPECT_NEAR(bandwidth[30], bandwidth[11], alike * bandwidth[11]);
}

TEST(Translation, FreshBuffersCostElanMostAndGmLeast) {
    const char* reuse = results::parameter::reuse_percent;
    std::map<std::string, double> latency;    // all fresh over all reused
    std::map<std::string, double> bandwidth;  // likewise
    for (const char* fabric : {vapi, gm, elan}) {
        const auto rows = measure("buffer-reuse-percent", fabric, {});
        auto times = values(rows, "latency", reuse);
        auto rates = values(rows, "bandwidth", reuse);
        for (const auto& [less, more] : {std::pair{0, 25}, {25, 50}, {50, 75}, {75, 100}}) {
            EXPECT_GE(times[less], times[more]) << fabric << " " << less;
            EXPECT_LE(rates[less], rates[more] * (1 + 1e-9)) << fabric << " " << less;
        }
        latency[fabric] = times[0] / times[100];
        bandwidth[fabric] = rates[0] / rates[100];
    }
    EXPECT_GT(latency[elan], 1.5) << "NT-1: steep; RC-5: without registration";
    EXPECT_LT(latency[vapi], 1.25) << "NT-2: mild";
    EXPECT_LT(latency[gm], 1.25);
    EXPECT_LT(bandwidth[elan], bandwidth[vapi]);
    EXPECT_LT(bandwidth[vapi], 0.95) << "NT-2: clear";
    EXPECT_GT(bandwidth[gm], 1 - alike) << "NT-3, GM-5: none";
}

TEST(CompletionOfModels, CO1WatchingMemoryIsTheCheapest) {
    const Wishes wishes{.sizes = {Bytes(4), Bytes(64 << 10)}};
    const char* size = results::parameter::message_bytes;
    for (const char* fabric : {vapi, gm, elan}) {
        SCOPED_TRACE(fabric);
        auto polling =
            values(measure("completion-polling", fabric, wishes), "completion_overhead", size);
        auto blocking =
            values(measure("completion-blocking", fabric, wishes), "completion_overhead", size);
        for (const std::int64_t bytes : {4, 64 << 10}) {
            EXPECT_GE(polling[bytes], 0);
            EXPECT_GT(blocking[bytes], polling[bytes] + 5) << "CO-3: an interrupt and a wake-up";
        }
    }
}

// CO-2, CO-4: to be told by a completion costs something of its own wherever the message does not
// bring it along, and nearly the same for small and medium messages. An extra send, as on GM, costs
// the most. Elan brings it along with up to 64 bytes.
TEST(CompletionOfModels, CO2CO4ANoticeCostsAlikeForAllSizesButOnElan) {
    const Wishes wishes{.sizes = {Bytes(4), Bytes(64), Bytes(256), Bytes(1024)}};
    const auto overhead = [&](const char* fabric) {
        return values(measure("completion-polling", fabric, wishes), "completion_overhead",
                      results::parameter::message_bytes);
    };
    auto on_vapi = overhead(vapi);
    auto on_gm = overhead(gm);
    auto on_elan = overhead(elan);
    EXPECT_GT(flatness(on_vapi), 1 - alike);
    EXPECT_NEAR(on_vapi[4], 1.8, 0.09);
    EXPECT_GT(flatness(on_gm), 0.7);
    for (const auto& [size, cost] : on_gm)
        EXPECT_GT(cost, on_vapi[size]) << size;
    EXPECT_GE(on_gm[4], 3);
    EXPECT_LE(on_gm[4], 5);
    EXPECT_EQ(on_elan[4], 0);
    EXPECT_EQ(on_elan[64], 0);
    EXPECT_GT(on_elan[256], 0.1);
    EXPECT_NEAR(on_elan[256], on_elan[1024], alike);
    EXPECT_LE(on_elan[1024], 0.4);
}

// GM-4: the target of a write hears nothing of it; a send behind it tells.
TEST(CompletionOfModels, AFabricWithoutNoticeNeedsAnExtraSend) {
    const std::vector<Bytes> sizes{Bytes(4)};
    EXPECT_EQ(text(measure("completion-polling", gm, {.sizes = sizes}).back(),
                   results::parameter::method),
              "extra send");
    EXPECT_EQ(text(measure("completion-polling", vapi, {.sizes = sizes}).back(),
                   results::parameter::method),
              "immediate");
}

/// Half a round trip through the adapter's own matching, in us, by size.
std::map<std::int64_t, double> tagged_latency(const char* fabric, std::vector<Bytes> sizes) {
    return values(
        measure("user-pingpong", fabric, {.sizes = std::move(sizes), .ops = {fabric::Op::send}}),
        "latency", results::parameter::message_bytes);
}

// MX-3: the same program over other switches, which cost 0.3 us.
TEST(MxOfModels, RunsOverEitherSwitch) {
    auto myrinet = tagged_latency("mx10g-myrinet", {Bytes(4), Bytes(64)});
    auto ethernet = tagged_latency("mx10g-ethernet", {Bytes(4), Bytes(64)});
    for (const std::int64_t size : {4, 64})
        EXPECT_NEAR(ethernet[size] - myrinet[size], 0.3, 0.05) << size;
}

// MX-6: beyond 32 KiB a message waits for its match, and for the threads that start the transfer.
TEST(MxOfModels, GoesFromEagerToRendezvous) {
    const auto kib = [](std::int64_t n) { return n << 10; };
    auto latency = tagged_latency(
        "mx10g-myrinet", {Bytes(31 << 10), Bytes(32 << 10), Bytes(33 << 10), Bytes(34 << 10)});
    const double before = latency[kib(32)] - latency[kib(31)];
    const double at = latency[kib(33)] - latency[kib(32)];
    const double after = latency[kib(34)] - latency[kib(33)];
    EXPECT_GT(at, 5 + before);
    EXPECT_GT(at, 5 + after);
}

TEST(HostOverheadOfModels, DoesNotDependOnTheSize) {
    for (const char* fabric : {vapi, gm, elan}) {
        const auto overhead = values(measure("host-overhead-latency", fabric, {.quick = true}),
                                     "host_overhead", results::parameter::message_bytes);
        ASSERT_GT(overhead.size(), 3U);
        EXPECT_GT(overhead.begin()->second, 0);
        EXPECT_GT(flatness(overhead), 1 - alike) << fabric;
    }
}

TEST(HostOverheadOfModels, LeavesTheProcessorToAComputation) {
    for (const char* fabric : {vapi, gm, elan}) {
        const auto row = measure("host-overhead-bandwidth", fabric, {}).back();
        EXPECT_EQ(row.metric, "cpu_share_before_bandwidth_drop");
        EXPECT_GT(row.value, 99) << fabric;
        EXPECT_LT(row.value, 100) << fabric << ": messages take some of it";
    }
}

TEST(HotspotOfModels, GrowsWithEverySlave) {
    for (const char* experiment : {"hotspot-send", "hotspot-recv"}) {
        for (const char* fabric : {vapi, gm, elan}) {
            SCOPED_TRACE(std::string(experiment) + " on " + fabric);
            const auto rows = measure(experiment, fabric, {});
            ASSERT_EQ(rows.size(), 14U);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                EXPECT_NEAR(rows[i].statistics.min, rows[i].statistics.max, 1e-9)
                    << "the steady state";
                if (i % 7 != 0) {
                    EXPECT_GT(rows[i].value, rows[i - 1].value);
                }
            }
        }
    }
}

// Commands, DMAs and tokens are different threads' of the microcode, which overlap: a further slave
// costs what the DMA engine alone is busy with it, and less than a fifth of what it costs others.
TEST(HotspotOfModels, GrowsLeastOnQuadrics) {
    const auto rise = [](const char* experiment, const char* fabric) {
        const auto rows = measure(experiment, fabric, {});
        return rows.at(6).value - rows.at(0).value;
    };
    for (const char* experiment : {"hotspot-send", "hotspot-recv"}) {
        const double ours = rise(experiment, elan);
        for (const char* other : {vapi, gm})
            EXPECT_LT(ours, rise(experiment, other) / 5) << experiment << " on " << other;
    }
    EXPECT_NEAR(rise("hotspot-send", elan) / 6, 0.490 + 0.040, 0.03) << "dma_start and packet";
}

}  // namespace
}  // namespace railyard::experiments
