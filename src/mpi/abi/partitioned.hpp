#pragma once
/// How partitioned receives find their senders. Sender and receiver may cut the same data in
/// different ways, so a sender says once, when its request is made, how it does: an announcement.
/// Announcements go to receives of the same tag, in the order in which both were made.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "mpi/engine/process.hpp"
#include "mpi/engine/request.hpp"

namespace railyard::mpi::abi {

/// As it travels. Partition p has the tag `first_tag` + p, and travels on its own.
struct Announcement {
    std::uint64_t partition_bytes = 0;
    std::int32_t partitions = 0;
    std::int32_t tag = 0;  ///< the user's
    std::int32_t first_tag = 0;
    std::int32_t unused = 0;
};

/// The tag of announcements; those of partitions are above.
inline constexpr int announcement_tag = 0;

class Announcements {
  public:
    /// What a receive is told once its sender is known.
    struct Told {
        bool is_known = false;
        Announcement what;
    };

    /// `partitions` tags that no request of this rank has used lately.
    int take_tags(int partitions) {
        if (next_tag_ > max_tag - partitions) next_tag_ = announcement_tag + 1;
        return std::exchange(next_tag_, next_tag_ + partitions);
    }

    /// A receive from `source` was made. The communicator stays until it is told.
    std::shared_ptr<Told> expect(int source, int tag, Communicator& comm);
    /// Hands out what has come from `source`.
    void look(int source, Communicator& comm);

  private:
    struct Slot {
        Request* receive = nullptr;
        Announcement what;
    };
    struct Waiting {
        int tag;
        std::shared_ptr<Told> told;
    };
    /// Of one sender in one communicator.
    struct Line {
        std::deque<std::unique_ptr<Slot>> slots;  ///< as many as receives were made, less what came
        std::deque<Announcement> unclaimed;
        std::deque<Waiting> waiting;
    };

    static void hand_out(Line& line);

    std::map<std::pair<std::uint32_t, int>, Line> lines_;
    int next_tag_ = announcement_tag + 1;
};

}  // namespace railyard::mpi::abi
