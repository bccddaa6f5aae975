// Operations on memory of users' own, between ranks of one node: the kernel copies between the two
// address spaces, and the target has no hand in it. Done when they return, as direct ones are.
//
// Who combines reads the elements, combines them here, and writes them back, all under the target's
// guard, which nobody combines into that memory without.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>

#include "mpi/windows/combining.hpp"
#include "mpi/windows/plain_access.hpp"
#include "mpi/windows/window.hpp"

namespace railyard::mpi {

namespace {

/// Each run takes a call of the kernel's, which costs more than a packet with a run of a few bytes.
constexpr std::size_t shortest_run = 512;

/// What is read, combined and written back at a time.
constexpr std::size_t chunk_size = 4096;

/// Packed data of an operation: few of them without allocating.
class Packed {
  public:
    explicit Packed(std::size_t size) : size_(size) {
        if (size > few_.size()) many_ = std::make_unique_for_overwrite<std::byte[]>(size);
    }
    std::byte* data() { return many_ ? many_.get() : few_.data(); }
    std::span<std::byte> bytes() { return {data(), size_}; }

  private:
    std::size_t size_;
    alignas(16) std::array<std::byte, 64> few_;
    std::unique_ptr<std::byte[]> many_;
};

}  // namespace

bool Window::is_for_kernel(const TargetBuffer& target) {
    if (target.type->is_dense()) [[likely]]
        return true;
    std::size_t runs = 0;
    for_each_run(*target.type, target.count, 0, Unit{}, [&](const Run&) { ++runs; });
    return target.bytes() >= runs * shortest_run;
}

void Window::make_known(std::uintptr_t begin, Attached& attached) {
    try {
        attached.region = process().rank().nic().register_memory(
            {reinterpret_cast<std::byte*>(begin), attached.size},
            fabric::Access::remote_read | fabric::Access::remote_write);
    } catch (const Error&) {
        return;  // Packets reach it.
    }
    attached.place =
        peer(rank()).attachments->add({begin, attached.size, attached.region->export_blob()});
}

void Window::expose_to_kernel(const WindowPlan& plan) {
    if (plan.flavor != Flavor::create || plan.size == 0) return;
    kernel_region_ = process().rank().nic().register_memory(
        {static_cast<std::byte*>(plan.base), plan.size},
        fabric::Access::remote_read | fabric::Access::remote_write);
}

fabric::RemoteSlice Window::kernel_place(Peer& peer, std::uint64_t at, std::uint64_t bytes) {
    fabric::Nic& nic = process().rank().nic();
    if (plan_.flavor == Flavor::create) {
        if (peer.kernel_memory.empty())
            peer.kernel_memory.push_back({0, nic.import_region(peer.remote_memory)});
        return {peer.kernel_memory.front().region.get(), Bytes(at)};
    }
    const auto found = peer.attachments->find(at, bytes, peer.last_attachment);
    if (!found) return {};
    peer.last_attachment = found->place;
    peer.kernel_memory.resize(Attachments::capacity);
    ImportedMemory& imported = peer.kernel_memory[found->place];
    if (!imported.region || imported.version != found->version)
        imported = {found->version, nic.import_region(found->what.region)};
    return {imported.region.get(), Bytes(at - found->what.begin)};
}

bool Window::is_reached_by_kernel(const Found& place, const TargetBuffer& target) {
    if (!uses_kernel()) return false;
    if (plan_.flavor == Flavor::create) return true;
    bool all = true;
    for_each_run(*target.type, target.count, place.at, Unit{}, [&](const Run& run) {
        all = all && kernel_place(place.peer, run.at, run.count).region != nullptr;
    });
    return all;
}

/// By few calls one within the other: behind each of the kernel's, the processor has forgotten
/// where they return to.
bool Window::copy_plain(fabric::Op op, void* local, std::size_t count, const Datatype& type,
                        int rank, std::ptrdiff_t displacement) {
    if (!is_mapped_ || plan_.flavor != Flavor::create) return false;
    const Peer& target = peer(rank);
    if (target.kernel_memory.empty()) return false;  // not known yet
    const auto at = locate(rank, displacement, count, type);
    if (!at) return false;
    has_stored_ |= op == fabric::Op::rdma_write;
    return process().access_now(op, {target.kernel_memory.front().region.get(), Bytes(*at)},
                                {static_cast<std::byte*>(local), count * type.size()},
                                comm_->world_rank(rank));
}

bool Window::copy_runs(fabric::Op op, std::byte* local, const Found& place,
                       const TargetBuffer& target) {
    bool all = true;
    for_each_run(*target.type, target.count, place.at, Unit{}, [&](const Run& run) {
        const fabric::RemoteSlice there = kernel_place(place.peer, run.at, run.count);
        all = all && there.region != nullptr &&
              process().access_now(op, there, {local, run.count}, comm_->world_rank(target.rank));
        local += run.count;
    });
    return all;
}

bool Window::put_by_kernel(const ConstBuffer& data, const Found& place, const TargetBuffer& to) {
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
    const Datatype& type = *into.type;
    if (type.is_dense()) [[likely]]
        return copy_runs(fabric::Op::rdma_read, type.dense_data(into.address), place, from);
    const std::size_t total = from.bytes();
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(total);
    if (!copy_runs(fabric::Op::rdma_read, packed.get(), place, from)) return false;
    type.unpack(into.address, into.count, 0, {packed.get(), total});
    return true;
}

bool Window::combine_by_kernel(const ConstBuffer& data, const Buffer* old, const Found& place,
                               const TargetBuffer& to, const Operation& operation,
                               const Datatype& basic) {
    // Accumulates keep their order.
    if (place.peer.is_unflushed) return false;
    const int rank = comm_->world_rank(to.rank);
    const bool reads = operation.kind() == Operation::Kind::no_op;
    const std::size_t total = to.bytes();
    has_stored_ = true;
    Packed in(reads ? 0 : total);
    Packed before(old == nullptr ? 0 : total);
    if (!reads) data.type->pack(data.address, data.count, 0, in.bytes());
    // Bytes behind the last of an element are not the operation's to write.
    const std::size_t at_once = basic.is_dense() ? chunk_size / basic.size() : 1;
    const std::size_t extent =
        basic.is_dense() ? basic.size() : static_cast<std::size_t>(basic.true_extent());
    alignas(16) std::array<std::byte, chunk_size> chunk;
    std::size_t done = 0;
    bool all = true;
    for_each_run(*to.type, to.count, place.at, unit_of(basic), [&](Run run) {
        while (all && run.count != 0) {
            const std::size_t n = std::min<std::size_t>(run.count, at_once);
            const std::span<std::byte> elements(chunk.data(), n * extent);
            const fabric::RemoteSlice there = kernel_place(place.peer, run.at, elements.size());
            const Guarded guarded(place.peer.words->guard);
            all = there.region != nullptr &&
                  process().access_now(fabric::Op::rdma_read, there, elements, rank);
            if (!all) return;
            combine(operation, basic, chunk.data(), n, reads ? nullptr : in.data() + done,
                    old == nullptr ? nullptr : before.data() + done, {});
            if (!reads) all = process().access_now(fabric::Op::rdma_write, there, elements, rank);
            if (!all) return;
            done += n * basic.size();
            run.at += n * static_cast<std::size_t>(basic.extent());
            run.count -= n;
        }
    });
    if (!all && done == 0) return false;
    if (!all)
        throw MpiError(ErrorClass::other,
                       "the kernel has stopped to let this process reach the "
                       "target's memory");
    if (old != nullptr) old->type->unpack(old->address, old->count, 0, before.bytes());
    return true;
}

bool Window::swap_by_kernel(const std::byte* compare, const std::byte* value, void* old,
                            const Found& place, const TargetBuffer& at) {
    if (place.peer.is_unflushed) return false;
    const fabric::RemoteSlice there = kernel_place(place.peer, place.at, at.bytes());
    const int rank = comm_->world_rank(at.rank);
    const std::size_t size = at.type->size();
    std::array<std::byte, 16> element;
    const std::span<std::byte> found(element.data(), size);
    std::array<std::byte, 16> wanted;
    std::memcpy(wanted.data(), value, size);
    has_stored_ = true;
    {
        const Guarded guarded(place.peer.words->guard);
        if (!process().access_now(fabric::Op::rdma_read, there, found, rank)) return false;
        const bool is_equal = std::memcmp(found.data(), compare, size) == 0;
        if (is_equal &&
            !process().access_now(fabric::Op::rdma_write, there, {wanted.data(), size}, rank))
            return false;
    }
    std::memcpy(old, found.data(), size);
    return true;
}

}  // namespace railyard::mpi
