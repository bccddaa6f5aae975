#pragma once
/// Knows in which calls a rank is, and when one waits for long, says for whom: for the report of a
/// deadlock. In virtual time it is asked.

#include <pthread.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/job/standstill.hpp"
#include "mpi/calls/call.hpp"
#include "mpi/checking/call_text.hpp"
#include "mpi/checking/meetings.hpp"
#include "mpi/checking/objects.hpp"
#include "mpi/engine/waiting.hpp"

namespace railyard::mpi::checking {

class WaitWatch final : public calls::CallWatch, private StallWatch {
  public:
    /// `timeout`: after how long without a move it says so; for real only, 0: never. The objects
    /// outlive the rank's last call.
    WaitWatch(Objects& objects, Duration timeout);
    ~WaitWatch() override = default;

    void entered(Function function, std::span<const Word> arguments) override;
    void left(Function function) override;
    void finalised(const Counters&) override {}

    /// Called now and then while a call waits, for real; it may end the job.
    void look_by(std::function<void()> look) { look_ = std::move(look); }
    /// The number of a collective call that has just been entered, among those of its communicator.
    std::optional<Meetings::Meeting> current_meeting() const;

  private:
    struct Entered {
        pthread_t thread;
        MadeCall call;
        std::optional<Meetings::Meeting> meeting;
    };
    struct Awaited {
        std::vector<int> ranks;
        bool any = false;
        std::optional<Meetings::Meeting> meeting{};
        std::string detail{};  ///< added to the call
    };

    void waited(Time now) override;
    void went_on() override;
    bool do_all_threads_wait();
    std::optional<job::Waiting> waiting();
    Awaited awaited(const Entered& call);
    Awaited awaited_requests(const Entered& call, std::span<const int> handles);
    Awaited awaited_messages(const Entered& call);
    void add(Awaited& to, const Request& request);
    void add_source(Awaited& to, const Communicator* comm, int source);

    Objects& objects_;
    const Duration timeout_;
    const Duration interval_;
    std::vector<Entered> calls_;
    Meetings meetings_;
    struct Started {
        Meetings::Meeting meeting;
        MadeCall call;
    };
    std::map<int, Started> started_;  ///< collectives, by their requests
    std::function<void()> look_;

    // Of the wait under way.
    Time last_look_;
    Duration stood_;
    std::uint64_t movement_ = 0;
    bool has_told_ = false;
};

}  // namespace railyard::mpi::checking
