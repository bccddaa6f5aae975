#pragma once
/// Where a rank's records are kept, in pieces, so that writing one down allocates nothing.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/shared_memory.hpp"
#include "mpi/recording/record.hpp"

namespace railyard::mpi::recording {

class Store {
  public:
    virtual ~Store() = default;
    virtual Header& header() = 0;
    virtual std::span<PeerTraffic> traffic() = 0;
    /// Room for further records, zeroed; none: there is no more. It stays where it is.
    virtual std::span<Record> more() = 0;
};

/// In memory that the launcher made, and that outlives the rank.
class SharedStore final : public Store {
  public:
    /// The memory begins with a Header. Throws Error if it is too small.
    SharedStore(SharedMemory memory, int ranks);

    Header& header() override { return *reinterpret_cast<Header*>(memory_.data()); }
    std::span<PeerTraffic> traffic() override { return traffic_; }
    std::span<Record> more() override;

  private:
    SharedMemory memory_;
    std::span<PeerTraffic> traffic_;
    std::size_t used_;
};

/// In this process: of a rank of virtual time.
class HeapStore final : public Store {
  public:
    explicit HeapStore(int ranks) : traffic_(static_cast<std::size_t>(ranks)) {}

    Header& header() override { return header_; }
    const Header& header() const { return header_; }
    std::span<PeerTraffic> traffic() override { return traffic_; }
    std::span<const PeerTraffic> traffic() const { return traffic_; }
    std::span<Record> more() override;
    /// All that was written, in order; those of the end may be nothing.
    const std::vector<std::unique_ptr<Record[]>>& pieces() const { return pieces_; }
    static constexpr std::size_t records_in_piece = 1024;

  private:
    Header header_;
    std::vector<PeerTraffic> traffic_;
    std::vector<std::unique_ptr<Record[]>> pieces_;
};

/// What a launcher puts at the start of a rank's memory. `until`: see Header.
std::vector<std::byte> prepared_header(std::uint64_t until);

/// Where records begin.
std::size_t records_at(int ranks);

}  // namespace railyard::mpi::recording
