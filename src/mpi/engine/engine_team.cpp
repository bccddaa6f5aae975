// A communicator's ranks as collectives see them: the engine's point-to-point messages, in the
// context that belongs to collectives; and, where ranks map each other's memory, a Hub.

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/direct_meeting.hpp"
#include "mpi/collectives/long_meeting.hpp"
#include "mpi/collectives/meeting.hpp"
#include "mpi/engine/direct_memory.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/engine/shared_hub.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/error.hpp"
#include "railyard/base/cpu.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

namespace {

class EngineTeam final : public Team {
  public:
    EngineTeam(Process& process, Communicator& comm)
        : Team(comm.rank(), comm.size(), comm.surroundings().circumstances, process.algorithms(),
               comm.surroundings().nodes.get()),
          process_(process),
          comm_(comm),
          context_(comm.context() + 1) {
        tell_choices(process.message_watch());
    }

    void send(const ConstBuffer& data, int to) override {
        process_.send_in(context_, data, to, tag, comm_, Mode::standard, content());
    }
    void receive(const Buffer& into, int from) override {
        finish(process_.start_receive_in(context_, into, from, tag, comm_, content()));
    }
    void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) override;
    void start_send(const ConstBuffer& data, int to) override {
        under_way_.push_back(
            &process_.start_send_in(context_, data, to, tag, comm_, Mode::standard, content()));
    }
    void start_receive(const Buffer& into, int from) override {
        under_way_.push_back(
            &process_.start_receive_in(context_, into, from, tag, comm_, content()));
    }
    void wait_all() override;
    void meet(Meeting&& meeting) override;
    void meet(LongMeeting&& meeting) override;
    bool meet_directly(DirectMeeting&& meeting) override;
    bool network_barrier() override;
    bool has_network_broadcast() override;
    void network_broadcast(std::span<std::byte> data, int root) override;
    void charge_bytes(std::size_t bytes) override { process_.host().charge_copy(bytes); }

  private:
    /// One for all: between two ranks, collectives come in the same order on both.
    static constexpr int tag = 0;
    template <class AnyMeeting, class... Reader>
    void meet(SharedHub& shared, AnyMeeting& meeting, Reader&... reader);
    std::vector<fabric::Address> addresses();
    bool make_network_broadcast();
    /// Until the network tells what became of it.
    template <class Poll>
    auto await_network(Poll&& poll);
    void finish(Request& request);

    Process& process_;
    Communicator& comm_;
    std::uint32_t context_;
    std::vector<Request*> under_way_;
    std::unique_ptr<fabric::Barrier> network_barrier_;
    bool asked_for_barrier_ = false;
    std::unique_ptr<fabric::Broadcast> network_broadcast_;
    /// Of those that could be the network's, up to the one for which it is asked.
    enum class Broadcasts : std::uint8_t { none, one, some } broadcasts_ = Broadcasts::none;
};

void EngineTeam::exchange(const ConstBuffer& out, int to, const Buffer& in, int from) {
    Request& receive = process_.start_receive_in(context_, in, from, tag, comm_, content());
    process_.send_in(context_, out, to, tag, comm_, Mode::standard, content());
    finish(receive);
}

template <class AnyMeeting, class... Reader>
void EngineTeam::meet(SharedHub& shared, AnyMeeting& meeting, Reader&... reader) {
    Hub& hub = shared.hub();
    meeting.begin(hub);
    if (!shared.open()) [[unlikely]]
        process_.wait_until([&] { return shared.open(); });
    const auto can_go_on = [&] { return meeting.can_go_on(hub); };
    do {
        // What follows is done outside the wait: it may call a function of the user's.
        if (!can_go_on()) process_.wait_until(can_go_on, Duration::forever(), true);
    } while (!meeting.go_on(hub, reader...));
    if (meeting.disagreed()) [[unlikely]]
        note_disagreement(meeting.lengths().came, meeting.lengths().expected);
}

void EngineTeam::meet(Meeting&& meeting) {
    meeting.plan(comm_.shared_hub().hub().next());
    meet(comm_.shared_hub(), meeting);
}

void EngineTeam::meet(LongMeeting&& meeting) {
    meeting.plan(comm_.wide_hub().hub());
    meet(comm_.wide_hub(), meeting);
}

