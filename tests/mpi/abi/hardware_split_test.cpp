// Communicators of ranks that share a part of the machine.

#include <map>
#include <string>
#include <vector>

#include "base/topology.hpp"
#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

class HardwareSplits : public OnRanks {
  protected:
    /// Ranks on these nodes, if the fabric has several.
    void run_on_nodes(std::vector<fabric::NodeId> nodes, const std::function<void(int)>& body) {
        job::Options options = options_for(GetParam(), static_cast<int>(nodes.size()));
        options.nodes = std::move(nodes);
        const job::Result result = job::run(options, [&](job::Rank& rank) {
            MPI_Init(nullptr, nullptr);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            body(rank.id());
            MPI_Finalize();
        });
        EXPECT_TRUE(result.ok) << result.failure;
    }
};
RAILYARD_ON_BOTH_CLOCKS(HardwareSplits);

constexpr const char* key = "mpi_hw_resource_type";

MPI_Comm guided(const std::string& kind) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (!kind.empty()) MPI_Info_set(info, key, kind.c_str());
    MPI_Comm made = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &made),
              MPI_SUCCESS);
    MPI_Info_free(&info);
    return made;
}

/// What the program is told of the kind; empty: nothing.
std::string unguided(MPI_Comm* made) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    EXPECT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, made),
              MPI_SUCCESS);
    char kind[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, kind, &flag);
    MPI_Info_free(&info);
    return flag != 0 ? kind : "";
}

TEST_P(HardwareSplits, GoByNodes) {
    if (GetParam().kind != job::Kind::fibers) GTEST_SKIP() << "has one node";
    run_on_nodes({2, 0, 2, 0, 0}, [](int rank) {
        const bool on_two = rank == 0 || rank == 2;
        MPI_Comm comms[3] = {guided("mpi_shared_memory"), guided("MPI_Shared_Memory")};
        EXPECT_EQ(unguided(&comms[2]), "mpi_shared_memory");
        for (MPI_Comm& comm : comms) {
            int size = -1;
            MPI_Comm_size(comm, &size);
            EXPECT_EQ(size, on_two ? 2 : 3);
            int sum = -1;
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
            EXPECT_EQ(sum, on_two ? 2 : 8);
            MPI_Comm_free(&comm);
        }
        EXPECT_EQ(guided("L3Cache"), MPI_COMM_NULL) << "a model has nothing smaller";
    });
    // On one node there is nothing to split by.
    run_on_nodes({1, 1, 1}, [](int) {
        MPI_Comm made = MPI_COMM_WORLD;
        EXPECT_EQ(unguided(&made), "");
        EXPECT_EQ(made, MPI_COMM_NULL);
    });
}

TEST_P(HardwareSplits, GoByPartsOfARealMachine) {
    if (GetParam().kind == job::Kind::fibers) GTEST_SKIP() << "is a model";
    run(3, [](int, int) {
        const auto here = hardware().holding(allowed_cores());
        for (std::size_t kind = 0; kind < hardware_kinds.size(); ++kind) {
            MPI_Comm made = guided(std::string(hardware_kinds[kind]));
            EXPECT_EQ(made == MPI_COMM_NULL, here[kind] < 0) << hardware_kinds[kind];
            if (made == MPI_COMM_NULL) continue;
            // All of one communicator are on one part, and nobody else is on it.
            int size = -1;
            MPI_Comm_size(made, &size);
            std::vector<int> parts(static_cast<std::size_t>(size));
            MPI_Allgather(&here[kind], 1, MPI_INT, parts.data(), 1, MPI_INT, made);
            EXPECT_THAT(parts, testing::Each(here[kind]));
            MPI_Comm_free(&made);
        }
    });
}

TEST_P(HardwareSplits, WithoutAKnownKindThereIsNone) {
    run(2, [](int, int) {
        EXPECT_EQ(guided(""), MPI_COMM_NULL);
        EXPECT_EQ(guided("warp core"), MPI_COMM_NULL);
        MPI_Comm made = MPI_COMM_WORLD;
        EXPECT_EQ(
            MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &made),
            MPI_SUCCESS);
        EXPECT_EQ(made, MPI_COMM_NULL);
        EXPECT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, 99, 0, MPI_INFO_NULL, &made), MPI_ERR_ARG);
    });
}

/// The values of all keys that the library gives for this rank's hardware.
std::map<std::string, std::string> resources() {
    MPI_Info info = MPI_INFO_NULL;
    EXPECT_EQ(MPI_Get_hw_resource_info(&info), MPI_SUCCESS);
    int keys = 0;
    MPI_Info_get_nkeys(info, &keys);
    std::map<std::string, std::string> found;
    for (int i = 0; i < keys; ++i) {
        char name[MPI_MAX_INFO_KEY + 1] = "";
        char value[16] = "";
        int flag = 0;
        MPI_Info_get_nthkey(info, i, name);
        MPI_Info_get(info, name, sizeof value - 1, value, &flag);
        found[name] = value;
    }
    MPI_Info_free(&info);
    return found;
}

TEST_P(HardwareSplits, KindsOfHardwareAreNamed) {
    run_on_nodes({0, 0}, [&](int) {
        const bool is_real = GetParam().kind != job::Kind::fibers;
        auto found = resources();
        EXPECT_EQ(found["railyard://node"], "true");
        EXPECT_EQ(found.contains("hwloc://PU"), is_real);
        EXPECT_EQ(found.size() > 1, is_real);
        if (is_real) {
            const std::vector<int> before = allowed_cores();
            pin_to(before.front());
            EXPECT_EQ(resources()["hwloc://PU"], "true");
            pin_to(before);
            EXPECT_EQ(resources()["hwloc://PU"], before.size() == 1 ? "true" : "false");
        }
        // A name that was found is one to split by.
        MPI_Comm node = guided("railyard://node");
        ASSERT_NE(node, MPI_COMM_NULL);
        MPI_Comm_free(&node);
        EXPECT_EQ(MPI_Get_hw_resource_info(nullptr), MPI_ERR_ARG);
    });
}

}  // namespace
}  // namespace railyard::mpi
