#pragma once
/// Follows a rank's requests from the call that makes each to the one that completes it: requests
/// that are never completed, buffers that change or are used twice meanwhile, and messages of
/// another type than their receive is for.

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "mpi/calls/facts.hpp"
#include "mpi/checking/buffers_in_use.hpp"
#include "mpi/checking/call_text.hpp"
#include "mpi/checking/message_check.hpp"
#include "mpi/checking/objects.hpp"
#include "mpi/checking/partitioned_check.hpp"

namespace railyard::mpi::checking {

class RequestCheck {
  public:
    explicit RequestCheck(Objects& objects)
        : objects_(objects), messages_(objects), partitioned_(objects), buffers_(objects) {}
    void began(const calls::HandleResolver& resolver) { resolver_ = &resolver; }

    void entered(const MadeCall& call);
    /// Never throws; what it finds is told by the next entered().
    void left(const MadeCall& call);
    /// In MPI_Finalize.
    void tell_leaks();

  private:
    struct Followed {
        std::uint64_t serial = 0;  ///< tells it from one that has its handle later
        std::string text;          ///< the call that made it
        bool persistent = false;
        bool active = true;
        // Null types: it does not send, or receive.
        UserData sent;
        UserData received;
        const Request* request = nullptr;  ///< the engine's, if it is of one; of two, the receive
        MessageCheck::Message message;     ///< of a persistent send: what is told of each
        std::uint64_t sum = 0;
        bool is_summed = false;
    };
    /// A call that may complete requests: what their places held before. Programs poll many
    /// requests over and over, so those that stay as they are cost no more than a comparison.
    struct Completing {
        pthread_t thread;
        std::span<const int> places;
        std::vector<int> handles;
        std::uint64_t made;  ///< so far; what comes later and has one of these handles is another
    };

    calls::CallFacts facts(const MadeCall& call) const {
        return calls::facts_of(call.function, call.arguments(), *resolver_);
    }
    UserData data_of(const calls::Side& side) {
        return {side.data, static_cast<std::size_t>(std::max<std::int64_t>(side.count, 0)),
                side.type != calls::absent ? objects_.type(side.type) : nullptr};
    }
    /// None of a partner that is nobody.
    std::optional<MessageCheck::Message> message_of(const MadeCall& call,
                                                    const calls::CallFacts& its);
    void keep_places(const MadeCall& call);
    void follow(const MadeCall& call);
    void forget(int handle);
    void start(int handle, Followed& followed);
    void look_at_completed();
    void went_away(int handle, int now, std::uint64_t made);
    void looked_at(const MadeCall& call);
    void completed(int handle);
    void check_sum(Followed& followed);
    void note(std::string what);

    Objects& objects_;
    const calls::HandleResolver* resolver_ = nullptr;
    MessageCheck messages_;
    PartitionedCheck partitioned_;
    BuffersInUse buffers_;
    std::map<int, Followed> followed_;  ///< by handle
    std::set<int> started_;             ///< of these, persistent ones that are active
    std::uint64_t made_ = 0;            ///< so far
    std::vector<Completing> completing_;
    std::string found_;  ///< to be told by the next call
};

}  // namespace railyard::mpi::checking
