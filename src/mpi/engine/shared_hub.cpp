#include "mpi/engine/shared_hub.hpp"

#include <algorithm>
#include <atomic>

#include "mpi/engine/communicator.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/error.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

namespace {

/// Behind the hub's own memory: how many other ranks have mapped it.
std::atomic_ref<int> openers(std::byte* memory, const Hub& hub) {
    return std::atomic_ref(*reinterpret_cast<int*>(memory + hub.memory_needed()));
}

}  // namespace

SharedHub::SharedHub(Process& process, Communicator& comm, const Hub::Shape& shape, int tag)
    : process_(process), comm_(comm), hub_(comm.rank(), comm.size(), shape, *this), tag_(tag) {
    process_.add(static_cast<SleepWatch&>(*this));
}

SharedHub::~SharedHub() {
    process_.remove(static_cast<SleepWatch&>(*this));
    if (messages_.empty()) return;
    // Something has failed. What is still under way keeps the memory that it uses.
    for (Request* const message : messages_)
        process_.free_when_done(*message);
    static_cast<void>(name_.release());
}

bool SharedHub::go_on_opening() {
    if (!has_begun_) begin_opening();
    const auto is_complete = [](const Request* message) { return message->complete; };
    if (!std::ranges::all_of(messages_, is_complete)) return false;
    for (Request* const message : messages_)
        process_.release(*message);
    messages_.clear();
    if (own_) {
        // Nobody may find it gone: who only gives could be through, and free the communicator,
        // before others have it.
        if (openers(own_->data(), hub_).load(std::memory_order_relaxed) + 1 != hub_.size())
            return false;
    } else if (!theirs_) {
        theirs_ = process_.rank().nic().import_region(*name_);
        if (theirs_->mapped() == nullptr)
            throw MpiError(ErrorClass::intern,
                           "memory for collectives, which the first rank allocated, cannot be "
                           "mapped; RAILYARD_MPI_SHARED_MEMORY=off does without");
        hub_.open(theirs_->mapped());
        // Relaxed: it only says that the memory is mapped.
        openers(theirs_->mapped(), hub_).fetch_add(1, std::memory_order_relaxed);
        ring(0);
    }
    name_.reset();
    is_ready_ = true;
    return true;
}

void SharedHub::begin_opening() {
    has_begun_ = true;
    name_ = std::make_unique<fabric::RegionBlob>();
    const std::uint32_t context = comm_.context() + 1;
    const Buffer name{name_->bytes.data(), name_->bytes.size(), predefined(Basic::byte).get()};
    if (comm_.rank() != 0) {
        messages_.push_back(&process_.start_receive_in(context, name, 0, tag_, comm_));
        return;
    }
    own_ = process_.rank().nic().allocate(Bytes(hub_.memory_needed() + sizeof(int)),
                                          fabric::Access::all);
    *name_ = own_->export_blob();
    hub_.open(own_->data());
    for (int rank = 1; rank < comm_.size(); ++rank)
        messages_.push_back(&process_.start_send_in(context, name, rank, tag_, comm_));
}

void SharedHub::ring(int rank) {
    process_.wake(comm_.world_rank(rank));
}

void SharedHub::falls_asleep() {
    if (!hub_.is_open() || hub_.under_way == 0) return;
    is_asleep_ = true;
    hub_.fall_asleep();
}

void SharedHub::wakes_up() {
    if (!is_asleep_) return;
    is_asleep_ = false;
    hub_.wake_up();
}

}  // namespace railyard::mpi
