#include "fabric/tagged.hpp"

namespace railyard::contract {

Tagged::Tagged(Team& team) : team_(team), port_(team.nic().tagged_port()) {
    for (int rank = 0; rank < team.size(); ++rank)
        peers_.push_back(port_->peer(team.address(rank)));
}

Tagged::Tagged(Team& team, fabric::Nic& nic, const std::vector<fabric::Address>& addresses)
    : team_(team), port_(nic.tagged_port()) {
    for (const fabric::Address& address : addresses)
        peers_.push_back(port_->peer(address));
}

void Tagged::send(std::uint64_t id, int to, fabric::MatchBits bits, std::span<const std::byte> data,
                  bool synchronous, Where where) {
    check_ok(port_->send({id, peer(to), bits, data, synchronous}), "tagged send", where);
}

void Tagged::receive(std::uint64_t id, int from, fabric::MatchBits bits,
                     std::span<std::byte> buffer, fabric::MatchBits mask, Where where) {
    check_ok(port_->receive({id, peer(from), bits, mask, buffer}), "tagged receive", where);
}

/// Takes out what there is; true if there was something.
bool Tagged::gather() {
    fabric::TaggedCompletion found[8];
    const std::size_t n = port_->poll(found);
    for (std::size_t i = 0; i < n; ++i)
        (found[i].receive ? received_ : sent_).push_back(found[i]);
    return n > 0;
}

fabric::TaggedCompletion Tagged::next(std::deque<fabric::TaggedCompletion>& queue,
                                      std::string_view what, Where where) {
    team_.await(
        [&] {
            gather();
            return !queue.empty();
        },
        what, where);
    const fabric::TaggedCompletion first = queue.front();
    queue.pop_front();
    return first;
}

void Tagged::expect_sent(std::uint64_t id, Status status, Where where) {
    const fabric::TaggedCompletion found = next_sent(where);
    check_equal(found.id, id, "id of a tagged send", where);
    check_equal(found.status, status, "status of a tagged send", where);
    check(!found.cancelled, "a send is not cancelled", where);
}

void Tagged::expect_received(std::uint64_t id, int from, fabric::MatchBits bits, std::size_t length,
                             Status status, Where where) {
    const fabric::TaggedCompletion found = next_received(where);
    check_equal(found.id, id, "id of a tagged receive", where);
    check_equal(found.status, status, "status of a tagged receive", where);
    check_equal(found.peer, peer(from), "sender of a tagged message", where);
    check_equal(found.bits, bits, "match bits of a tagged message", where);
    check_equal(found.length, Bytes(length), "length of a tagged message", where);
    check(!found.cancelled, "a receive that got its message is not cancelled", where);
}

void Tagged::expect_nothing(Duration duration, Where where) {
    const bool came =
        team_.host().wait_until([&] { return gather(); }, team_.host().now() + duration);
    check(!came && sent_.empty() && received_.empty(), "nothing completes", where);
}

fabric::TaggedCompletion Tagged::await_probe(int from, fabric::MatchBits bits,
                                             fabric::MatchBits mask, Where where) {
    std::optional<fabric::TaggedCompletion> found;
    team_.await(
        [&] {
            found = port_->probe(peer(from), bits, mask);
            return found.has_value();
        },
        "a tagged message to probe", where);
    return *found;
}

Tagged::Data tagged_data(std::size_t size, int rank, std::uint64_t round) {
    Tagged::Data data(size);
    fill_pattern(data, seed_of(rank, round));
    return data;
}

}  // namespace railyard::contract
