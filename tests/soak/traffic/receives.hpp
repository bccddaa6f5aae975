#pragma once
/// The receives of one rank in an exchange: starts them, makes them, and looks at every byte that
/// came.

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "traffic/lane.hpp"
#include "traffic/plan.hpp"
#include "traffic/random.hpp"

namespace railyard::soak {

/// Requests that were started and are not yet complete, and types that are in use.
struct Started {
    std::vector<MPI_Request> requests;
    std::vector<MPI_Status> statuses;  ///< once they are complete
    std::vector<MPI_Datatype> types;

    MPI_Datatype type_for(const Layout* layout, Base base) {
        if (layout == nullptr) return base.type;
        types.push_back(layout->make());
        return types.back();
    }
};

class Receives {
  public:
    /// All outlive it.
    Receives(Lane& lane, const Team& team, const Exchange& plan, Draw& draw, Started& started);

    void start_early();
    /// Starts or makes those that are late.
    void make_late();
    /// At all that were started, when they are complete.
    void look_at_started();

  private:
    /// A buffer between its guards.
    struct Slot {
        std::byte* memory;
        std::size_t capacity;  ///< bytes of a message that it takes
        std::size_t span;      ///< that these may be spread over
        int count;             ///< of elements, for the receive
        bool is_spread;
    };
    /// The receives of one inlet as they go on.
    struct Taking {
        const Inlet* inlet;
        MPI_Comm comm;
        MPI_Datatype type;
        int all = 0;
        std::vector<int> taken;  ///< of each flow
    };
    struct Received {
        std::size_t taking;
        Slot slot;
        std::size_t request;
    };

    Slot slot_for(const Taking& taking, int index);
    Slot slot_of(const Inlet& inlet, std::size_t bytes);
    static void renew(const Slot& slot);
    void start(const Taking& taking, bool persistent);
    void receive_by_one_request(Taking& taking);
    void receive_one_by_one(Taking& taking);
    Slot slot_for_probed(const Taking& taking, const MPI_Status& status);
    Slot probed(const Taking& taking, MPI_Status& status);
    Slot matched(const Taking& taking, MPI_Message& message, MPI_Status& status);
    bool received_anyway(const Taking& taking, const Slot& slot, MPI_Status& status);
    void look_at(Taking& taking, const Slot& slot, const MPI_Status& status);

    Lane& lane_;
    const Exchange& plan_;
    Draw& draw_;
    Started& started_;
    std::vector<Taking> takings_;
    std::vector<Received> received_;
};

}  // namespace railyard::soak
