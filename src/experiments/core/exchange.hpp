#pragma once
/// Plain values between two ranks, through the job's bootstrap: once before and once after a
/// measurement, never in it.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "launch/job/rank.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

/// What `peer` has put under `key`, or will put.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> values_of(job::Rank& rank, int peer,
                                                                  std::string_view key) {
    const std::vector<std::byte> bytes = rank.bootstrap().get(peer, key);
    if (bytes.size() % sizeof(T) != 0) throw Error("the peer is another version of this program");
    std::vector<T> theirs(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(theirs.data(), bytes.data(), bytes.size());
    return theirs;
}

/// Gives `mine` to the other of ranks 0 and 1 and returns what it gave. `key` is unique in the job.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> exchange_all(job::Rank& rank,
                                                                     std::string_view key,
                                                                     std::span<const T> mine) {
    rank.bootstrap().put(key, std::as_bytes(mine));
    return values_of<T>(rank, 1 - rank.id(), key);
}

/// The same for one value and any peer.
template <class T>
requires std::is_trivially_copyable_v<T> T exchange(job::Rank& rank, int peer, std::string_view key,
                                                    const T& mine) {
    rank.bootstrap().put(key, std::as_bytes(std::span<const T>(&mine, 1)));
    const std::vector<T> theirs = values_of<T>(rank, peer, key);
    if (theirs.size() != 1) throw Error("the peer is another version of this program");
    return theirs[0];
}

/// The same between ranks 0 and 1.
template <class T>
requires std::is_trivially_copyable_v<T> T exchange(job::Rank& rank, std::string_view key,
                                                    const T& mine) {
    return exchange(rank, 1 - rank.id(), key, mine);
}

/// The sums of what ranks 0 and 1 have measured, batch by batch.
inline std::vector<double> sum_of_both(job::Rank& rank, std::string_view key,
                                       const std::vector<double>& mine) {
    const std::vector<double> theirs = exchange_all(rank, key, std::span<const double>(mine));
    std::vector<double> total;
    for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i)
        total.push_back(mine[i] + theirs[i]);
    return total;
}

/// The rates of two that stream at once, together. A single batch is a stream from its beginning to
/// its end, and who ends first leaves the way to the other: all bytes then count over the longer
/// time.
inline std::vector<double> rates_of_both(job::Rank& rank, std::string_view key,
                                         const std::vector<double>& mine) {
    if (mine.size() != 1) return sum_of_both(rank, key, mine);
    const std::vector<double> theirs = exchange_all(rank, key, std::span<const double>(mine));
    return {2 * std::min(mine.front(), theirs.at(0))};
}

}  // namespace railyard::experiments
