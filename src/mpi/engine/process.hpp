#pragma once
/// All state of one rank's MPI library. Ranks may be processes, threads or fibers: nothing else of
/// the library remembers anything.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "launch/job/rank.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/engine/communicator.hpp"
#include "mpi/engine/counters.hpp"
#include "mpi/engine/engine_lock.hpp"
#include "mpi/engine/message_watch.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/engine/schedule.hpp"
#include "mpi/engine/settings.hpp"
#include "mpi/engine/transport.hpp"
#include "mpi/engine/waiting.hpp"
#include "mpi/types/datatype.hpp"
#include "railyard/host.hpp"

namespace railyard::mpi {

class ProgressThread;

class Process {
  public:
    /// Joins the others: all ranks of the job do. Settings come from the fabric and the
    /// environment.
    explicit Process(job::Rank& rank);
    Process(job::Rank& rank, const Settings& settings);
    Process(job::Rank& rank, std::shared_ptr<const Settings> settings);
    /// Tells the others nothing: finalize() first, unless the job is lost.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// Lets all that is under way leave, and waits for all ranks.
    void finalize();

    /// From now on several threads may call, each holding lock(). False in virtual time, where one
    /// fiber of a rank calls.
    bool allow_threads();
    const std::shared_ptr<EngineLock>& lock() const { return lock_; }
    bool has_threads() const { return lock_ && !lock_->is_of_fibers(); }

    int world_rank() const { return world_rank_; }
    int world_size() const { return rank_.size(); }
    job::Rank& rank() { return rank_; }
    fabric::Host& host() { return host_; }
    const Settings& settings() const { return settings_; }
    const Counters& counters() const { return counters_; }
    std::uint64_t used_connections() const { return transport_->used_connections(); }
    const Circumstances& circumstances() const { return circumstances_; }
    const Algorithms& algorithms() const { return algorithms_; }

    /// From now on; null: nobody is told. It outlives this, or is taken back before.
    void tell_messages(MessageWatch* watch) { message_watch_ = watch; }
    MessageWatch* message_watch() const { return message_watch_; }

    // Point to point. Arguments are right: ranks are of `comm`, and never no_rank. Buffers are the
    // library's until the call returns or, where it returns a request, until that is complete.

    void send(const ConstBuffer& data, int to, int tag, Communicator& comm,
              Mode mode = Mode::standard) {
        send_in(comm.context(), data, to, tag, comm, mode, Content::may_stay);
    }
    void receive(const Buffer& into, int from, int tag, Communicator& comm, Status* status) {
        receive_in(comm.context(), into, from, tag, comm, status, Content::may_stay);
    }
    Request& start_send(const ConstBuffer& data, int to, int tag, Communicator& comm,
                        Mode mode = Mode::standard) {
        return start_send_in(comm.context(), data, to, tag, comm, mode, Content::may_stay);
    }
    Request& start_receive(const Buffer& into, int from, int tag, Communicator& comm) {
        return start_receive_in(comm.context(), into, from, tag, comm, Content::may_stay);
    }
    Request& make_persistent_send(const ConstBuffer& data, int to, int tag, Communicator& comm,
                                  Mode mode);
    Request& make_persistent_receive(const Buffer& into, int from, int tag, Communicator& comm);
    /// A request that is complete from the start.
    Request& make_done(const Status& status);
    /// The same, persistent: of a partner that is no_rank.
    Request& make_persistent_done(const Status& status);
    void start(Request& persistent);
    /// A collective that does not block: `work` calls it on the team that it is given, at once. All
    /// ranks of the communicator do so in the same order.
    template <class Work>
    Request& start_collective(Communicator& comm, Work&& work) {
        Request& request =
            record(comm, comm.schedule_tags().next(), ScheduleTeam::Sets::in_turn, work);
        scheduler_.start(request);
        return request;
    }
    /// The same where each collective says what the next one is: `then` calls it, on the team that
    /// it is given.
    Request& start_collectives(Communicator& comm, std::function<Continuation(Team&)> then);
    template <class Work>
    Request& make_persistent_collective(Communicator& comm, Work&& work) {
        Request& request =
            record(comm, comm.schedule_tags().next_persistent(), ScheduleTeam::Sets::kept, work);
        request.persistent = true;
        request.active = false;
        request.complete = true;
        return request;
    }
    void exchange(const ConstBuffer& out, int to, int send_tag, const Buffer& in, int from,
                  int receive_tag, Communicator& comm, Status* status);

