#pragma once
/// Follows a rank's requests from the call that makes each to the one that completes it: requests
/// that are never completed, buffers that change or are used twice meanwhile, and messages of
/// another type than their receive is for.

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mpi/calls/facts.hpp"
#include "mpi/checking/call_text.hpp"
#include "mpi/checking/objects.hpp"

namespace railyard::mpi::checking {

class RequestCheck {
  public:
    explicit RequestCheck(Objects& objects) : objects_(objects) {}
    void began(const calls::HandleResolver& resolver) { resolver_ = &resolver; }

    void entered(const MadeCall& call);
    /// Never throws; what it finds is told by the next entered().
    void left(const MadeCall& call);
    /// In MPI_Finalize.
    void tell_leaks();

  private:
    struct Followed {
        std::string text;  ///< the call that made it
        bool is_send = false;
        bool persistent = false;
        bool active = true;
        const void* data = nullptr;
        std::int64_t count = 0;
        TypeRef type;
        int peer = 0;  ///< of the job
        std::uint64_t sum = 0;
    };
    /// A call that may complete requests: what their places held before.
    struct Completing {
        pthread_t thread;
        struct One {
            const int* place;
            int handle;
            const Request* request;
        };
        std::vector<One> all;
    };
    using Memory = std::pair<const std::byte*, const std::byte*>;

    calls::CallFacts facts(const MadeCall& call) const {
        return calls::facts_of(call.function, call.arguments(), *resolver_);
    }
    void follow(const MadeCall& call);
    void start(Followed& followed);
    void completed(int handle, const Request& request);
    void check_type(const calls::Side& side, Basic came, int source, std::size_t bytes,
                    const std::string& text);
    void note(std::string what);
    static std::uint64_t sum_of(const Followed& followed);
    void add_memory(const Followed& followed);
    void remove_memory(const Followed& followed);

    Objects& objects_;
    const calls::HandleResolver* resolver_ = nullptr;
    std::map<int, Followed> followed_;  ///< by handle
    std::vector<Completing> completing_;
    /// Where data are received, or sent from, just now: dense ones, by their beginning.
    struct InUse {
        const std::byte* end;
        bool is_send;
        std::string text;
    };
    std::multimap<const std::byte*, InUse> in_use_;
    std::string found_;  ///< to be told by the next call
    std::size_t overlaps_told_ = 0;
};

}  // namespace railyard::mpi::checking
