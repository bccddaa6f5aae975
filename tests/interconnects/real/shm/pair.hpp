#pragma once
/// Two ranks, each with one queue pair to the other and one region of allocated memory: the least
/// that the tests of this folder need.

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "launch/job/job.hpp"
#include "launch/job/rank.hpp"
#include "railyard/nic.hpp"

namespace railyard::shm::test {

inline job::Options ranks_on_shm(int ranks) {
    job::Options options;
    options.ranks = ranks;
    options.fabric = "shm";
    return options;
}

inline void require(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error(what);
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}
template <class T>
T get(job::Rank& rank, int from, const std::string& key) {
    const auto bytes = rank.bootstrap().get(from, key);
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

struct Pair {
    Pair(job::Rank& owner, int peer_rank, Bytes size, const std::string& name = "pair")
        : rank(owner), nic(owner.nic()) {
        memory = nic.allocate(size, fabric::Access::all);
        sends = nic.create_completion_queue(256);
        receives = nic.create_completion_queue(256);
        queue = nic.create_receive_queue(64);
        fabric::QueuePairOptions options;
        options.send_completions = sends.get();
        options.receive_completions = receives.get();
        options.receives = queue.get();
        qp = nic.create_queue_pair(options);
        auto& board = rank.bootstrap();
        const std::string key = name + std::to_string(peer_rank);
        board.put(key + "-address", bytes_of(nic.address()));
        board.put(key + "-memory", bytes_of(memory->export_blob()));
        const std::string theirs = name + std::to_string(rank.id());
        const auto address = get<fabric::Address>(rank, peer_rank, theirs + "-address");
        remote = nic.import_region(get<fabric::RegionBlob>(rank, peer_rank, theirs + "-memory"));
        const Time deadline = rank.host().now() + Duration::s(10);
        require(qp->connect_peer(address, 1, fabric::PrivateData(), deadline).ok(), "connect");
        rank.host().wait_until([&] { return qp->state() != fabric::ConnectionState::connecting; },
                               deadline);
        require(qp->state() == fabric::ConnectionState::connected, "not connected");
    }

    void post_receive(Bytes at, Bytes length) {
        const fabric::Slice slice(*memory, at, length);
        require(queue->post({.id = 0, .local = std::span(&slice, 1)}).ok(), "receive refused");
    }
    void await_receive() {
        fabric::Completion completion;
        require(rank.host().wait_until([&] { return receives->poll(completion); },
                                       rank.host().now() + Duration::s(10)),
                "no message came");
        require(completion.status.ok(), std::string(completion.status.name()));
    }

    job::Rank& rank;
    fabric::Nic& nic;
    std::unique_ptr<fabric::Region> memory;
    std::unique_ptr<fabric::CompletionQueue> sends;
    std::unique_ptr<fabric::CompletionQueue> receives;
    std::unique_ptr<fabric::ReceiveQueue> queue;
    std::unique_ptr<fabric::QueuePair> qp;
    std::unique_ptr<fabric::RemoteRegion> remote;
};

}  // namespace railyard::shm::test
