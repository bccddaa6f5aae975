#include "mpi/engine/counters.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railyard::mpi {

std::span<const CounterMeaning> counter_meanings() {
    using C = Counters;
    static constexpr CounterMeaning meanings[] = {
        {"channels", "peers talked to", &C::channels},
        {"connections", "made, by either side's asking", &C::connections},
        {"connecting, ns", "while one was being made", &C::connecting},
        {"closed", "connections closed, to make place for others", &C::closed},
        {"queue pairs", "open for them: one a connection and rail", &C::queue_pairs},
        {"peer bytes", "memory held for peers", &C::peer_bytes},
        {"eager sent", "messages sent eagerly", &C::eager_sent},
        {"rendezvous sent", "messages sent by rendezvous", &C::rendezvous_sent},
        {"rendezvous bytes", "of these", &C::rendezvous_bytes},
        {"tagged sent", "messages that the adapter matches", &C::tagged_sent},
        {"tagged bytes", "of these", &C::tagged_bytes},
        {"self sent", "messages to the rank itself", &C::self_sent},
        {"self bytes", "of these", &C::self_bytes},
        {"bytes sent", "of all messages", &C::bytes_sent},
        {"without content", "messages whose bytes stayed behind", &C::without_content},
        {"content left", "bytes of these", &C::content_left},
        {"unexpected", "messages that came before their receive", &C::unexpected},
        {"unexpected longest", "most of them waiting at a time", &C::unexpected_longest},
        {"queued sends", "sends that waited for a connection or for room", &C::queued_sends},
        {"registrations", "of users' memory", &C::registrations},
        {"registration hits", "found in the cache instead", &C::registration_hits},
        {"stripes", "of messages that were striped over rails", &C::stripes},
        {"RDMA operations", "that moved messages", &C::rdma_operations},
        {"pinned bytes", "most memory registered at a time, for peers and of users",
         &C::pinned_most},
    };
    return meanings;
}

std::string table_of(std::span<const Counters> ranks) {
    std::string text =
        fmt::format("MPI counters of {} rank{}\n{:<20}{:>14}{:>16}{:>14}  {}\n", ranks.size(),
                    ranks.size() == 1 ? "" : "s", "", "least", "mean", "most", "what it counts");
    for (const CounterMeaning& meaning : counter_meanings()) {
        std::uint64_t least = ~std::uint64_t{0};
        std::uint64_t most = 0;
        double sum = 0;
        for (const Counters& counters : ranks) {
            const std::uint64_t value = counters.*meaning.value;
            least = std::min(least, value);
            most = std::max(most, value);
            sum += static_cast<double>(value);
        }
        text += fmt::format("{:<20}{:>14}{:>16.2f}{:>14}  {}\n", meaning.name, least,
                            sum / static_cast<double>(ranks.size()), most, meaning.explanation);
    }
    return text;
}

}  // namespace railyard::mpi
