#include "mpi/engine/schedule.hpp"

#include "mpi/collectives/buffers.hpp"
#include "mpi/engine/direct_memory.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/engine/shared_hub.hpp"

namespace railyard::mpi {

namespace {

/// All ranks come to the same answer, as they make persistent collectives in the same order.
Circumstances with_hubs(Communicator& comm, Circumstances circumstances, ScheduleTeam::Sets sets) {
    using Sets = ScheduleTeam::Sets;
    if (circumstances.has_hub && sets != Sets::in_turn)
        circumstances.has_hub = sets == Sets::kept && comm.shared_hub().hub().has_set_to_keep();
    circumstances.has_wide_hub &= sets == Sets::in_turn;
    // What became of those that do not block is no reason: one rank may know, and another not yet.
    circumstances.reads_directly = circumstances.reads_directly && sets == Sets::in_turn &&
                                   comm.direct_memory().is_worth_trying();
    return circumstances;
}

}  // namespace

void ScheduleRelease::operator()(Schedule* schedule) const {
    schedule->home_.give_back(*schedule);
}

ScheduleTeam::ScheduleTeam(Schedule& schedule, const Surroundings& surroundings,
                           const Algorithms& algorithms, Sets sets)
    : Team(schedule.comm_->rank(), schedule.comm_->size(),
           with_hubs(*schedule.comm_, surroundings.circumstances, sets), algorithms,
           surroundings.nodes.get(), *this, schedule.scratch_),
      schedule_(schedule),
      sets_(sets) {}

ScheduleTeam::~ScheduleTeam() {
    schedule_.ranks_disagree_ = disagreed();
}

void ScheduleTeam::send(const ConstBuffer& data, int to) {
    start_send(data, to);
    wait_all();
}

void ScheduleTeam::receive(const Buffer& into, int from) {
    start_receive(into, from);
    wait_all();
}

void ScheduleTeam::exchange(const ConstBuffer& out, int to, const Buffer& in, int from) {
    start_receive(in, from);
    start_send(out, to);
    wait_all();
}

void ScheduleTeam::start_send(const ConstBuffer& data, int to) {
    keep(data.type);
    schedule_.steps_.push_back(
        {.kind = Step::Kind::send, .content = content(), .peer = to, .from = data});
    has_started_ = true;
}

void ScheduleTeam::start_receive(const Buffer& into, int from) {
    keep(into.type);
    schedule_.steps_.push_back(
        {.kind = Step::Kind::receive, .content = content(), .peer = from, .to = into});
    has_started_ = true;
}

void ScheduleTeam::wait_all() {
    if (!std::exchange(has_started_, false)) return;
    schedule_.steps_.push_back({.kind = Step::Kind::wait});
}

void ScheduleTeam::charge_bytes(std::size_t bytes) {
    std::vector<Step>& steps = schedule_.steps_;
    if (steps.empty() || steps.back().kind < Step::Kind::copy)
        steps.push_back({.kind = Step::Kind::charge});
    steps.back().charged += bytes;
}

void ScheduleTeam::copy(const ConstBuffer& from, const Buffer& to) {
    keep(from.type);
    keep(to.type);
    schedule_.steps_.push_back({.kind = Step::Kind::copy, .from = from, .to = to});
}

void ScheduleTeam::combine(const Operation& operation, const ConstBuffer& in, const Buffer& inout) {
    keep(inout.type);
    if (!schedule_.operation_) schedule_.operation_ = operation.weak_from_this().lock();
    schedule_.steps_.push_back(
        {.kind = Step::Kind::combine, .from = in, .to = inout, .operation = &operation});
}

void ScheduleTeam::meet(Meeting&& meeting) {
    keep(meeting.part());
    Hub& hub = schedule_.comm_->shared_hub().hub();
    auto& meetings = schedule_.meetings_;
    schedule_.steps_.push_back(
        {.kind = Step::Kind::meet, .peer = static_cast<int>(meetings.size())});
    meetings.push_back(meeting);
    meetings.back().plan(sets_ == Sets::kept ? hub.keep_one() : hub.next());
}

void ScheduleTeam::meet(LongMeeting&& meeting) {
    keep(meeting.part());
    auto& meetings = schedule_.long_meetings_;
    schedule_.steps_.push_back(
        {.kind = Step::Kind::meet_long, .peer = static_cast<int>(meetings.size())});
    meetings.push_back(meeting);
    meetings.back().plan(schedule_.comm_->wide_hub().hub());
}

bool ScheduleTeam::meet_directly(DirectMeeting&& meeting) {
    keep(meeting.part());
    auto& directs = schedule_.directs_;
    schedule_.steps_.push_back(
        {.kind = Step::Kind::meet_directly, .peer = static_cast<int>(directs.size())});
    directs.push_back({meeting, 0});
    directs.back().meeting.plan(schedule_.comm_->shared_hub().hub().next());
    return false;
}

void ScheduleTeam::end_otherwise() {
    schedule_.directs_.back().otherwise_up_to = schedule_.steps_.size();
}

void ScheduleTeam::keep(const Meeting::Part& part) {
    keep(part.data.type);
    keep(part.result.type);
    if (part.operation != nullptr && !schedule_.operation_)
        schedule_.operation_ = part.operation->weak_from_this().lock();
}

/// Most collectives have one or two types, in turn.
void ScheduleTeam::keep(const Datatype* type) {
    if (type == nullptr || type->is_predefined()) return;
    auto& types = schedule_.types_;
    for (std::size_t i = types.size(); i > 0 && i + 2 > types.size(); --i)
        if (types[i - 1].get() == type) return;
    types.push_back(type->weak_from_this().lock());
}

ScheduleRef Scheduler::take(Communicator& comm, int tag) {
    if (free_.empty()) {
        all_.push_back(std::make_unique<Schedule>(*this));
        free_.push_back(all_.back().get());
        // Room for all, so that to give one back needs no memory.
        free_.reserve(all_.capacity());
    }
    Schedule& schedule = *free_.back();
    free_.pop_back();
    schedule.comm_ = &comm;
    schedule.tag_ = tag;
    return ScheduleRef(&schedule);
}

void Scheduler::give_back(Schedule& schedule) {
    schedule.steps_.clear();
    schedule.meetings_.clear();
    schedule.long_meetings_.clear();
    schedule.directs_.clear();
    schedule.scratch_.reclaim();
    schedule.types_.clear();
    schedule.operation_.reset();
    schedule.then_ = nullptr;
    free_.push_back(&schedule);
}

void Scheduler::start(Request& request) {
    Schedule& schedule = *request.schedule;
    schedule.request_ = &request;
    schedule.next_ = 0;
    schedule.is_put_off_ = false;
    for (Meeting& meeting : schedule.meetings_)
        meeting.begin(schedule.comm_->shared_hub().hub());
    for (LongMeeting& meeting : schedule.long_meetings_)
        meeting.begin(schedule.comm_->wide_hub().hub());
    for (Schedule::Direct& direct : schedule.directs_)
        direct.meeting.begin(schedule.comm_->shared_hub().hub());
    schedule.disagreed_ = schedule.ranks_disagree_;
    if (!advance(schedule)) active_.push_back(&schedule);
}

bool Scheduler::advance() {
    // A user's operation may have called MPI.
    if (is_advancing_) return false;
    bool has_moved = false;
    for (std::size_t i = 0; i < active_.size();) {
        Schedule& schedule = *active_[i];
        const bool moves = schedule.can_advance();
        const bool was_put_off = schedule.is_put_off_;
        const bool is_over = moves && advance(schedule);
        has_moved |= moves && (is_over || !was_put_off || !schedule.is_put_off_);
        if (is_over)
            active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    }
    return has_moved;
}

bool Scheduler::advance(Schedule& schedule) {
    is_advancing_ = true;
    ErrorClass error = ErrorClass::success;
    bool waits = false;
    try {
        for (auto next = Continuation::recorded; next == Continuation::recorded && !waits;) {
            while (schedule.next_ < schedule.steps_.size() && !waits) {
                waits = !carry_out(schedule, schedule.steps_[schedule.next_]);
                if (!waits) ++schedule.next_;
            }
            waits = waits || !finish_messages(schedule);
            if (waits) break;
            next = continued(schedule, process_);
            schedule.is_put_off_ = waits = next == Continuation::later;
        }
    } catch (const MpiError& failure) {
        // A peer is lost, most likely, and others wait in vain for what would have come next.
        error = failure.error_class();
    }
    is_advancing_ = false;
    if (waits && error == ErrorClass::success) return false;
    finish(schedule, error);
    return true;
}

Continuation Scheduler::continued(Schedule& schedule, Process& process) {
    if (!schedule.then_) return Continuation::over;
    schedule.steps_.clear();
    schedule.next_ = 0;
    ScheduleTeam team(schedule, schedule.comm_->surroundings(), process.algorithms(),
                      ScheduleTeam::Sets::none);
    team.tell_choices(process.message_watch());
    return schedule.then_(team);
}

bool Scheduler::carry_out(Schedule& schedule, const Schedule::Step& step) {
    using Kind = Schedule::Step::Kind;
    Communicator& comm = *schedule.comm_;
    const std::uint32_t context = comm.context() + 1;
    switch (step.kind) {
        case Kind::send:
            add(schedule, process_.start_send_in(context, step.from, step.peer, schedule.tag_, comm,
                                                 Mode::standard, step.content));
            break;
        case Kind::receive:
            add(schedule, process_.start_receive_in(context, step.to, step.peer, schedule.tag_,
                                                    comm, step.content));
            break;
        case Kind::wait:
            return finish_messages(schedule);
        case Kind::copy:
            move_data(step.from, step.to);
            break;
        case Kind::combine:
            step.operation->apply(step.from.address, step.to.address, step.to.count, *step.to.type);
            break;
        case Kind::charge:
            break;
        case Kind::meet:
            return meet(schedule, comm.shared_hub(), schedule.meeting(step));
        case Kind::meet_long:
            return meet(schedule, comm.wide_hub(), schedule.long_meeting(step));
        case Kind::meet_directly: {
            Schedule::Direct& direct = schedule.direct(step);
            if (!meet(schedule, comm.shared_hub(), direct.meeting, comm.direct_memory()))
                return false;
            if (direct.meeting.has_moved()) schedule.next_ = direct.otherwise_up_to - 1;
            return true;
        }
    }
    if (step.charged > 0) process_.host().charge_copy(step.charged);
    return true;
}

void Scheduler::add(Schedule& schedule, Request& message) {
    schedule.under_way_.push_back(&message);
}

/// False: some are still under way.
bool Scheduler::finish_messages(Schedule& schedule) {
    while (!schedule.under_way_.empty()) {
        Request& message = *schedule.under_way_.back();
        if (!message.complete) return false;
        schedule.under_way_.pop_back();
        const ErrorClass error = message.result.error;
        const bool received = message.kind == Request::Kind::receive;
        if (error == ErrorClass::truncate || (received && message.result.bytes != message.bytes))
            [[unlikely]] {
            schedule.disagreed_ = true;
            schedule.request_->longer =
                error == ErrorClass::truncate ? message.longer : message.result.bytes;
            schedule.request_->bytes = message.bytes;
        }
        process_.release(message);
        if (error != ErrorClass::success && error != ErrorClass::truncate)
            throw MpiError(error, "a message of a collective failed");
    }
    return true;
}

/// False: it waits for others.
template <class AnyMeeting, class... Reader>
bool Scheduler::meet(Schedule& schedule, SharedHub& shared, AnyMeeting& meeting,
                     Reader&... reader) {
    schedule.waits_in_hub_ = true;
    if (!shared.open()) return false;
    while (meeting.can_go_on(shared.hub())) {
        if (!meeting.go_on(shared.hub(), reader...)) continue;
        schedule.waits_in_hub_ = false;
        if (meeting.disagreed()) [[unlikely]] {
            schedule.disagreed_ = true;
            schedule.request_->longer = meeting.lengths().came;
            schedule.request_->bytes = meeting.lengths().expected;
        }
        return true;
    }
    return false;
}

bool Schedule::can_meet() {
    const Step& step = steps_[next_];
    const bool is_long = step.kind == Step::Kind::meet_long;
    SharedHub& shared = is_long ? comm_->wide_hub() : comm_->shared_hub();
    if (!shared.open()) return false;
    if (is_long) return long_meeting(step).can_go_on(shared.hub());
    return step.kind == Step::Kind::meet_directly ? direct(step).meeting.can_go_on(shared.hub())
                                                  : meeting(step).can_go_on(shared.hub());
}

void Scheduler::finish(Schedule& schedule, ErrorClass error) {
    for (Request* const message : schedule.under_way_)
        process_.free_when_done(*message);
    schedule.under_way_.clear();
    schedule.waits_in_hub_ = false;
    schedule.then_ = nullptr;
    Request& request = *schedule.request_;
    request.result = {};
    request.result.error = error != ErrorClass::success ? error
                           : schedule.disagreed_        ? ErrorClass::truncate
                                                        : ErrorClass::success;
    request.complete = true;
}

}  // namespace railyard::mpi
