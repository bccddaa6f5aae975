#include "mpi/engine/shared_hub.hpp"

#include <atomic>

#include "mpi/types/datatype.hpp"
#include "mpi/types/error.hpp"
#include "railyard/base/cpu.hpp"

namespace railyard::mpi {

/// Slots follow. Counters that are written at different times have lines of their own.
struct SharedHub::Layout {
    alignas(cache_line) std::uint64_t arrived;   ///< ranks, in all rounds
    alignas(cache_line) std::uint64_t released;  ///< rounds
    alignas(cache_line) std::byte result[Hub::capacity];
};

SharedHub::SharedHub(Process& process, Communicator& comm, std::uint32_t context)
    : process_(process), comm_(comm) {
    fabric::Nic& nic = process.rank().nic();
    const Datatype& byte = *predefined(Basic::byte);
    fabric::RegionBlob blob;
    Buffer name{blob.bytes.data(), blob.bytes.size(), &byte};
    if (comm.rank() == 0) {
        const std::size_t size =
            sizeof(Layout) + static_cast<std::size_t>(comm.size()) * Hub::capacity;
        own_ = nic.allocate(Bytes(size), fabric::Access::all);
        base_ = own_->data();
        blob = own_->export_blob();
        for (int rank = 1; rank < comm.size(); ++rank)
            process.send_in(context, name, rank, 0, comm);
        return;
    }
    process.receive_in(context, name, 0, 0, comm, nullptr);
    theirs_ = nic.import_region(blob);
    base_ = theirs_->mapped();
    if (base_ == nullptr)
        throw MpiError(ErrorClass::intern, "a fabric that maps memory has not mapped a region");
}

std::byte* SharedHub::slot(int rank) {
    return base_ + sizeof(Layout) + static_cast<std::size_t>(rank) * Hub::capacity;
}

std::byte* SharedHub::result() {
    return layout().result;
}

bool SharedHub::arrive() {
    ++round_;
    const auto all = static_cast<std::uint64_t>(comm_.size());
    // Release: our contribution is seen by the last; acquire: being the last, we see all others'.
    const std::uint64_t before =
        std::atomic_ref(layout().arrived).fetch_add(1, std::memory_order_acq_rel);
    return before + 1 == round_ * all;
}

void SharedHub::release() {
    // Release: the result is seen by who sees the round.
    std::atomic_ref(layout().released).store(round_, std::memory_order_release);
    // Only the first rank is known to have connections to all, so it wakes the sleepers; it waits
    // here itself, and may have to be woken first.
    if (comm_.rank() == 0)
        wake_others();
    else
        process_.wake(comm_.world_rank(0));
}

void SharedHub::await() {
    process_.wait_until([this] {
        return std::atomic_ref(layout().released).load(std::memory_order_acquire) == round_;
    });
    if (comm_.rank() == 0) wake_others();
}

void SharedHub::wake_others() {
    for (int rank = 1; rank < comm_.size(); ++rank)
        process_.wake(comm_.world_rank(rank));
}

}  // namespace railyard::mpi
