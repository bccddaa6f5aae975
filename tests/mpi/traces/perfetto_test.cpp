// Traces as a parser reads them: lanes, calls, and arrows that begin and end in the right calls.

#include "mpi/traces/perfetto.hpp"

#include <algorithm>
#include <map>

#include "mpi/traces/recorded.hpp"
#include "results/json.hpp"

namespace railyard::mpi::traces {
namespace {

using results::Json;

/// What a viewer makes of the file.
struct Viewed {
    std::map<int, std::string> lanes;            ///< by number
    std::map<int, std::vector<Json>> slices;     ///< by lane
    std::map<std::uint64_t, Json> starts, ends;  ///< of arrows

    explicit Viewed(const std::string& text) {
        const Json file = Json::parse(text);
        for (const Json& event : file["traceEvents"]) {
            const std::string kind = event["ph"];
            if (kind == "M" && event["name"] == "thread_name")
                lanes[event["tid"]] = event["args"]["name"];
            if (kind == "X") slices[event["tid"]].push_back(event);
            if (kind != "s" && kind != "f") continue;
            auto& arrows = kind == "s" ? starts : ends;
            EXPECT_TRUE(arrows.emplace(event["id"], event).second);
        }
    }

    /// The slice that an end of an arrow lies in.
    const Json* at(const Json& end) const {
        for (const Json& slice : slices.at(end["tid"])) {
            const double begin = slice["ts"];
            const double time = end["ts"];
            if (slice["name"] != "computing" && time >= begin &&
                time <= begin + slice["dur"].get<double>())
                return &slice;
        }
        return nullptr;
    }
};

RunRecord ring() {
    return recorded(3,
                    [](int rank, fabric::Host& host) {
                        std::vector<char> data(static_cast<std::size_t>(rank) * 10 + 10);
                        MPI_Request request = MPI_REQUEST_NULL;
                        char room[64] = {};
                        MPI_Irecv(room, 64, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
                        host.compute(Duration::us(50));
                        MPI_Send(data.data(), static_cast<int>(data.size()), MPI_CHAR,
                                 (rank + 1) % 3, 5, MPI_COMM_WORLD);
                        MPI_Wait(&request, MPI_STATUS_IGNORE);
                        int value = 0;
                        MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD);
                    })
        .run;
}

TEST(Perfetto, HasALaneARankAndAnArrowAMessage) {
    const Viewed viewed(perfetto_file(ring(), {}));
    ASSERT_EQ(viewed.lanes.size(), 3U);
    EXPECT_EQ(viewed.starts.size(), 3U);
    ASSERT_EQ(viewed.ends.size(), viewed.starts.size());
    for (const auto& [id, start] : viewed.starts) {
        const Json& end = viewed.ends.at(id);
        const Json* const send = viewed.at(start);
        const Json* const receive = viewed.at(end);
        ASSERT_NE(send, nullptr);
        ASSERT_NE(receive, nullptr);
        EXPECT_EQ((*send)["name"], "MPI_Send");
        EXPECT_EQ((*receive)["name"], "MPI_Wait");
        EXPECT_LE(start["ts"].get<double>(), end["ts"].get<double>());
        // Either end names the other.
        EXPECT_EQ(viewed.lanes.at(end["tid"]),
                  "rank " + std::to_string((*send)["args"]["to"].get<int>()));
        EXPECT_EQ(viewed.lanes.at(start["tid"]),
                  "rank " + std::to_string((*receive)["args"]["from"].get<int>()));
        EXPECT_EQ((*send)["args"]["bytes"], (*receive)["args"]["bytes"]);
        EXPECT_EQ((*send)["args"]["tag"], 5);
    }
}

TEST(Perfetto, ShowsComputingAndWhatCollectivesDo) {
    const Viewed viewed(perfetto_file(ring(), {}));
    for (const auto& [lane, slices] : viewed.slices) {
        const auto computing = std::ranges::find_if(slices, [](const Json& slice) {
            return slice["name"] == "computing" && slice["dur"].get<double>() == 50;
        });
        EXPECT_NE(computing, slices.end());
        const auto bcast = std::ranges::find_if(
            slices, [](const Json& slice) { return slice["name"] == "MPI_Bcast"; });
        ASSERT_NE(bcast, slices.end());
        EXPECT_EQ((*bcast)["args"]["root"], 2);
        EXPECT_EQ((*bcast)["args"]["algorithm"], "binomial");
        EXPECT_EQ((*bcast)["args"]["bytes"], 4);
        // Slices of a lane follow each other, as viewers need it.
        for (std::size_t i = 1; i < slices.size(); ++i)
            EXPECT_LE(slices[i - 1]["ts"].get<double>() + slices[i - 1]["dur"].get<double>(),
                      slices[i]["ts"].get<double>() + 1e-6);
    }
}

TEST(Perfetto, ShowsAPartOfTheRun) {
    const Viewed viewed(perfetto_file(ring(), {.from = Duration::us(40), .to = Duration::us(45)}));
    EXPECT_TRUE(viewed.starts.empty());
    for (const auto& [lane, slices] : viewed.slices)
        for (const Json& slice : slices)
            EXPECT_EQ(slice["name"], "computing");
    EXPECT_EQ(viewed.slices.size(), 3U);
}

}  // namespace
}  // namespace railyard::mpi::traces
