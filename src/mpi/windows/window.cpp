// Making and freeing windows, and their memory.

#include "mpi/windows/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

#include "mpi/collectives/collectives.hpp"
#include "mpi/communicators/making.hpp"

namespace railyard::mpi {

namespace {

constexpr std::size_t memory_alignment = 64;

std::size_t rounded_up(std::size_t size) {
    return (size / memory_alignment + 1) * memory_alignment;
}

/// No processor has addresses for more, and an allocator may take it amiss.
void check_possible(std::uint64_t size) {
    if (size > std::uint64_t{1} << 48) throw std::bad_alloc();
}

/// What a rank tells the others.
struct Introduction {
    SharedMemory::Handle segment{};  ///< its words, and its memory behind them
    std::uint64_t size = 0;
    std::uint64_t unit = 1;
    std::uint64_t failed = 0;
    fabric::RegionBlob memory{};  ///< for RDMA, or the kernel's copies
    fabric::RegionBlob words{};
};

/// Whether ranks of the group can map each other's memory, and should.
bool may_map(const Communicator& comm, Flavor flavor) {
    job::Rank& rank = comm.process().rank();
    const fabric::Traits& traits = rank.nic().traits();
    const bool one_node = rank.is_all_on_one_node() ||
                          std::ranges::all_of(comm.group().world_ranks(), [&](int other) {
                              return rank.node_of(other) == rank.node();
                          });
    if (flavor == Flavor::shared) {
        if (one_node) return true;
        throw MpiError(ErrorClass::rma_shared,
                       "the communicator has ranks of several nodes, which share no memory; make "
                       "one of each node with MPI_Comm_split_type");
    }
    return one_node && traits.maps_allocated && traits.coherent_atomics;
}

template <class T>
std::vector<T> gather_all(Comm& comm, const T& mine) {
    std::vector<T> all(static_cast<std::size_t>(comm.size()));
    allgather(comm.team(), ConstBuffer(&mine, sizeof mine, byte_type()),
              Buffer{all.data(), sizeof mine, &byte_type()});
    return all;
}

}  // namespace

Window::Window(Comm& parent, ContextIds& contexts, const WindowPlan& plan)
    : contexts_(contexts),
      plan_(plan),
      is_mapped_(may_map(parent, plan.flavor)),
      shares_(static_cast<std::size_t>(parent.size())),
      peers_(static_cast<std::size_t>(parent.size())),
      epochs_(parent.size()) {
    what = "window";
    comm_ = duplicated(parent, contexts);
    comm_->set_librarys();
    try {
        exchange(plan);
    } catch (...) {
        contexts_.give_back(comm_->context());
        throw;
    }
    const Share& mine = share(comm_->rank());
    properties = {mine.base, signed_of(mine.size), mine.unit, static_cast<int>(plan.flavor)};
    all_direct_ = std::ranges::all_of(peers_, &Peer::is_direct);
    reaches_all_ = all_direct_ && plan.flavor != Flavor::dynamic && !process().host().work_costs();
    listen();
    if (uses_kernel()) meet_all();
    // Nobody says anything before all listen, and nobody frees memory that others yet map.
    barrier(comm_->team());
}

Window::~Window() {
    process().remove(*this);
}

void Window::make_memory(const WindowPlan& plan) {
    const bool is_ours = plan.flavor == Flavor::allocate || plan.flavor == Flavor::shared;
    if (is_mapped_) {
        // Of one array for all, every rank brings its part of the first one's segment.
        std::size_t size = is_ours ? plan.size : 0;
        if (plan.flavor == Flavor::shared && plan.is_contiguous) {
            const std::vector<std::uint64_t> sizes = gather_all<std::uint64_t>(*comm_, plan.size);
            // Each by itself, so that their sum is one.
            std::ranges::for_each(sizes, check_possible);
            size = comm_->rank() == 0 ? std::reduce(sizes.begin(), sizes.end()) : 0;
        }
        check_possible(size);
        if (uses_kernel()) size = peers_.size() * sizeof(Visits) + sizeof(Attachments);
        segments_[static_cast<std::size_t>(comm_->rank())] =
            SharedMemory::create("railyard-window", Bytes(sizeof(SharedWords) + size));
    } else if (is_ours) {
        check_possible(plan.size);
        const std::size_t size = rounded_up(plan.size);
        own_memory_.reset(static_cast<std::byte*>(std::aligned_alloc(memory_alignment, size)));
        if (!own_memory_) throw std::bad_alloc();
        std::memset(own_memory_.get(), 0, size);
    }
}

void Window::exchange(const WindowPlan& plan) {
    const auto self = static_cast<std::size_t>(comm_->rank());
    segments_.resize(peers_.size());
    Introduction mine{.size = plan.size, .unit = static_cast<std::uint64_t>(plan.unit)};
    try {
        make_memory(plan);
        if (is_mapped_) {
            mine.segment = segments_[self].handle();
            expose_to_kernel(plan);
        } else {
            expose(plan);
        }
    } catch (const std::exception&) {
        mine.failed = 1;
    }
    if (words_region_) mine.words = words_region_->region().export_blob();
    if (memory_region_) mine.memory = memory_region_->region().export_blob();
    if (kernel_region_) mine.memory = kernel_region_->export_blob();
    const std::vector<Introduction> all = gather_all(*comm_, mine);
    if (std::ranges::any_of(all, [](const Introduction& one) { return one.failed != 0; }))
        throw MpiError(ErrorClass::no_mem, fmt::format("a rank has no memory for the window; this "
                                                       "one asked for {} bytes",
                                                       plan.size));
    std::uintptr_t next = 0;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        Peer& peer = peers_[i];
        peer.size = all[i].size;
        peer.unit = all[i].unit;
        peer.remote_memory = all[i].memory;
        peer.remote_words = all[i].words;
        shares_[i] = {nullptr, all[i].size, static_cast<int>(all[i].unit)};
        if (is_mapped_) {
            if (i != self) segments_[i] = SharedMemory::open(all[i].segment);
            peer.words = reinterpret_cast<SharedWords*>(segments_[i].data());
            const auto behind =
                reinterpret_cast<std::uintptr_t>(segments_[i].data() + sizeof(SharedWords));
            peer.is_direct = plan.flavor == Flavor::allocate || plan.flavor == Flavor::shared;
            const bool follows = plan.flavor == Flavor::shared && plan.is_contiguous && i != 0;
            peer.base = follows ? next : behind;
            next = peer.base + peer.size;
            if (uses_kernel()) {
                const auto visits = [this](std::size_t of) {
                    return reinterpret_cast<Visits*>(segments_[of].data() + sizeof(SharedWords));
                };
                peer.attachments = reinterpret_cast<Attachments*>(visits(i) + peers_.size());
                peer.ours = i == self ? nullptr : visits(i) + self;
                peer.theirs = i == self ? nullptr : visits(self) + i;
            }
        }
        if (i == self) {
            peer.is_direct = true;
            if (!is_mapped_) peer.words = &own_words_;
            if (plan.flavor == Flavor::create)
                peer.base = reinterpret_cast<std::uintptr_t>(plan.base);
            else if (own_memory_)
                peer.base = reinterpret_cast<std::uintptr_t>(own_memory_.get());
            else if (plan.flavor == Flavor::dynamic)
                peer.base = 0;
        }
        if (peer.is_direct) shares_[i].base = reinterpret_cast<void*>(peer.base);
    }
}

