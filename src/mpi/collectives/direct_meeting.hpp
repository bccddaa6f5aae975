#pragma once
/// One rank's part in a collective of much data in which ranks read straight from each other's
/// memory: one copy, by the kernel, and no handshake for each pair. A Hub's slots tell where data
/// are, and nobody goes before all have read.
///
/// A rank that finds that it cannot read all it is to says so, and then it was in vain for all,
/// who do otherwise: so nobody has to know beforehand who can read from whom.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/collectives/hub.hpp"
#include "mpi/collectives/meeting.hpp"

namespace railyard::mpi {

/// What a rank says of its data: what finds them, and how many bytes they are.
struct Offer {
    std::byte name[64];
    std::uint64_t offset;
    std::uint64_t bytes;
};

/// How a rank reads other ranks' memory.
class DirectReader {
  public:
    /// They stay where they are until the meeting is over.
    virtual Offer offer(std::span<const std::byte> data) = 0;
    /// False: that is not possible, or not now.
    virtual bool read(int rank, const Offer& offer, std::uint64_t from,
                      std::span<std::byte> into) = 0;

  protected:
    ~DirectReader() = default;
};

class DirectMeeting {
  public:
    /// A broadcast, allgather or alltoall, or a reduction of two ranks to one of them. The result
    /// is not where the data are, but for the own block of an allgather in place, and a root's
    /// vector. Data of gaps must have been packed; vectors have none.
    explicit DirectMeeting(const Meeting::Part& part) : part_(part) {}

    const Meeting::Part& part() const { return part_; }

    void plan(const Hub::Round& round) { round_ = round; }
    void begin(Hub& hub) { ++hub.under_way; }

    bool can_go_on(Hub& hub);
    /// To be called where it can. True: it is over.
    bool go_on(Hub& hub, DirectReader& reader);

    /// Once it is over: whether all have what they were to get.
    bool has_moved() const { return !has_failed_; }
    bool disagreed() const { return disagreed_; }
    const Team::Lengths& lengths() const { return lengths_; }

  private:
    enum class Stage : std::uint8_t {
        comes,  ///< until the set is free
        reads,  ///< until it has read from all that it is to
        waits,  ///< until all have
    };

    bool is_root(const Hub& hub) const { return part_.root == hub.rank(); }
    bool gives(const Hub& hub) const;
    /// Of all ranks, one block after the other.
    ConstBuffer own_block(const Hub& hub) const;
    void come(Hub& hub, DirectReader& reader);
    void read_from(Hub& hub, DirectReader& reader, int rank);
    /// Reads the other rank's vector and makes the total.
    void combine_with(Hub& hub, DirectReader& reader, int rank, const Offer& offer);
    void be_done_with_reading(Hub& hub);
    Offer& offer_at(const Hub& hub, int rank) const {
        return *reinterpret_cast<Offer*>(hub.data(round_, rank, sizeof(Offer)));
    }
    /// The use of the set in which somebody could not read, plus one.
    std::uint64_t& failure_at(const Hub& hub) const { return hub.length(round_, hub.result()); }

    Meeting::Part part_;
    Hub::Round round_{};
    Stage stage_ = Stage::comes;
    std::vector<int> unread_;  ///< ranks, the next one last
    bool has_failed_ = false;
    bool disagreed_ = false;
    Team::Lengths lengths_{};
};

}  // namespace railyard::mpi
