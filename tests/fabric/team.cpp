#include "fabric/team.hpp"

#include <utility>

namespace railyard::contract {

namespace {
/// Tests use small discriminators.
constexpr fabric::Discriminator control = 0x636f6e74726f6c00;
constexpr std::uint32_t depth = 8;
}  // namespace

/// A queue pair for messages of no bytes. It is declared last, hence closed first.
struct Team::Line {
    std::unique_ptr<fabric::CompletionQueue> sent, received;
    std::unique_ptr<fabric::ReceiveQueue> receives;
    std::unique_ptr<fabric::QueuePair> queue_pair;
};

void Team::CloseLine::operator()(Line* line) const {
    delete line;
}

Team::Team(Rank& rank, std::string fabric) : rank_(rank), fabric_(std::move(fabric)) {
    const std::string key = next_key();
    rank_.put(key, nic().address().bytes);
    for (int r = 0; r < size(); ++r) {
        const std::vector<std::byte> value = rank_.get(r, key);
        fabric::Address address;
        check_equal(value.size(), address.bytes.size(), "size of an address from the bootstrap");
        std::memcpy(address.bytes.data(), value.data(), value.size());
        addresses_.push_back(address);
    }
    if (id() != 0) lines_.push_back(open_line(0));
    for (int r = 1; id() == 0 && r < size(); ++r)
        lines_.push_back(open_line(r));
    for (const LinePtr& line : lines_) {
        await([&] { return line->queue_pair->state() != fabric::ConnectionState::connecting; },
              "the control line");
        check_equal(line->queue_pair->state(), fabric::ConnectionState::connected,
                    "state of the control line");
    }
}

Team::LinePtr Team::open_line(int rank) {
    LinePtr line(new Line);
    line->sent = nic().create_completion_queue(2 * depth);
    line->received = nic().create_completion_queue(2 * depth);
    line->receives = nic().create_receive_queue(depth);
    for (std::uint32_t i = 0; i < depth; ++i)
        check_ok(line->receives->post({}), "control receive");
    fabric::QueuePairOptions options;
    options.send_completions = line->sent.get();
    options.receive_completions = line->received.get();
    options.receives = line->receives.get();
    options.send_depth = depth;
    line->queue_pair = nic().create_queue_pair(options);
    check_ok(line->queue_pair->connect_peer(address(rank), control, {}, deadline()),
             "connecting the control line");
    return line;
}

void Team::signal(Line& line, Where where) {
    check_ok(line.queue_pair->post(fabric::WorkRequest{}), "control message", where);
    fabric::Completion done;
    await([&] { return line.sent->poll(done); }, "a control message to leave", where);
    check_equal(done.status, Code::ok, "control message sent", where);
}

void Team::await_signal(Line& line, Where where) {
    fabric::Completion done;
    await([&] { return line.received->poll(done); }, "the others at a barrier", where);
    // So that a rank that only hears of it is not taken for the one at fault.
    if (!done.status.ok()) fail("barrier: another rank ended early; its failure tells why", where);
    check_ok(line.receives->post({}), "control receive", where);
}

void Team::barrier(Where where) {
    if (id() != 0) signal(*lines_.front(), where);
    for (const LinePtr& line : lines_)
        await_signal(*line, where);
    for (const LinePtr& line : lines_)
        if (id() == 0) signal(*line, where);
}

std::unique_ptr<fabric::RemoteRegion> Team::swap(const fabric::Region& mine, Where where) {
    return nic().import_region(gather(mine.export_blob(), where).at(index(peer())));
}

void Team::before_sends_of_two() {
    if (traits().waits_for_receives) return;
    const std::string key = "meeting " + std::to_string(meetings_++);
    rank_.put(key, {});
    (void)rank_.get(peer(), key);
}

void Team::pause(Duration duration) {
    host().wait_until([] { return false; }, host().now() + duration);
}

void Team::finish() {
    if (!finishes_) return;
    barrier();
    rank_.fence();
}

}  // namespace railyard::contract
