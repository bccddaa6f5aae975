// Puts and gets on memory of users' own, between ranks of one node: the kernel copies between the
// two address spaces, and the target has no hand in it. Done when they return, as direct ones are.

#include <memory>

#include "mpi/windows/window.hpp"

namespace railyard::mpi {

namespace {

/// Each run takes a call of the kernel's, which costs more than a packet with a run of a few bytes.
constexpr std::size_t shortest_run = 512;

bool is_in_long_runs(const TargetBuffer& target) {
    if (target.type->is_dense()) [[likely]]
        return true;
    std::size_t runs = 0;
    for_each_run(*target.type, target.count, 0, Unit{}, [&](const Run&) { ++runs; });
    return target.bytes() >= runs * shortest_run;
}

}  // namespace

void Window::expose_to_kernel(const WindowPlan& plan) {
    if (plan.flavor != Flavor::create || plan.size == 0) return;
    kernel_region_ = process().rank().nic().register_memory(
        {static_cast<std::byte*>(plan.base), plan.size},
        fabric::Access::remote_read | fabric::Access::remote_write);
}

bool Window::copy_runs(fabric::Op op, std::byte* local, const Found& place,
                       const TargetBuffer& target) {
    std::unique_ptr<fabric::RemoteRegion>& remote = place.peer.kernel_memory;
    if (!remote) remote = process().rank().nic().import_region(place.peer.remote_memory);
    bool all = true;
    for_each_run(*target.type, target.count, place.at, Unit{}, [&](const Run& run) {
        all = all && process().access_now(op, {remote.get(), Bytes(run.at)}, {local, run.count},
                                          comm_->world_rank(target.rank));
        local += run.count;
    });
    return all;
}

bool Window::put_by_kernel(const ConstBuffer& data, const Found& place, const TargetBuffer& to) {
    if (!is_in_long_runs(to)) return false;
    has_stored_ = true;
    const Datatype& type = *data.type;
    if (type.is_dense()) [[likely]]
        return copy_runs(fabric::Op::rdma_write,
                         const_cast<std::byte*>(type.dense_data(data.address)), place, to);
    const std::size_t total = to.bytes();
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(total);
    type.pack(data.address, data.count, 0, {packed.get(), total});
    return copy_runs(fabric::Op::rdma_write, packed.get(), place, to);
}

bool Window::get_by_kernel(const Buffer& into, const Found& place, const TargetBuffer& from) {
    if (!is_in_long_runs(from)) return false;
    const Datatype& type = *into.type;
    if (type.is_dense()) [[likely]]
        return copy_runs(fabric::Op::rdma_read, type.dense_data(into.address), place, from);
    const std::size_t total = from.bytes();
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(total);
    if (!copy_runs(fabric::Op::rdma_read, packed.get(), place, from)) return false;
    type.unpack(into.address, into.count, 0, {packed.get(), total});
    return true;
}

}  // namespace railyard::mpi