void Window::free() {
    epochs_.check_none();
    // Nothing may come any more where another communicator may be at home soon.
    for (std::size_t rank = 0; rank < peers_.size(); ++rank)
        if (std::exchange(peers_[rank].has_unacknowledged, false)) {
            peers_[rank].is_unflushed = true;
            touch(peers_[rank], static_cast<int>(rank));
        }
    flush_touched();
    barrier(comm_->team());
    process().wait_until([this] {
        return free_packets_.size() == packets_.size() &&
               free_transfers_.size() == transfers_.size();
    });
    process().remove(*this);
    process().cancel(*listening_);
    process().release(*listening_);
    contexts_.give_back(comm_->context());
}

const Window::Share& Window::first_share() const {
    static const Share none;
    const auto found =
        std::ranges::find_if(shares_, [](const Share& share) { return share.size != 0; });
    return found == shares_.end() ? none : *found;
}

void Window::attach(void* base, std::size_t size) {
    if (plan_.flavor != Flavor::dynamic)
        throw MpiError(ErrorClass::rma_flavor,
                       "memory is attached only to windows of MPI_Win_create_dynamic");
    if (size == 0) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(base);
    const auto next = attached_.lower_bound(begin);
    const bool meets_next = next != attached_.end() && next->first - begin < size;
    const bool meets_last =
        next != attached_.begin() && begin - std::prev(next)->first < std::prev(next)->second.size;
    if (meets_next || meets_last)
        throw MpiError(ErrorClass::rma_attach,
                       "some of the memory is attached already; detach that first");
    Attached& attached = attached_[begin];
    attached.size = size;
    if (uses_kernel()) make_known(begin, attached);
}

void Window::detach(const void* base) {
    if (plan_.flavor != Flavor::dynamic)
        throw MpiError(ErrorClass::rma_flavor,
                       "memory is detached only from windows of MPI_Win_create_dynamic");
    const auto found = attached_.find(reinterpret_cast<std::uintptr_t>(base));
    if (found == attached_.end())
        throw MpiError(ErrorClass::rma_attach, "no memory that begins at base is attached");
    if (found->second.place) peer(rank()).attachments->remove(*found->second.place);
    attached_.erase(found);
}

void Window::check_attached(std::uint64_t at, std::uint64_t bytes) const {
    const auto next = attached_.upper_bound(at);
    if (next != attached_.begin()) {
        const auto& [begin, attached] = *std::prev(next);
        if (at - begin <= attached.size && bytes <= attached.size - (at - begin)) return;
    }
    throw MpiError(ErrorClass::rma_range,
                   fmt::format("{} bytes at address {:#x} of rank {} are not attached; call "
                               "MPI_Win_attach there first",
                               bytes, at, comm_->rank()));
}

void Window::check_attached(const TargetBuffer& to, std::uint64_t at) const {
    for_each_run(*to.type, to.count, at, Unit{},
                 [&](const Run& run) { check_attached(run.at, run.count); });
}

void Window::throw_range(const TargetBuffer& to) const {
    const Peer& peer = peers_[static_cast<std::size_t>(to.rank)];
    throw MpiError(ErrorClass::rma_range,
                   fmt::format("displacement {}, in units of {} bytes, and {} elements of the type "
                               "lead out of the {} bytes that rank {} has in the window",
                               to.displacement, peer.unit, to.count, peer.size, to.rank));
}

}  // namespace railyard::mpi
