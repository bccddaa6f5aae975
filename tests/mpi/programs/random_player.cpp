#include "mpi/programs/random_player.hpp"

#include <algorithm>

namespace railyard::mpi::programs {

namespace {

/// The most that a rank holds in one epoch.
std::size_t memory_for(const Plan& plan, int rank) {
    std::size_t most = 0;
    for (const Epoch& epoch : plan.epochs) {
        std::size_t sum = Arena::rounded(0);
        for (const Event& event : epoch.events)
            for (const PlannedMessage& message : event.messages) {
                if (message.from == rank)
                    sum += Arena::rounded(message.out_layout().span_of(message.elements));
                if (message.to == rank)
                    sum += static_cast<std::size_t>(message.times) *
                           Arena::rounded(message.in_layout().span_of(message.room));
            }
        most = std::max(most, sum);
    }
    return most;
}

/// For all buffered messages of the program at once.
std::size_t attached_for(const Plan& plan, int rank) {
    std::size_t sum = 1;
    for (const Epoch& epoch : plan.epochs)
        for (const Event& event : epoch.events)
            for (const PlannedMessage& message : event.messages)
                if (message.from == rank && message.mode == SendMode::buffered)
                    sum += static_cast<std::size_t>(message.times) *
                           (message.elements * message.out_layout().element_size() +
                            MPI_BSEND_OVERHEAD);
    return sum;
}

}  // namespace

Player::Player(const Plan& plan, int rank)
    : plan_(plan),
      rank_(rank),
      random_(plan.seed, static_cast<std::uint64_t>(rank) + 1),
      arena_(memory_for(plan, rank)),
      attached_(attached_for(plan, rank)) {}

void Player::play() {
    MPI_Buffer_attach(attached_.data(), static_cast<int>(attached_.size()));
    make_comms();
    for (const Epoch& epoch : plan_.epochs)
        play(epoch);
    free_comms();
    void* buffer = nullptr;
    int size = 0;
    MPI_Buffer_detach(&buffer, &size);
    require(buffer == attached_.data(), "another buffer was detached");
    require_equal(static_cast<std::size_t>(size), attached_.size(), "size of detached buffer");
}

void Player::make_comms() {
    const auto me = static_cast<std::size_t>(rank_);
    for (const CommPlan& plan : plan_.comms) {
        MPI_Comm comm = MPI_COMM_WORLD;
        if (plan.parent >= 0) {
            const MPI_Comm parent = comms_[static_cast<std::size_t>(plan.parent)];
            if (plan.is_split)
                MPI_Comm_split(parent, plan.colour[me], plan.key[me], &comm);
            else
                MPI_Comm_dup(parent, &comm);
        }
        comms_.push_back(comm);
        int rank = -1;
        int size = -1;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        const auto& members = plan.members[me];
        require_equal(static_cast<std::size_t>(size), members.size(), "size of communicator");
        require_equal(members[static_cast<std::size_t>(rank)], rank_, "my rank in a communicator");
    }
}

void Player::free_comms() {
    for (std::size_t i = 1; i < comms_.size(); ++i)
        MPI_Comm_free(&comms_[i]);
}

void Player::play(const Epoch& epoch) {
    arena_.clear();
    post_ahead(epoch);
    Open orphan{MPI_REQUEST_NULL, nullptr, false, false, arena_.take(0), MPI_BYTE};
    const bool has_orphan = epoch.has_orphan[static_cast<std::size_t>(rank_)];
    if (has_orphan)
        MPI_Irecv(orphan.buffer, 1, MPI_BYTE, MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, &orphan.request);
    // From here on, what was posted ahead may be sent in ready mode.
    MPI_Barrier(MPI_COMM_WORLD);
    for (const Event& event : epoch.events) {
        if (random_.below(4) == 0) complete_some();
        if (event.is_shift) {
            shift(event);
            continue;
        }
        const PlannedMessage& message = event.messages.front();
        if (message.from == rank_) send(message);
        if (message.to == rank_) receive(message);
    }
    while (!opens_.empty())
        complete_some();
    if (has_orphan) cancel(orphan);
    MPI_Barrier(MPI_COMM_WORLD);
}

void Player::post_ahead(const Epoch& epoch) {
    for (const Event& event : epoch.events)
        for (const PlannedMessage& message : event.messages)
            if (message.to == rank_ && message.receive_way == ReceiveWay::posted_ahead)
                ahead_.push_back(open_receive(message));
}

void Player::cancel(Open open) {
    MPI_Cancel(&open.request);
    MPI_Status status;
    MPI_Wait(&open.request, &status);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    require(cancelled != 0, "a receive that nobody sent to was not cancelled");
    require(open.request == MPI_REQUEST_NULL, "a cancelled request is not null");
}

void Player::shift(const Event& event) {
    const PlannedMessage* out = nullptr;
    const PlannedMessage* in = nullptr;
    for (const PlannedMessage& message : event.messages) {
        if (message.from == rank_) out = &message;
        if (message.to == rank_) in = &message;
    }
    if (out == nullptr) return;
    Open send = open_send(*out, SendWay::blocking);
    const Layout layout = in->in_layout();
    std::byte* const buffer = arena_.take(layout.span_of(in->room));
    MPI_Datatype type = layout.make();
    MPI_Status status;
    MPI_Sendrecv(send.buffer, count_of(*out), send.type, rank_in(*out, out->to), out->tag, buffer,
                 room_of(*in), type, source_of(*in), tag_of(*in), comm_of(*out), &status);
    check_status(*in, status, type);
    check_data(*in, buffer, 0);
    Layout::done(send.type);
    Layout::done(type);
}

}  // namespace railyard::mpi::programs
