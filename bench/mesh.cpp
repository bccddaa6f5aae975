#include "bench/mesh.hpp"

#include <cstring>
#include <map>
#include <string>

#include "railyard/base/error.hpp"

namespace railyard::bench {

namespace {

constexpr Bytes message(8);
constexpr Duration patience = Duration::s(60);

fabric::Address address_of(job::Rank& rank, int peer, std::string_view tag) {
    const auto bytes = rank.bootstrap().get(peer, tag);
    fabric::Address address;
    if (bytes.size() != address.bytes.size()) throw Error("a peer's address has another size");
    std::memcpy(address.bytes.data(), bytes.data(), bytes.size());
    return address;
}

void expect_ok(Status status, std::string_view what) {
    if (!status.ok()) throw Error(std::string(what) + ": " + std::string(status.name()));
}

}  // namespace

Mesh::Mesh(job::Rank& rank, std::string_view tag, const std::vector<int>& peers)
    : rank_(rank), host_(rank.host()), links_(peers.size()) {
    fabric::Nic& nic = rank.nic();
    region_ = nic.allocate(message * (peers.size() + 1), fabric::Access::local);
    completions_ = nic.create_completion_queue(static_cast<std::uint32_t>(3 * peers.size()));
    for (Link& link : links_) {
        link.receives = nic.create_receive_queue(1);
        link.queue_pair = nic.create_queue_pair({.send_completions = completions_.get(),
                                                 .receive_completions = completions_.get(),
                                                 .receives = link.receives.get(),
                                                 .send_depth = 2});
    }
    connect(peers, tag);
}

void Mesh::connect(const std::vector<int>& peers, std::string_view tag) {
    rank_.bootstrap().put(tag, rank_.nic().address().bytes);
    const Time deadline = host_.now() + patience;
    std::map<int, fabric::Discriminator> seen;
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const Status asked = links_[i].queue_pair->connect_peer(
            address_of(rank_, peers[i], tag), seen[peers[i]]++, fabric::PrivateData(), deadline);
        expect_ok(asked, "cannot connect");
    }
    for (Link& link : links_) {
        fabric::QueuePair& queue_pair = *link.queue_pair;
        host_.wait_until([&] { return queue_pair.state() != fabric::ConnectionState::connecting; });
        if (queue_pair.state() != fabric::ConnectionState::connected)
            expect_ok(queue_pair.reason(), "cannot connect");
    }
}

void Mesh::exchange() {
    const fabric::Slice source(*region_, Bytes(0), message);
    fabric::WorkRequest request;
    request.op = fabric::Op::send;
    request.local = {&source, 1};
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const fabric::Slice target(*region_, message * (i + 1), message);
        expect_ok(links_[i].receives->post({.id = i, .local = {&target, 1}}), "receive");
    }
    for (Link& link : links_) {
        Status status;
        host_.wait_until([&] { return !(status = link.queue_pair->post(request)).again(); });
        expect_ok(status, "send");
    }
    // One completion of the send and one of the receive.
    for (std::size_t left = 2 * links_.size(); left > 0; --left) {
        fabric::Completion completion;
        const bool came = host_.wait_until([&] { return completions_->poll(completion); },
                                           host_.now() + patience);
        expect_ok(came ? completion.status : Status(Code::timed_out), "exchange");
    }
}

}  // namespace railyard::bench
