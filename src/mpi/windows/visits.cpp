// Visits: operations by packets on memory that the kernel's copies reach as well.
//
// A packet is the quickest way to combine while its target waits in the library, and it is no way
// at all while the target computes. So a rank says whether it waits, and never leaves the library
// before it has carried out what came under that word. Who asks writes down that it has begun a
// visit, and then looks whether the target attends. Who leaves takes its word back, and then looks
// who has begun a visit. Each writes before it reads, with a full fence in between, so one of them
// sees the other: the target stays, or the visit goes another way.
//
// A target is kept for as long as its visitors take. So visits under way are few and small enough
// for their packets to find room at once; whoever makes a larger one waits for its end.

#include <atomic>
#include <exception>

#include "mpi/windows/window.hpp"

namespace railyard::mpi {

namespace {

constexpr std::size_t longest_visit = 1024;  // bytes, of what nobody waits for
constexpr std::uint32_t most_visits = 8;     // to one rank at a time
/// Ranks who meet as soon as the window is made. Of more, each two meet at their first operation,
/// which then takes the target's help.
constexpr int most_who_meet = 32;

}  // namespace

void Window::meet_all() {
    process().add(*this);
    const int size = comm_->size();
    if (size > most_who_meet) return;
    char none = 0;
    for (int i = 1; i < size; ++i)
        process().exchange(ConstBuffer(&none, 0, byte_type()), (rank() + i) % size, rma_data_tag(0),
                           Buffer{&none, 0, &byte_type()}, (rank() + size - i) % size,
                           rma_data_tag(0), *comm_, nullptr);
}

bool Window::is_visiting(const Peer& target) {
    // Acquire: what the visit found is seen.
    return target.ours != nullptr &&
           std::atomic_ref(target.ours->done).load(std::memory_order_acquire) != target.visits;
}

void Window::wait_for_visits(Peer& target, std::uint32_t most) {
    const std::atomic_ref done(target.ours->done);
    const auto are_few = [&] {
        return target.visits - done.load(std::memory_order_acquire) <= most;
    };
    if (!are_few()) process().wait_until(are_few);
}

bool Window::begin_visit(int rank) {
    Peer& target = peer(rank);
    if (process().is_connected(comm_->world_rank(rank))) {
        wait_for_visits(target, most_visits - 1);
        const std::atomic_ref begun(target.ours->begun);
        begun.store(target.visits + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (std::atomic_ref(target.words->attends).load(std::memory_order_relaxed) != 0) {
            ++target.visits;
            return true;
        }
        begun.store(target.visits, std::memory_order_relaxed);
    }
    wait_for_visits(target, 0);
    return false;
}

Request* Window::visit(RmaHeader header, const ConstBuffer* data, const Buffer* into,
                       const Found& place, const TargetBuffer& to, Unit unit, bool wanted) {
    header.ends_visit = 1;
    Request* const user = send_operation(header, data, into, place, to, unit, wanted);
    if (to.bytes() > longest_visit) wait_for_visits(place.peer, 0);
    return user;
}

void Window::end_visit(int source) {
    Peer& from = peer(source);
    // Release: what was combined is seen by whoever sees the count.
    std::atomic_ref(from.theirs->done).store(++from.visited, std::memory_order_release);
    process().wake(comm_->world_rank(source));
}

void Window::came() {
    std::atomic_ref(peer(rank()).words->attends).store(1, std::memory_order_relaxed);
}

void Window::leaves() noexcept {
    std::atomic_ref(peer(rank()).words->attends).store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    try {
        for (const Peer& from : peers_)
            while (from.theirs != nullptr &&
                   std::atomic_ref(from.theirs->begun).load(std::memory_order_relaxed) !=
                       from.visited)
                process().progress();
    } catch (const std::exception&) {
        // The program's next call meets it, and reports it.
        return;
    }
}

}  // namespace railyard::mpi
