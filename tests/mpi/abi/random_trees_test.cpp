// Types by chance on their way between ranks, held against the naive oracle: what one rank sends by
// a type comes as the bytes of its type map, and bytes land where the type says.

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "mpi/abi/on_ranks.hpp"
#include "mpi/abi/state.hpp"
#include "mpi/types/random_types.hpp"

namespace railyard::mpi {
namespace {

using RandomTreesOnTheWay = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(RandomTreesOnTheWay);

/// Memory that all places of some elements lie in, filled by a seed.
struct Field {
    Field(const std::vector<std::ptrdiff_t>& places, std::uint64_t seed) {
        const auto [low, high] = std::minmax_element(places.begin(), places.end());
        first = *low;
        bytes.resize(static_cast<std::size_t>(*high - *low + 1));
        RandomTypes random(seed);
        for (std::byte& b : bytes)
            b = static_cast<std::byte>(random.number(0, 255));
    }
    /// May lie outside of the memory, hence the integer.
    void* address() {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(bytes.data()) -
                                       static_cast<std::uintptr_t>(first));
    }
    std::byte& at(std::ptrdiff_t place) { return bytes[static_cast<std::size_t>(place - first)]; }

    std::ptrdiff_t first;
    std::vector<std::byte> bytes;
};

TEST_P(RandomTreesOnTheWay, AreSentAndReceivedAsTheTypeMapSays) {
    run(2, [](int rank, int) {
        std::size_t received = 0;
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            RandomTypes random(seed);
            const Twin twin = random.make(1 + static_cast<int>(seed % 5));
            // Some are longer than what is sent eagerly; none needs much memory.
            const std::size_t size = std::max<std::size_t>(twin.naive.size(), 1);
            const std::size_t count = seed % 20 == 0 ? 40'000 / size + 1 : random.count(1, 3);
            const auto extent = static_cast<std::size_t>(std::abs(twin.naive.extent()));
            if (count * std::max(size, extent) > 200'000) continue;
            const auto places = twin.naive.stream(count);
            if (places.empty()) continue;
            SCOPED_TRACE(twin.made);
            MPI_Datatype type = abi::State::here()->add(twin.type, true);
            const int elements = static_cast<int>(count);
            const int length = static_cast<int>(places.size());
            Field field(places, seed);
            std::vector<std::byte> stream;
            for (const std::ptrdiff_t place : places)
                stream.push_back(field.at(place));
            auto sorted = places;
            std::sort(sorted.begin(), sorted.end());
            // MPI forbids to receive twice into the same byte.
            const bool overlaps = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
            if (rank == 0) {
                MPI_Send(field.address(), elements, type, 1, 0, MPI_COMM_WORLD);
                if (!overlaps) MPI_Send(stream.data(), length, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            } else {
                std::vector<std::byte> bytes(stream.size());
                MPI_Recv(bytes.data(), length, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                EXPECT_TRUE(bytes == stream);
                if (!overlaps) {
                    Field other(places, seed + 1);
                    Field expected(places, seed + 1);
                    for (std::size_t i = 0; i < places.size(); ++i)
                        expected.at(places[i]) = stream[i];
                    MPI_Recv(other.address(), elements, type, 0, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                    EXPECT_TRUE(other.bytes == expected.bytes);
                    ++received;
                }
            }
            MPI_Type_free(&type);
        }
        if (rank == 1) {
            EXPECT_GT(received, 50U);
        }
    });
}

}  // namespace
}  // namespace railyard::mpi