    /// Once, after making progress.
    std::optional<Status> probe(int from, int tag, Communicator& comm);
    /// The same, and the message is taken out; null: none is here.
    Message* matched_probe(int from, int tag, Communicator& comm);
    Request& start_receive(Message& message, const Buffer& into, Communicator& comm);
    Message* find_message(std::uint32_t index);
    /// Takes back a request that has not matched: it then completes as cancelled, at once or once
    /// the receiver of a send has answered.
    void cancel(Request& request);
    /// Whether some request, also one that only waits to be looked at or started, is of the context
    /// or of another that goes with it.
    bool is_in_use(std::uint32_t context) const {
        return requests_.any([context](const Request& request) {
            return (request.envelope.context & ~partitioned_context) == context;
        });
    }

    // Completion.

    /// True: something has gone on, and may have started messages.
    bool progress() {
        transport_->progress();
        return go_on();
    }
    /// `longest_sleep`: for something of which nobody tells us, such as what a rank does in memory
    /// that it shares with us. `patiently`: all who are waited for have but a moment's work.
    template <class Ready>
    void wait_until(Ready&& ready, Duration longest_sleep = Duration::forever(),
                    bool patiently = false);
    void wait(const Request& request) {
        if (request.complete) return;
        // Those who are in a collective have but a moment's work.
        wait_until([&request] { return request.complete; }, Duration::forever(),
                   request.kind == Request::Kind::collective);
    }
    /// Lets other threads go on, for those who try something again and again.
    void give_way() {
        progress();
        if (has_threads()) lock_->yield(0);
    }
    void release(Request& request) { requests_.give_back(request); }
    /// As soon as it is complete.
    void free_when_done(Request& request);
    Request* find_request(std::uint32_t index) const { return requests_.find(index); }

    /// The watcher, which outlives the request, is told of its completion when the library next
    /// makes progress: in whichever call, or in the progress thread. False: it is complete already.
    bool watch(Request& request, Watcher& watcher);
    /// A request of no message of its own: what finish() completes.
    Request& make_pending(std::uint32_t context);
    void finish(Request& pending);

    /// Memory for one-sided requests, of our own or of others; null where there is no RDMA that
    /// peers need no hand in. `kept`: for the next use of the same memory.
    std::shared_ptr<CachedRegion> register_memory(std::span<std::byte> memory, bool kept) {
        return transport_->register_memory(memory, kept);
    }
    /// Starts RDMA between registered memory of ours and a peer's.
    Request& start_access(const RemoteAccess& access, std::span<std::byte> local,
                          std::shared_ptr<CachedRegion> region, int world_rank,
                          Content content = Content::comes);

    /// Copies at once between our memory and a region that this rank's Nic has imported, where
    /// there is a connection and the processor reaches so far. False: it is to go another way.
    bool access_now(fabric::Op op, const fabric::RemoteSlice& remote, std::span<std::byte> local,
                    int world_rank) {
        return transport_->access_now(op, remote, local, world_rank);
    }

    /// It outlives this, or is removed.
    void add(Attendant& attendant) { attendants_.add(attendant); }
    void remove(Attendant& attendant) { attendants_.remove(attendant); }
    void add(SleepWatch& watch) { sleep_watches_.push_back(&watch); }
    void remove(SleepWatch& watch) { std::erase(sleep_watches_, &watch); }

    /// What is sent to that rank now needs no connection to be made first.
    bool is_connected(int world_rank) { return transport_->is_connected(world_rank); }

