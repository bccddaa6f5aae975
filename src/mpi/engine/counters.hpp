#pragma once
/// What a rank's library has done so far, and the table of it for people.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace railyard::mpi {

struct Counters {
    std::uint64_t connections = 0;  ///< made, by either side's asking
    std::uint64_t connecting = 0;   ///< nanoseconds in which one was being made
    std::uint64_t closed = 0;       ///< of them, to make place for others
    std::uint64_t queue_pairs = 0;  ///< open for them: one a connection and rail
    std::uint64_t channels = 0;     ///< peers talked to
    std::uint64_t peer_bytes = 0;   ///< memory held for peers: rings, buffers
    std::uint64_t eager_sent = 0;
    std::uint64_t rendezvous_sent = 0;
    std::uint64_t rendezvous_bytes = 0;
    std::uint64_t tagged_sent = 0;  ///< through a port whose adapter matches
    std::uint64_t tagged_bytes = 0;
    std::uint64_t self_sent = 0;
    std::uint64_t self_bytes = 0;
    std::uint64_t bytes_sent = 0;       ///< by all of these ways
    std::uint64_t without_content = 0;  ///< messages whose bytes stayed (Settings::payload)
    std::uint64_t content_left = 0;     ///< bytes of these
    std::uint64_t unexpected = 0;       ///< messages that came before their receive
    std::uint64_t unexpected_now = 0;
    std::uint64_t unexpected_longest = 0;
    std::uint64_t queued_sends = 0;       ///< that waited for a connection or for room
    std::uint64_t registrations = 0;      ///< of users' memory
    std::uint64_t registration_hits = 0;  ///< found in the cache instead
    std::uint64_t stripes = 0;            ///< of messages that were striped over rails
    std::uint64_t rdma_operations = 0;    ///< that moved messages
    std::uint64_t pinned_now = 0;         ///< memory that adapters reach: peers' and users'
    std::uint64_t pinned_most = 0;

    void pin(std::uint64_t bytes) {
        pinned_now += bytes;
        pinned_most = std::max(pinned_most, pinned_now);
    }
    void unpin(std::uint64_t bytes) { pinned_now -= bytes; }
};

struct CounterMeaning {
    std::string_view name;
    std::string_view explanation;
    std::uint64_t Counters::*value;
};
std::span<const CounterMeaning> counter_meanings();

/// Least, mean and greatest value of every counter, over all ranks.
std::string table_of(std::span<const Counters> ranks);

}  // namespace railyard::mpi
