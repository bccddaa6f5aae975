#include "interconnects/quadrics/elanlib/group.hpp"

#include <fmt/format.h>

#include "railyard/base/error.hpp"

namespace railyard::elanlib {

using elan::Home;

namespace {

constexpr std::uint32_t word = sizeof(std::uint32_t);

}  // namespace

elan3::Vpid Group::children_of(Vpid place, Vpid processes) {
    const Vpid first = place * arity + 1;
    return first >= processes ? 0 : std::min(arity, processes - first);
}

Group::Group(elan3::Process& process)
    : process_(process),
      processes_(static_cast<Vpid>(process.processes())),
      round_(process.allocate(Home::sdram, elan::block_size)),
      come_(process.allocate(Home::main, word)),
      others_come_(process.allocate(Home::main, word * processes_)),
      begin_(process.make_event({.chain = {}, .for_thread = true})),
      go_(process.make_event()),
      up_(process.make_event(
          {.sets = std::max(1U, children_of(process.self(), processes_)), .chain = {}})),
      down_(process.make_event()),
      data_(process.make_event()),
      sent_(process.make_event()) {
    process.put_value(round_, std::uint32_t{0});
    process.store(others_come_, std::vector<std::byte>(std::size_t{word} * processes_));
    if (process.self() == 0) serve_barriers();
}

/// On the thread processor of process 0: nobody else's processor has to look.
void Group::serve_barriers() {
    process_.start_thread("barriers", [begin = begin_.address, round = round_, go = go_.address,
                                       last = processes_ - 1](elan::Thread& thread) {
        for (std::uint32_t rounds = 1;; ++rounds) {
            (void)thread.wait(begin);
            elan::Verdict verdict = elan::Verdict::not_yet;
            while ((verdict = thread.test(0, last, round, rounds)) == elan::Verdict::not_yet)
                thread.sleep(Duration::us(1));
            if (verdict == elan::Verdict::taken) verdict = thread.set_events(1, last, go);
            // Once, and by itself: of a broadcast that fails, it cannot know who has taken it.
            thread.set_event(0, go, elan::to_status(verdict));
        }
    });
}

void Group::must_be_a_range() const {
    const auto& all = process_.job().processes;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i].node != all[i - 1].node + 1)
            throw UsageError(
                fmt::format("process {} is on node {} and process {} on node {}: the network's "
                            "broadcast reaches "
                            "a range of nodes; place the job so, or go by the tree",
                            i - 1, all[i - 1].node, i, all[i].node));
}

Status Group::take(const elan3::Event& event) {
    const Status status = process_.wait(event);
    process_.prime(event);
    return status;
}

Status Group::barrier(Way way) {
    if (processes_ == 1) return {};
    return way == Way::hardware ? hardware_barrier() : tree_barrier();
}

void Group::start_barrier() {
    must_be_a_range();
    process_.put_value(round_, ++rounds_);
    if (process_.self() == 0) process_.set(0, begin_.address);
}

std::optional<Status> Group::test_barrier() {
    if (!process_.poll(go_)) return {};
    const Status status = process_.status(go_);
    process_.prime(go_);
    return status;
}

Status Group::hardware_barrier() {
    start_barrier();
    return take(go_);
}

Group::Vpid Group::parent(Vpid root) const {
    const Vpid place = (process_.self() + processes_ - root) % processes_;
    return ((place - 1) / arity + root) % processes_;
}

std::vector<Group::Vpid> Group::children(Vpid root) const {
    const Vpid place = (process_.self() + processes_ - root) % processes_;
    std::vector<Vpid> all;
    for (Vpid i = 0; i < children_of(place, processes_); ++i)
        all.push_back((place * arity + 1 + i + root) % processes_);
    return all;
}

Status Group::tree_barrier() {
    const std::vector<Vpid> below = children(0);
    Status status;
    if (!below.empty()) status = take(up_);
    if (process_.self() != 0) {
        process_.set(parent(0), up_.address);
        if (const Status one = take(down_); status.ok()) status = one;
    }
    for (const Vpid child : below)
        process_.set(child, down_.address);
    return status;
}

Status Group::broadcast(Vpid root, Address data, std::uint32_t size, Way way) {
    if (processes_ == 1) return {};
    return way == Way::hardware ? hardware_broadcast(root, data, size)
                                : tree_broadcast(root, data, size);
}

Status Group::hardware_broadcast(Vpid root, Address data, std::uint32_t size) {
    must_be_a_range();
    // At an edge the root leaves itself out; elsewhere it is in the range, and writes to itself.
    const Vpid first = root == 0 ? 1 : 0;
    const Vpid last = root == processes_ - 1 ? processes_ - 2 : processes_ - 1;
    if (process_.self() == root) {
        process_.broadcast(first, last, data, data, size, {sent_.address, data_.address});
        const Status status = take(sent_);
        if (!status.ok() || root < first || root > last) return status;
    }
    return take(data_);
}

/// Each tells the one above that it has come. So nobody's buffer is written while it still passes
/// on what was there before, or reads it, whichever root is next.
Status Group::tree_broadcast(Vpid root, Address data, std::uint32_t size) {
    const std::uint32_t number = ++broadcasts_;
    Status status;
    if (process_.self() != root) {
        process_.put_value(come_, number);
        process_.put(parent(root), come_, others_come_ + word * process_.self(), word, {});
        status = take(data_);
    }
    const std::vector<Vpid> below = children(root);
    for (const Vpid child : below) {
        process_.wait_for(others_come_ + word * child, number);
        process_.put(child, data, data, size, {sent_.address, data_.address});
    }
    for (std::size_t i = 0; i < below.size(); ++i)
        if (const Status one = take(sent_); status.ok()) status = one;
    return status;
}

}  // namespace railyard::elanlib
