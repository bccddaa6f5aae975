#include "mpi/traces/pairing.hpp"

#include <algorithm>
#include <tuple>

namespace railyard::mpi::traces {

namespace {

auto stream_of(const Message& message) {
    return std::tuple(message.source, message.destination, message.context, message.tag);
}

void join(Message& send, const Message& receive) {
    send.bytes_received = receive.bytes_received;
    send.posted = receive.posted;
    send.received = receive.received;
    send.is_received = true;
    send.receive_call = receive.receive_call;
}

}  // namespace

std::vector<Message> paired(std::vector<HalfSend> sends, std::vector<HalfReceive> receives) {
    std::stable_sort(sends.begin(), sends.end(), [](const HalfSend& a, const HalfSend& b) {
        return stream_of(a.message) < stream_of(b.message);
    });
    std::sort(receives.begin(), receives.end(), [](const HalfReceive& a, const HalfReceive& b) {
        return std::tuple(stream_of(a.message), a.number) <
               std::tuple(stream_of(b.message), b.number);
    });
    std::vector<Message> messages;
    messages.reserve(sends.size());
    auto receive = receives.begin();
    for (HalfSend& send : sends) {
        // What was received and never sent: the sender's record is not whole.
        for (; receive != receives.end() && stream_of(receive->message) < stream_of(send.message);
             ++receive)
            messages.push_back(receive->message);
        if (receive != receives.end() && stream_of(receive->message) == stream_of(send.message))
            join(send.message, (receive++)->message);
        messages.push_back(send.message);
    }
    for (; receive != receives.end(); ++receive)
        messages.push_back(receive->message);
    return messages;
}

std::size_t call_at(const RankRecord& rank, Time time) {
    const auto& calls = rank.calls;
    auto after = std::upper_bound(calls.begin(), calls.end(), time,
                                  [](Time t, const Call& call) { return t < call.begin; });
    // Calls of several threads, and those within others, lie between.
    for (int looks = 0; after != calls.begin() && looks < 256; ++looks) {
        --after;
        if (after->is_outermost && after->end >= time)
            return static_cast<std::size_t>(after - calls.begin());
    }
    return no_call;
}

void find_calls(RunRecord& run) {
    for (Message& message : run.messages) {
        const auto at = [&](int rank, Time time) {
            return call_at(run.ranks[static_cast<std::size_t>(rank)], time);
        };
        if (message.leave_call == to_be_found) {
            message.leave_call = at(message.source, message.left);
        } else if (message.leave_call != no_call) {
            const auto& its = run.ranks[static_cast<std::size_t>(message.source)].calls;
            if (message.leave_call < its.size())
                message.left = its[message.leave_call].end;
            else
                message.leave_call = no_call;
        }
        if (message.is_received && message.receive_call == no_call)
            message.receive_call = at(message.destination, message.received);
    }
}

}  // namespace railyard::mpi::traces
