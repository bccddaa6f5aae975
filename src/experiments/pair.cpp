#include "experiments/pair.hpp"

#include <cstring>
#include <string>

#include "experiments/exchange.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

/// Everything that one side must know of the other.
struct Card {
    fabric::Address address;
    fabric::RegionBlob target;
};

/// Both sides derive the same number from the same tag (FNV-1a).
fabric::Discriminator discriminator_of(std::string_view tag) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : tag)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace

Pair::Pair(job::Rank& rank, std::string_view tag, const Options& options)
    : rank_(rank),
      nic_(rank.nic()),
      host_(rank.host()),
      peer_(options.peer < 0 ? 1 - rank.id() : options.peer),
      first_(rank.id() < peer_) {
    if (peer_ < 0 || peer_ == rank.id() || peer_ >= rank.size())
        throw Error("a pair is made of ranks 0 and 1, or needs a peer");
    if (traits().clock == fabric::Clock::real) deadline_ = host_.now() + patience;
    local_ = make_region(options, 0, fabric::Access::local);
    target_ = make_region(options, 1, fabric::Access::all);
    make_queues(options);
    post_receives(options.receives);
    connect(tag);
}

std::unique_ptr<fabric::Region> Pair::make_region(const Options& options, unsigned which,
                                                  fabric::Access access) {
    constexpr std::size_t page = 4096;
    // Whole pages: nothing else shares their cache lines, and an empty message has an address too.
    const std::size_t size = (options.buffer.count() / page + 1) * page;
    std::unique_ptr<fabric::Region> region;
    if (options.memory == Memory::user) {
        user_memory_[which].reset(static_cast<std::byte*>(std::aligned_alloc(page, size)));
        if (!user_memory_[which]) throw Error("no memory for a buffer of the experiment");
        region = nic_.register_memory({user_memory_[which].get(), size}, access);
    } else {
        const fabric::Home home = which == 0 ? options.local_home : options.target_home;
        region = nic_.allocate(Bytes(size), access, home);
    }
    // Touched here, so that no page is first touched while the clock runs. In virtual time that
    // takes none, and what a Nic allocates is nought already.
    if (options.memory == Memory::user || traits().clock == fabric::Clock::real)
        std::memset(region->data(), 0, size);
    return region;
}

void Pair::make_queues(const Options& options) {
    unsigned depth = std::max(2U, options.sends);
    if (traits().max_send_depth != 0) depth = std::min(depth, traits().max_send_depth);
    sends_ = nic_.create_completion_queue(depth);
    receives_ = nic_.create_completion_queue(options.receives);
    receive_queue_ = nic_.create_receive_queue(options.receives);
    fabric::QueuePairOptions queues;
    queues.send_completions = sends_.get();
    queues.receive_completions = receives_.get();
    queues.receives = receive_queue_.get();
    queues.send_depth = depth;
    queue_pair_ = nic_.create_queue_pair(queues);

    quiet_interval_ = depth / 2;
    receive_slices_[0] = fabric::Slice(*target_);
    receive_request_.local = receive_slices_;
}

void Pair::connect(std::string_view tag) {
    const Card mine{nic_.address(), target_->export_blob()};
    const Card theirs = exchange(rank_, peer_, tag, mine);
    peer_target_ = nic_.import_region(theirs.target);
    const Status asked = queue_pair_->connect_peer(theirs.address, discriminator_of(tag),
                                                   fabric::PrivateData(), deadline_);
    if (!asked.ok()) throw Error("cannot connect to the peer: " + std::string(asked.name()));
    wait([&] {
        const auto state = queue_pair_->state();
        return state == fabric::ConnectionState::connected ||
               state == fabric::ConnectionState::failed;
    });
    if (queue_pair_->state() == fabric::ConnectionState::failed)
        throw Error("cannot connect to the peer: " + std::string(queue_pair_->reason().name()));
}

void Pair::post_rest(std::span<const fabric::WorkRequest> rest) {
    Status status;
    wait([&] {
        const auto posted = queue_pair_->post(rest);
        rest = rest.subspan(posted.count);
        status = posted.status;
        return rest.empty() || status.failed();
    });
    if (status.failed()) throw Error("a request was refused: " + std::string(status.name()));
}

void Pair::sleep_until_received() {
    const auto ready = [&] { return poll(*receives_, 1) > 0; };
    if (host_.wait_until(ready, deadline_, fabric::Wait::sleep)) return;
    deadline_ = host_.now() + patience;
    if (!host_.wait_until(ready, deadline_, fabric::Wait::sleep)) fail_silent();
}

void Pair::settle() {
    if (signalled_pending_) wait_sent();
    signalled_pending_ = false;
    quiet_posted_ = 0;
}

void Pair::post_receives(unsigned n) {
    for (; n > 0; --n) {
        const Status status = receive_queue_->post(receive_request_);
        if (!status.ok()) throw Error("a receive was refused: " + std::string(status.name()));
    }
}

void Pair::notify() {
    fabric::WorkRequest empty;
    empty.op = fabric::Op::send;
    post(empty);
    wait_sent();
}

void Pair::meet() {
    settle();
    notify();
    wait_received();
    post_receives();
}

void Pair::fail(const fabric::Completion& completion) {
    throw Error(std::string(fabric::name(completion.op)) +
                " failed: " + std::string(completion.status.name()));
}

void Pair::fail_silent() {
    throw Error("the peer has sent nothing for " +
                std::to_string(patience.picoseconds() / 1'000'000'000'000) +
                " s; is its process stopped, or the machine overloaded?");
}

}  // namespace railyard::experiments
