#pragma once
/// A collective that does not block, as one rank carries it out: a list of steps. The algorithm
/// runs once, against a team that only takes down what it is told. The engine then does the steps,
/// one after the other, as messages come, in whatever call makes progress. They can be done again,
/// so that a persistent collective is recorded once.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "mpi/collectives/direct_meeting.hpp"
#include "mpi/collectives/long_meeting.hpp"
#include "mpi/collectives/meeting.hpp"
#include "mpi/collectives/scratch.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/engine/communicator.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

class Process;
class Scheduler;
class SharedHub;

/// What becomes of a collective whose steps are done, if what follows depends on their outcome.
enum class Continuation : std::uint8_t {
    over,
    recorded,  ///< further steps
    later,     ///< not yet: to be asked again
};

class Schedule {
  public:
    explicit Schedule(Scheduler& home) : home_(home), scratch_(true) {}

    /// In place of steps that are known from the start: `then` is asked for them, again and again.
    void continue_by(std::function<Continuation(Team&)> then) {
        then_ = std::move(then);
        ranks_disagree_ = false;
    }

  private:
    friend class Scheduler;
    friend class ScheduleTeam;
    friend struct ScheduleRelease;

    struct Step {
        enum class Kind : std::uint8_t {
            send,     ///< starts it
            receive,  ///< starts it
            wait,     ///< for all that were started
            copy,
            combine,
            charge,         ///< only
            meet,           ///< through the hub
            meet_long,      ///< through the wide one
            meet_directly,  ///< and if it was not in vain, some of the next steps are left out
        };
        Kind kind = Kind::charge;
        Content content = Content::comes;  ///< of a message
        int peer = 0;                      ///< of a meeting: its number
        std::size_t charged = 0;           ///< bytes of software work, once the step is done
        ConstBuffer from{};
        Buffer to{};
        const Operation* operation = nullptr;
    };

    /// Whether there is more to do than to wait.
    bool can_advance() {
        if (waits_in_hub_) return can_meet();
        return under_way_.empty() || under_way_.back()->complete;
    }
    bool can_meet();
    Meeting& meeting(const Step& step) { return meetings_[static_cast<std::size_t>(step.peer)]; }
    LongMeeting& long_meeting(const Step& step) {
        return long_meetings_[static_cast<std::size_t>(step.peer)];
    }
    /// The steps up to that one are what is done if it is in vain.
    struct Direct {
        DirectMeeting meeting;
        std::size_t otherwise_up_to;
    };
    Direct& direct(const Step& step) { return directs_[static_cast<std::size_t>(step.peer)]; }

    Scheduler& home_;
    std::vector<Step> steps_;
    std::vector<Meeting> meetings_;
    std::vector<LongMeeting> long_meetings_;
    std::vector<Direct> directs_;
    ScratchPool scratch_;  ///< what steps use between the user's buffers
    /// What users may free before it is over.
    std::vector<std::shared_ptr<const Datatype>> types_;
    OperationRef operation_;
    /// Says what comes next once all steps are done; null: nothing.
    std::function<Continuation(Team&)> then_;
    bool ranks_disagree_ = false;  ///< as far as this rank could tell when it was recorded

    Communicator* comm_ = nullptr;
    int tag_ = 0;
    Request* request_ = nullptr;  ///< the user's
    std::size_t next_ = 0;
    std::vector<Request*> under_way_;
    bool waits_in_hub_ = false;  ///< in the step that is next
    bool disagreed_ = false;     ///< this time
    bool is_put_off_ = false;    ///< by `then_`
};

/// What algorithms run against to be recorded.
class ScheduleTeam final : public Team, private Recorder {
  public:
    /// Which set of the hub a collective takes, if any.
    enum class Sets : std::uint8_t {
        none,  ///< others may begin collectives in another order
        in_turn,
        kept,  ///< by a persistent one
    };
    /// The schedule is one that Scheduler::take() has given.
    ScheduleTeam(Schedule& schedule, const Surroundings& surroundings, const Algorithms& algorithms,
                 Sets sets);
    ~ScheduleTeam() override;

    void send(const ConstBuffer& data, int to) override;
    void receive(const Buffer& into, int from) override;
    void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) override;
    void start_send(const ConstBuffer& data, int to) override;
    void start_receive(const Buffer& into, int from) override;
    void wait_all() override;
    void charge_bytes(std::size_t bytes) override;
    void meet(Meeting&& meeting) override;
    void meet(LongMeeting&& meeting) override;
    bool meet_directly(DirectMeeting&& meeting) override;

  private:
    using Step = Schedule::Step;

    void end_otherwise() override;

    void copy(const ConstBuffer& from, const Buffer& to) override;
    void combine(const Operation& operation, const ConstBuffer& in, const Buffer& inout) override;
    void keep(const Datatype* type);
    void keep(const Meeting::Part& part);

    Schedule& schedule_;
    Sets sets_;
    bool has_started_ = false;  ///< something, since the last wait
};

/// The schedules of a rank: those under way, and those to be used again.
class Scheduler {
  public:
    explicit Scheduler(Process& process) : process_(process) {}
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// An empty one, whose messages have that tag.
    ScheduleRef take(Communicator& comm, int tag);
    void give_back(Schedule& schedule);

    /// From the first step on. `request` holds the schedule, and is complete when it is.
    void start(Request& request);
    bool is_idle() const { return active_.empty(); }
    /// All go on as far as they can. True: one has.
    bool advance();

  private:
    /// True: it is over.
    bool advance(Schedule& schedule);
    /// Asks what follows the last step.
    static Continuation continued(Schedule& schedule, Process& process);
    /// Does a step; false: it must wait.
    bool carry_out(Schedule& schedule, const Schedule::Step& step);
    void add(Schedule& schedule, Request& message);
    bool finish_messages(Schedule& schedule);
    template <class AnyMeeting, class... Reader>
    static bool meet(Schedule& schedule, SharedHub& shared, AnyMeeting& meeting, Reader&... reader);
    void finish(Schedule& schedule, ErrorClass error);

    Process& process_;
    std::vector<std::unique_ptr<Schedule>> all_;
    std::vector<Schedule*> free_;
    std::vector<Schedule*> active_;  ///< in the order of their start
    bool is_advancing_ = false;
};

}  // namespace railyard::mpi
