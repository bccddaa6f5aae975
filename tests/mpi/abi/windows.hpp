#pragma once
/// Windows of every flavor for tests, each of whole numbers.

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {

inline const int all_flavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE,
                                  MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED};

/// `count` numbers of each rank, all zero. Errors are returned.
class NumberWindow {
  public:
    NumberWindow(int flavor, int count, MPI_Comm comm = MPI_COMM_WORLD)
        : own_(static_cast<std::size_t>(count), 0) {
        const MPI_Aint bytes = count * static_cast<MPI_Aint>(sizeof(std::int64_t));
        numbers = own_.data();
        int size = 0;
        int rank = 0;
        MPI_Comm_size(comm, &size);
        MPI_Comm_rank(comm, &rank);
        starts_.resize(static_cast<std::size_t>(size), 0);
        switch (flavor) {
            case MPI_WIN_FLAVOR_CREATE:
                MPI_Win_create(numbers, bytes, 8, MPI_INFO_NULL, comm, &win);
                break;
            case MPI_WIN_FLAVOR_ALLOCATE:
                MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, comm, &numbers, &win);
                break;
            case MPI_WIN_FLAVOR_SHARED:
                MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, comm, &numbers, &win);
                break;
            default:
                MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
                MPI_Win_attach(win, numbers, bytes);
                MPI_Aint mine = 0;
                MPI_Get_address(numbers, &mine);
                MPI_Allgather(&mine, 1, MPI_AINT, starts_.data(), 1, MPI_AINT, comm);
                unit_ = 8;
        }
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    }
    ~NumberWindow() { EXPECT_EQ(MPI_Win_free(&win), MPI_SUCCESS); }
    NumberWindow(const NumberWindow&) = delete;
    NumberWindow& operator=(const NumberWindow&) = delete;

    /// The displacement of that number of that rank.
    MPI_Aint at(int rank, int number) const {
        return starts_[static_cast<std::size_t>(rank)] + number * unit_;
    }

    MPI_Win win = MPI_WIN_NULL;
    std::int64_t* numbers = nullptr;

  private:
    std::vector<std::int64_t> own_;
    std::vector<MPI_Aint> starts_;  ///< of a dynamic window: addresses
    MPI_Aint unit_ = 1;
};

/// Where flavors of windows differ most: memory that is mapped, messages for real, and models with
/// and without an adapter that matches.
inline const FabricAndKind window_fabrics[] = {{real_fabric(), job::Kind::threads},
                                               {"ideal", job::Kind::fibers},
                                               {"quadrics", job::Kind::fibers},
                                               {"infiniband-pcie", job::Kind::fibers},
                                               {"clan-via", job::Kind::fibers}};

struct FlavorOnFabric {
    FabricAndKind on;
    int flavor;
};

inline std::vector<FlavorOnFabric> flavors_on(const std::vector<FabricAndKind>& fabrics) {
    std::vector<FlavorOnFabric> all;
    for (const FabricAndKind& on : fabrics)
        for (const int flavor : all_flavors)
            // Models have one rank a node here, and nodes share no memory.
            if (flavor != MPI_WIN_FLAVOR_SHARED ||
                (on.kind == job::Kind::threads && !is_pair(on.fabric)))
                all.push_back({on, flavor});
    return all;
}

inline std::string flavor_name(const testing::TestParamInfo<FlavorOnFabric>& info) {
    static const char* const names[] = {"create", "allocate", "dynamic", "shared"};
    return std::string(names[info.param.flavor - 1]) + "_" + test_name(info.param.on.fabric);
}

class OnFlavors : public testing::TestWithParam<FlavorOnFabric> {
  protected:
    void run(int ranks, const std::function<void(int rank, int size)>& body) {
        const job::Result result = run_on(GetParam().on, ranks, body);
        EXPECT_TRUE(result.ok) << result.failure;
    }
    int flavor() const { return GetParam().flavor; }
};

}  // namespace railyard::mpi
