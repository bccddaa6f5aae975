#include "interconnects/quadrics/elanlib/active_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interconnects/quadrics/elanlib/group.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elanlib {

using elan::Home;

namespace {

constexpr std::uint32_t length = sizeof(std::uint32_t);  ///< of a flag or a length

Status first_failure(Status a, Status b) {
    return a.failed() ? a : b;
}

}  // namespace

std::optional<elan3::Vpid> ActiveSet::index(elan3::Vpid pe) const {
    if (pe < start || ((pe - start) >> log_stride) >= size) return {};
    const elan3::Vpid found = (pe - start) >> log_stride;
    return this->pe(found) == pe ? std::optional(found) : std::nullopt;
}

ActiveSets::ActiveSets(Shmem& shmem)
    : shmem_(shmem),
      process_(shmem.process()),
      begin_(process_.make_event({.chain = {}, .for_thread = true})),
      sent_(process_.make_event()),
      barriers_(std::make_shared<Barriers>()),
      sync_(make_sync()) {
    const elan3::Event sent = process_.make_event({.chain = {}, .for_thread = true});
    const Address zero = process_.allocate(Home::sdram, elan::block_size);
    process_.put_value(zero, std::uint32_t{0});
    process_.start_thread(
        fmt::format("barriers of process {}", process_.self()),
        [barriers = barriers_, begin = begin_.address, sent = sent.address,
         zero](elan::Thread& thread) { serve(thread, *barriers, begin, sent, zero); });
}

Sync ActiveSets::make_sync(std::uint32_t slot) {
    Sync made;
    made.come = process_.allocate(Home::sdram, elan::block_size);
    made.go = process_.make_event();
    made.up = process_.make_event({.chain = {}, .primed = false});
    made.data = process_.make_event();
    made.lengths = process_.allocate(Home::main, length * shmem_.num_pes());
    made.work = process_.allocate(Home::main, slot * (Group::arity + 1));
    made.slot = slot;
    process_.put_value(made.come, std::uint32_t{0});
    process_.store(made.lengths, std::vector<std::byte>(std::size_t{length} * shmem_.num_pes()));
    return made;
}

elan3::Address ActiveSets::allocate(std::uint32_t size, Home home) {
    const Address address = shmem_.allocate(size, home);
    shmem_.note(barrier_all());
    return address;
}

void ActiveSets::release(Address address) {
    shmem_.note(barrier_all());
    shmem_.release(address);
}

elan3::Address ActiveSets::resize(Address address, std::uint32_t size) {
    shmem_.note(barrier_all());
    const Address moved = shmem_.resize(address, size);
    shmem_.note(barrier_all());
    return moved;
}

bool ActiveSets::is_range(const ActiveSet& set) const {
    if (set.log_stride != 0) return false;
    const auto& all = process_.job().processes;
    for (Vpid pe = set.start; pe + 1 < set.start + set.size; ++pe)
        if (all[pe + 1].node != all[pe].node + 1) return false;
    return true;
}

elan3::Vpid ActiveSets::index_in(const ActiveSet& set) const {
    const auto found = set.index(process_.self());
    if (!found || set.pe(set.size - 1) >= shmem_.num_pes())
        throw UsageError(fmt::format(
            "process {} of {} calls for the set of {} from {} on, every {}: it must be "
            "one of them, and all must be in the job",
            process_.self(), shmem_.num_pes(), set.size, set.start, 1U << set.log_stride));
    return *found;
}

Status ActiveSets::take(const elan3::Event& event) {
    const Status status = process_.wait(event);
    process_.prime(event);
    return status;
}

Status ActiveSets::barrier(const ActiveSet& set, const Sync& sync) {
    (void)index_in(set);
    const Status before = shmem_.quiet();
    if (set.size == 1) return before;
    return first_failure(
        before, is_range(set) ? barrier_by_switches(set, sync) : barrier_by_tree(set, sync));
}

Status ActiveSets::barrier_by_switches(const ActiveSet& set, const Sync& sync) {
    process_.put_value(sync.come, std::uint32_t{1});
    if (process_.self() == set.start) {
        barriers_->push_back({set.start, set.pe(set.size - 1), sync.come, sync.go.address});
        process_.set(process_.self(), begin_.address);
    }
    return take(sync.go);
}

/// On the thread processor of the first: one packet asks whether all have come, and one more writes
/// that none has, for the next time, and sets everyone's event behind that.
void ActiveSets::serve(elan::Thread& thread, Barriers& barriers, Address begin, Address sent,
                       Address zero) {
    for (;;) {
        (void)thread.wait(begin);
        const Barrier asked = barriers.front();
        barriers.pop_front();
        elan::Verdict verdict = elan::Verdict::not_yet;
        while ((verdict = thread.test(asked.first, asked.last, asked.come, 1)) ==
               elan::Verdict::not_yet)
            thread.sleep(Duration::us(1));
        Status status = elan::to_status(verdict);
        if (status.ok()) {
            thread.compute(thread.parameters().thread_packet);
            elan::Descriptor go;
            go.broadcast = true;
            go.size = length;
            go.source = asked.first;
            go.destination = asked.first + 1;
            go.last_destination = asked.last;
            go.source_address = zero;
            go.destination_address = asked.come;
            go.source_event = sent;
            go.destination_event = asked.go;
            thread.start(go);
            status = thread.wait(sent);
        }
        const std::uint32_t none = 0;
        thread.store(asked.come, std::as_bytes(std::span(&none, 1)));
        thread.set_event(asked.first, asked.go, status);
    }
}