    /// Wakes a peer that may sleep, after stores into memory that it shares with us.
    void wake(int world_rank);

    /// Tells of waits that take long, about every `interval`; the watch outlives the process. Not
    /// in virtual time, where a wait that is looked at now and then never ends.
    void watch_stalls(StallWatch& watch, Duration interval) {
        stalls_ = &watch;
        stall_interval_ = interval;
    }
    /// Calls that wait, where several threads may.
    int waiting_calls() const { return waiting_calls_; }
    /// Changes whenever something has gone on: a message, or a part of one.
    std::uint64_t movement();
    /// Requests that are not complete, the library's own among them.
    template <class Do>
    void for_each_pending(Do&& each) {
        requests_.for_each_pending(each);
    }

    // The same in any context: collectives have their own. Of these messages all bytes come, unless
    // who sends and who receives say otherwise.

    void send_in(std::uint32_t context, const ConstBuffer& data, int to, int tag,
                 Communicator& comm, Mode mode = Mode::standard, Content content = Content::comes);
    void receive_in(std::uint32_t context, const Buffer& into, int from, int tag,
                    Communicator& comm, Status* status, Content content = Content::comes);
    Request& start_send_in(std::uint32_t context, const ConstBuffer& data, int to, int tag,
                           Communicator& comm, Mode mode = Mode::standard,
                           Content content = Content::comes);
    Request& start_receive_in(std::uint32_t context, const Buffer& into, int from, int tag,
                              Communicator& comm, Content content = Content::comes);

    std::optional<Status> probe_in(std::uint32_t context, int from, int tag, Communicator& comm);

    // For those who check messages.

    /// Goes with all messages that are sent from now on; 0: nothing does.
    void set_piggyback(std::uint16_t number) { piggyback_ = number; }
    /// Such numbers are smaller than this; 1: the transport has no room for any.
    std::uint32_t piggyback_limit() const { return transport_->piggyback_limit(); }
    /// The last receive that blocked, as it ended, until the next request is made; null from then
    /// on.
    const Request* take_last_receive() { return std::exchange(last_receive_, nullptr); }
    void set_last_receive(const Request* receive) { last_receive_ = receive; }

    /// For collectives on that communicator.
    std::unique_ptr<Team> make_team(Communicator& comm);

  private:
    template <class Ready>
    void wait_until_locked(Ready&& ready);
    bool tell_watchers();
    /// What follows from messages that have come. True: packets may wait to leave.
    bool go_on() {
        bool has_moved = !watched_.empty() && tell_watchers();
        if (!scheduler_.is_idle()) [[unlikely]]
            has_moved |= scheduler_.advance();
        return has_moved;
    }
    /// Polls before all else is seen to. One that calls the fabric takes as long as many that only
    /// read memory.
    unsigned polls_in_a_row() const {
        constexpr unsigned calls_in_a_row = 16;
        const unsigned polls = host_.looks();
        return transport_->is_completion_driven() ? std::min(polls, calls_in_a_row) : polls;
    }
    void poll() {
        transport_->poll();
        go_on();
    }
    template <class Work>
    Request& record(Communicator& comm, int tag, ScheduleTeam::Sets sets, Work&& work) {
        ScheduleRef schedule = scheduler_.take(comm, tag);
        {
            ScheduleTeam team(*schedule, comm.surroundings(), algorithms_, sets);
            team.tell_choices(message_watch_);
            work(team);
        }
        return make_collective(comm, std::move(schedule));
    }
    Request& make_collective(Communicator& comm, ScheduleRef schedule);
    void start_progress_thread();
    void progress_beside();
    void report_counters(const std::function<void()>& meanwhile);
    static void keep_type(Request& request) {
        if (request.type != nullptr) [[unlikely]]
            keep_type_of(request);
    }
    static void keep_type_of(Request& request);
    void start_send(Request& request, Communicator& comm) {
        if (message_watch_ != nullptr) [[unlikely]]
            if (message_watch_->send_started(comm, request)) request.then |= Request::record;
        transport_->start_send(request);
    }
    void start_receive(Request& request) {
        if (message_watch_ != nullptr) [[unlikely]]
            if (message_watch_->receive_posted(request)) request.then |= Request::record;
        transport_->start_receive(request);
    }