bool EngineTeam::meet_directly(DirectMeeting&& meeting) {
    DirectMemory& memory = comm_.direct_memory();
    meeting.plan(comm_.shared_hub().hub().next());
    meet(comm_.shared_hub(), meeting, memory);
    memory.met(meeting.has_moved());
    if (!memory.is_worth_trying()) give_up_reading_directly();
    return meeting.has_moved();
}

std::vector<fabric::Address> EngineTeam::addresses() {
    std::vector<fabric::Address> members;
    for (int i = 0; i < comm_.size(); ++i)
        members.push_back(address_of(process_.rank(), comm_.world_rank(i), address_key));
    return members;
}

template <class Poll>
auto EngineTeam::await_network(Poll&& poll) {
    decltype(poll()) found;
    process_.wait_until([&] {
        found = poll();
        return found.has_value();
    });
    return *found;
}

bool EngineTeam::network_barrier() {
    fabric::Nic& nic = process_.rank().nic();
    if (!asked_for_barrier_) {
        // Others may not have theirs yet: this one barrier goes by messages.
        asked_for_barrier_ = true;
        if (process_.settings().network_barrier && nic.traits().network_barrier)
            network_barrier_ = nic.make_barrier(addresses());
        return false;
    }
    if (!network_barrier_) return false;
    if (choice_watch() != nullptr) choice_watch()->left_to_network(Collective::barrier);
    Overhead overhead(process_.host(), process_.settings(),
                      nic.traits().clock == fabric::Clock::virtual_time);
    overhead.send();
    network_barrier_->arrive();
    const railyard::Status status = await_network([&] { return network_barrier_->poll(); });
    overhead.receive();
    if (status.failed())
        throw MpiError(ErrorClass::other,
                       "a barrier of the network failed: a rank is out of reach");
    return true;
}

bool EngineTeam::has_network_broadcast() {
    if (network_broadcast_) return true;
    switch (broadcasts_) {
        case Broadcasts::none:  // many communicators never see another
            broadcasts_ = Broadcasts::one;
            return false;
        case Broadcasts::one:
            broadcasts_ = Broadcasts::some;
            return make_network_broadcast();
        case Broadcasts::some:
            return false;
    }
    return false;
}

bool EngineTeam::make_network_broadcast() {
    fabric::Nic& nic = process_.rank().nic();
    if (!process_.settings().network_broadcast || !nic.traits().network_broadcast) return false;
    network_broadcast_ = nic.make_broadcast(addresses());
    if (!network_broadcast_) return false;
    // Nothing may be sent to those who do not have theirs yet.
    barrier(*this);
    return true;
}

void EngineTeam::network_broadcast(std::span<std::byte> data, int root) {
    Overhead overhead(process_.host(), process_.settings(),
                      process_.rank().nic().traits().clock == fabric::Clock::virtual_time);
    const bool is_root = rank() == root;
    if (choice_watch() != nullptr) choice_watch()->left_to_network(Collective::bcast);
    if (is_root) {
        overhead.send();
        network_broadcast_->send(data);
    } else {
        network_broadcast_->receive(data);
    }
    const auto outcome = await_network([&] { return network_broadcast_->poll(); });
    if (!is_root) overhead.receive();
    if (outcome.status.failed())
        throw MpiError(ErrorClass::other,
                       "a broadcast of the network failed: a rank is out of reach");
    if (outcome.size != Bytes(data.size())) note_disagreement();
}

void EngineTeam::wait_all() {
    std::vector<Request*> all;
    all.swap(under_way_);
    // All of them first: an error must not leave any behind that still writes into a buffer.
    for (const Request* request : all)
        process_.wait(*request);
    for (Request* request : all)
        finish(*request);
    all.clear();
    under_way_.swap(all);  // the memory, for the next time
}

void EngineTeam::finish(Request& request) {
    process_.wait(request);
    const ErrorClass error = request.result.error;
    const bool received = request.kind == Request::Kind::receive;
    if (error == ErrorClass::truncate || (received && request.result.bytes != request.bytes))
        [[unlikely]]
        note_disagreement(error == ErrorClass::truncate ? request.longer : request.result.bytes,
                          request.bytes);
    process_.release(request);
    if (error != ErrorClass::success && error != ErrorClass::truncate)
        throw MpiError(error, "a message of a collective failed");
}

}  // namespace

std::unique_ptr<Team> Process::make_team(Communicator& comm) {
    return std::make_unique<EngineTeam>(*this, comm);
}

}  // namespace railyard::mpi
