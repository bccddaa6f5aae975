// Plays its part of a plan (traffic/plan.hpp) on one rank.

#include <cstring>
#include <string>
#include <vector>

#include "traffic/completion.hpp"
#include "traffic/lane.hpp"
#include "traffic/plan.hpp"
#include "traffic/receives.hpp"

namespace railyard::soak {

namespace {

/// A send buffer that was written for one message.
struct Copy {
    const Flow* flow;
    int index;
    std::byte* memory;
};

class Player {
  public:
    Player(Lane& lane, const Team& team, const Exchange& plan, std::uint64_t seed)
        : lane_(lane), team_(team), plan_(plan), draw_(mix(seed, 77)) {}

    void play() {
        lane_.arena.take_back();
        in_world_.resize(plan_.flows.size());
        for (const Inlet& inlet : plan_.inlets)
            for (const std::size_t flow : inlet.flows)
                in_world_[flow] = inlet.in_world;
        Receives receives(lane_, team_, plan_, draw_, started_);
        receives.start_early();
        if (plan_.is_ready) {
            lane_.where.at("barrier of a ready round");
            MPI_Barrier(team_.comm);
        }
        for (const Flow& flow : plan_.flows)
            if (flow.source == team_.rank) send(flow);
        receives.make_late();
        lane_.where.at("completion", -1, -1, static_cast<int>(started_.requests.size()));
        complete_all(started_.requests, started_.statuses, draw_, lane_.where);
        receives.look_at_started();
        for (const Copy& copy : copies_)
            look_at(copy);
        for (MPI_Datatype& type : started_.types)
            MPI_Type_free(&type);
        if (plan_.is_buffered) {
            lane_.where.at("barrier of a buffered round");
            MPI_Barrier(team_.comm);
        }
    }

  private:
    struct Outgoing {
        const void* memory;
        int count;
        MPI_Datatype type;
    };

    void send(const Flow& flow) {
        lane_.where.at(blocks(flow.way) ? "sends" : "starting sends", flow.destination, flow.tag,
                       flow.count);
        const MPI_Datatype type = started_.type_for(flow.layout.get(), flow.base);
        const MPI_Comm comm = in_world_[static_cast<std::size_t>(&flow - plan_.flows.data())]
                                  ? MPI_COMM_WORLD
                                  : team_.comm;
        if (flow.way == SendWay::one_persistent) {
            send_by_one_request(flow, type, comm);
            return;
        }
        for (int i = 0; i < flow.count; ++i) {
            send_one(flow, outgoing(flow, i, type), comm);
            if (!blocks(flow.way) || !flow.from_copies) continue;
            // The buffer is ours again, whatever has become of the message.
            look_at(copies_.back());
            std::memset(copies_.back().memory, 0x5A, copy_span(flow, flow.message(i)));
            copies_.pop_back();
        }
    }

    Outgoing outgoing(const Flow& flow, int index, MPI_Datatype type) {
        const Message message = flow.message(index);
        const std::size_t unit = flow.layout != nullptr ? flow.layout->size() : flow.base.size;
        const int count = static_cast<int>(message.bytes / unit);
        if (!flow.from_copies) return {pattern() + message.offset, count, type};
        std::byte* const memory = lane_.arena.take(copy_span(flow, message));
        fill(flow, message, memory);
        copies_.push_back({&flow, index, memory});
        return {memory, count, type};
    }

    static std::size_t copy_span(const Flow& flow, const Message& message) {
        return flow.layout != nullptr ? flow.layout->span(message.bytes / flow.layout->size())
                                      : message.bytes;
    }

    void fill(const Flow& flow, const Message& message, std::byte* memory) {
        const std::byte* const content = pattern() + message.offset;
        if (flow.layout == nullptr) {
            std::memcpy(memory, content, message.bytes);
        } else {
            flow.layout->walk(message.bytes,
                              [&](std::size_t at, std::size_t from, std::size_t length) {
                                  std::memcpy(memory + at, content + from, length);
                              });
        }
        if (lane_.where.round.load(std::memory_order_relaxed) == lane_.options->wrong_at_round &&
            flow.layout == nullptr && message.bytes > 0)
            memory[message.bytes / 2] ^= std::byte{1};
    }

    void send_one(const Flow& flow, const Outgoing& out, MPI_Comm comm) {
        const int to = flow.destination;
        const int tag = flow.tag;
        const auto start = [&](auto function) {
            MPI_Request request = MPI_REQUEST_NULL;
            function(out.memory, out.count, out.type, to, tag, comm, &request);
            started_.requests.push_back(request);
        };
        const auto start_persistent = [&](auto function) {
            start(function);
            MPI_Start(&started_.requests.back());
        };
        switch (flow.way) {
            case SendWay::isend:
                return start(MPI_Isend);
            case SendWay::issend:
                return start(MPI_Issend);
            case SendWay::ibsend:
                return start(MPI_Ibsend);
            case SendWay::irsend:
                return start(MPI_Irsend);
            case SendWay::persistent:
                return start_persistent(MPI_Send_init);
            case SendWay::persistent_synchronous:
                return start_persistent(MPI_Ssend_init);
            case SendWay::persistent_buffered:
                return start_persistent(MPI_Bsend_init);
            case SendWay::persistent_ready:
                return start_persistent(MPI_Rsend_init);
            case SendWay::ssend:
                MPI_Ssend(out.memory, out.count, out.type, to, tag, comm);
                break;
            case SendWay::bsend:
                MPI_Bsend(out.memory, out.count, out.type, to, tag, comm);
                break;
            case SendWay::rsend:
                MPI_Rsend(out.memory, out.count, out.type, to, tag, comm);
                break;
            default:
                MPI_Send(out.memory, out.count, out.type, to, tag, comm);
                break;
        }
        lane_.where.one_more();
    }

    void send_by_one_request(const Flow& flow, MPI_Datatype type, MPI_Comm comm) {
        const Outgoing out = outgoing(flow, 0, type);
        std::byte* const memory = copies_.back().memory;
        copies_.pop_back();
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Send_init(out.memory, out.count, out.type, flow.destination, flow.tag, comm, &request);
        for (int i = 0; i < flow.count; ++i) {
            fill(flow, flow.message(i), memory);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            lane_.where.one_more();
        }
        MPI_Request_free(&request);
    }

    /// Sends leave their buffers alone.
    void look_at(const Copy& copy) const {
        const bool is_wrong_on_purpose =
            lane_.where.round.load(std::memory_order_relaxed) == lane_.options->wrong_at_round;
        if (copy.flow->layout != nullptr || is_wrong_on_purpose) return;
        const Message message = copy.flow->message(copy.index);
        if (std::memcmp(copy.memory, pattern() + message.offset, message.bytes) != 0)
            lane_.fail("a send buffer of " + std::to_string(message.bytes) + " bytes was written");
    }

    Lane& lane_;
    const Team& team_;
    const Exchange& plan_;
    Draw draw_;
    Started started_;
    std::vector<bool> in_world_;  ///< of each flow
    std::vector<Copy> copies_;
};

}  // namespace

std::uint64_t play_exchange(Lane& lane, const Team& team, std::uint64_t seed, RoundTags tags) {
    const PlanOptions options{.ranks = team.size,
                              .large = lane.options->large,
                              .burst = lane.options->burst,
                              .own_tags = tags.own,
                              .first_tag = tags.first,
                              .first_world_tag = tags.first_in_world};
    const Exchange plan = plan_exchange(seed, options);
    Player(lane, team, plan, mix(seed, static_cast<std::uint64_t>(team.rank))).play();
    return plan.messages;
}

}  // namespace railyard::soak