    job::Rank& rank_;
    fabric::Host& host_;
    const std::shared_ptr<const Settings> held_settings_;
    const Settings& settings_;
    Algorithms algorithms_;
    Circumstances circumstances_;
    int world_rank_;
    Counters counters_;
    MessageWatch* message_watch_ = nullptr;
    Scheduler scheduler_;
    RequestPool requests_;
    std::vector<Request*> watched_;     ///< complete, and their watchers not told yet
    std::size_t told_ = 0;              ///< of them: those whose watchers were
    std::shared_ptr<EngineLock> lock_;  ///< null: one thread calls
    std::unique_ptr<Transport> transport_;
    Attendants attendants_;
    std::vector<SleepWatch*> sleep_watches_;
    std::unique_ptr<ProgressThread> progress_thread_;
    std::unique_ptr<job::Beside> beside_;  ///< what the progress thread is in virtual time
    std::unordered_map<std::uint32_t, Message> messages_;
    std::uint32_t next_message_ = 0;
    StallWatch* stalls_ = nullptr;  ///< null: nobody wants to know
    Duration stall_interval_ = Duration::forever();
    int waiting_calls_ = 0;
    const Request* last_receive_ = nullptr;
    std::uint16_t piggyback_ = 0;
};

template <class Ready>
void Process::wait_until_locked(Ready&& ready) {
    // A nap is of some 20 us, so this is some tens of milliseconds.
    constexpr unsigned naps_between_looks = 1024;
    WatchedWait watched(stalls_);
    ++waiting_calls_;
    struct Waits {
        int& calls;
        ~Waits() { --calls; }
    } const waits{waiting_calls_};
    for (unsigned times = 0;; ++times) {
        for (unsigned i = 0; i < polls_in_a_row(); ++i) {
            poll();
            if (ready()) return;
            relax();
        }
        progress();
        if (ready()) return;
        // No sleep in the host, which serves one thread.
        lock_->yield(times);
        if (stalls_ != nullptr && times % naps_between_looks == naps_between_looks - 1) [[unlikely]]
            watched.slept(host_.now());
        if (ready()) return;
    }
}

template <class Ready>
void Process::wait_until(Ready&& ready, Duration longest_sleep, bool patiently) {
    const Attendance attendance(attendants_);
    if (has_threads()) [[unlikely]]
        return wait_until_locked(ready);
    const unsigned polls = polls_in_a_row();
    WatchedWait watched(stalls_);
    const Duration longest = std::min(longest_sleep, stall_interval_);
    for (;;) {
        for (unsigned round = patiently ? host_.patient_spins() : host_.spins(); round > 0;
             --round) {
            for (unsigned i = 0; i < polls; ++i) {
                // The likeliest peer every time, the others every fourth time.
                if (i % 4 == 0 || transport_->may_have_arrived()) poll();
                if (ready()) return;
                relax();
            }
            host_.progress();
            // Perhaps others have had the core, and brought what is waited for.
            if (patiently && ready()) return;
            progress();
            if (ready()) return;
        }
        const Sleep sleep(sleep_watches_);
        const auto ticket = host_.prepare_wait();
        // Messages that were started just now may have to be flushed.
        const bool has_started = progress();
        const bool is_ready = ready();
        if (is_ready || has_started || transport_->has_left()) {
            host_.cancel_wait();
            if (is_ready) return;
            continue;
        }
        const bool is_told = longest == Duration::forever();
        host_.wait(ticket, is_told ? Time::never() : host_.now() + longest,
                   fabric::Wait::spin_then_sleep);
        if (stalls_ != nullptr) [[unlikely]]
            watched.slept(host_.now());
    }
}

}  // namespace railyard::mpi