Status ActiveSets::barrier_by_tree(const ActiveSet& set, const Sync& sync) {
    const Vpid place = index_in(set);
    const Vpid below = Group::children_of(place, set.size);
    Status status;
    if (below > 0) {
        process_.prime(sync.up, below);
        status = process_.wait(sync.up);
    }
    if (place != 0) {
        process_.set(set.pe((place - 1) / Group::arity), sync.up.address);
        status = first_failure(status, take(sync.go));
    }
    for (Vpid i = 0; i < below; ++i)
        process_.set(set.pe(place * Group::arity + 1 + i), sync.go.address);
    return status;
}

Status ActiveSets::broadcast(const ActiveSet& set, Vpid root, Address target, Address source,
                             std::uint32_t size, const Sync& sync) {
    (void)index_in(set);
    if (root >= set.size)
        throw UsageError(fmt::format("a broadcast of number {} of a set of {}", root, set.size));
    if (set.size == 1) return {};
    return is_range(set) ? broadcast_by_switches(set, root, target, source, size, sync)
                         : broadcast_by_tree(set, root, target, source, size, sync);
}

/// The root's own target is not written, so a root in the middle sends twice.
Status ActiveSets::broadcast_by_switches(const ActiveSet& set, Vpid root, Address target,
                                         Address source, std::uint32_t size, const Sync& sync) {
    if (index_in(set) != root) return take(sync.data);
    const auto to = [&](Vpid first, Vpid last) {
        process_.broadcast(set.pe(first), set.pe(last), source, target, size,
                           {sent_.address, sync.data.address});
        return take(sent_);
    };
    const Status below = root > 0 ? to(0, root - 1) : Status();
    return root + 1 < set.size ? first_failure(below, to(root + 1, set.size - 1)) : below;
}

Status ActiveSets::broadcast_by_tree(const ActiveSet& set, Vpid root, Address target,
                                     Address source, std::uint32_t size, const Sync& sync) {
    const Vpid place = (index_in(set) + set.size - root) % set.size;
    Status status = place == 0 ? Status() : take(sync.data);
    const Vpid below = Group::children_of(place, set.size);
    for (Vpid i = 0; i < below; ++i)
        process_.put(set.pe((place * Group::arity + 1 + i + root) % set.size),
                     place == 0 ? source : target, target, size,
                     {sent_.address, sync.data.address});
    for (Vpid i = 0; i < below; ++i)
        status = first_failure(status, take(sent_));
    return status;
}

/// To the first of the set, which goes on when all of it is there.
Status ActiveSets::gather(const ActiveSet& set, Address at, Address source, std::uint32_t size,
                          const Sync& sync) {
    if (index_in(set) == 0) {
        if (size > 0) {
            std::vector<std::byte> own(size);
            process_.load(source, own);
            process_.store(at, own);
            process_.spend(Bytes(size) / process_.machine().parameters().host.copy);
        }
        process_.prime(sync.up, set.size - 1);
        return process_.wait(sync.up);
    }
    process_.put(set.start, source, at, size, {sent_.address, sync.up.address});
    return take(sent_);
}

Status ActiveSets::fcollect(const ActiveSet& set, Address target, Address source,
                            std::uint32_t size, const Sync& sync) {
    const Vpid place = index_in(set);
    if (set.size == 1) return shmem_.put(process_.self(), source, target, size);
    const Status status = gather(set, target + place * size, source, size, sync);
    return first_failure(status, broadcast(set, 0, target, target, size * set.size, sync));
}

Status ActiveSets::collect(const ActiveSet& set, Address target, Address source, std::uint32_t size,
                           const Sync& sync) {
    const Vpid place = index_in(set);
    if (set.size == 1) return shmem_.put(process_.self(), source, target, size);
    process_.put_value(sync.work, size);
    Status status = fcollect(set, sync.lengths, sync.work, length, sync);
    if (status.failed()) return status;
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    for (Vpid i = 0; i < set.size; ++i) {
        if (i == place) before = all;
        all += process_.value<std::uint32_t>(sync.lengths + i * length);
    }
    status = gather(set, target + before, source, size, sync);
    return first_failure(status, broadcast(set, 0, target, target, all, sync));
}

Status ActiveSets::reduce(const ActiveSet& set, Address target, Address source, std::uint32_t size,
                          const Sync& sync, const Merge& merge) {
    Status status;
    for (std::uint32_t done = 0; done < size && status.ok(); done += sync.slot)
        status = reduce_piece(set, target + done, source + done, std::min(sync.slot, size - done),
                              sync, merge);
    return status;
}

/// Up the tree, each to a slot of the one above; then the result to all. Nobody sends the next
/// piece before it has that, so the slots are free again by then.
Status ActiveSets::reduce_piece(const ActiveSet& set, Address target, Address source,
                                std::uint32_t size, const Sync& sync, const Merge& merge) {
    const Vpid place = index_in(set);
    const Vpid below = Group::children_of(place, set.size);
    std::vector<std::byte> sum(size);
    process_.load(source, sum);
    if (below > 0) {
        process_.prime(sync.up, below);
        if (const Status status = process_.wait(sync.up); status.failed()) return status;
    }
    std::vector<std::byte> one(size);
    for (Vpid i = 0; i < below; ++i) {
        process_.load(sync.work + i * sync.slot, one);
        merge(sum, one);
        process_.spend(Bytes(size) / process_.machine().parameters().host.copy);
    }
    if (place == 0) {
        process_.store(target, sum);
        return broadcast(set, 0, target, target, size, sync);
    }
    const Address partial = sync.work + Group::arity * sync.slot;
    process_.store(partial, sum);
    process_.put(set.pe((place - 1) / Group::arity), partial,
                 sync.work + (place - 1) % Group::arity * sync.slot, size,
                 {sent_.address, sync.up.address});
    const Status status = take(sent_);
    return first_failure(status, broadcast(set, 0, target, target, size, sync));
}

}  // namespace railyard::elanlib
