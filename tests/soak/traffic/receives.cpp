#include "traffic/receives.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace railyard::soak {

namespace {

/// Of longer buffers only the ends are marked.
constexpr std::size_t short_span = 8192;

struct Buffer {
    std::byte* memory;
    std::size_t span;
};

std::string told(int source, int tag) {
    return "from " + std::to_string(source) + " under tag " + std::to_string(tag);
}

const char* name(ReceiveWay way) {
    switch (way) {
        case ReceiveWay::probe:
            return "probe and receive";
        case ReceiveWay::iprobe:
            return "iprobe and receive";
        case ReceiveWay::mprobe:
            return "mprobe and mrecv";
        case ReceiveWay::improbe:
            return "improbe and imrecv";
        case ReceiveWay::cancelled:
            return "cancelled receives";
        default:
            return "receive";
    }
}

template <class Complain>
void check_guards(const std::byte* from, std::size_t length, const Complain& complain) {
    if (length == 0) return;
    if (from[0] != guard_byte || std::memcmp(from, from + 1, length - 1) != 0)
        complain("bytes beside it were written");
}

template <class Complain>
void check_count(const Inlet& inlet, MPI_Datatype type, const MPI_Status& status,
                 const Message& message, const Complain& complain) {
    const std::size_t unit = inlet.layout != nullptr ? inlet.layout->size() : inlet.base.size;
    int count = 0;
    MPI_Get_count(&status, type, &count);
    const int expected =
        message.bytes % unit == 0 ? static_cast<int>(message.bytes / unit) : MPI_UNDEFINED;
    if (count != expected)
        complain("the count is " + std::to_string(count) + " instead of " +
                 std::to_string(expected));
    if (inlet.layout == nullptr) return;
    MPI_Get_elements(&status, type, &count);
    if (count != static_cast<int>(message.bytes / inlet.base.size))
        complain("the number of elements is " + std::to_string(count));
}

template <class Complain>
void check_plain(const Buffer& slot, const Message& message, const Complain& complain) {
    if (std::memcmp(slot.memory, pattern() + message.offset, message.bytes) != 0) {
        std::size_t at = 0;
        while (slot.memory[at] == pattern()[message.offset + at])
            ++at;
        complain("wrong from byte " + std::to_string(at) + " on");
    }
    // Long buffers are marked at their ends only.
    const std::size_t rest =
        slot.span > short_span ? std::min(slot.span, guard_bytes) : slot.span - message.bytes;
    const bool is_marked = message.bytes + rest <= slot.span;
    check_guards(slot.memory - guard_bytes, guard_bytes, complain);
    check_guards(slot.memory + slot.span - (is_marked ? rest : 0),
                 guard_bytes + (is_marked ? rest : 0), complain);
}

/// What was received is wiped out again: then nothing but guards may be left.
template <class Complain>
void check_spread(const Layout& layout, const Buffer& slot, const Message& message,
                  const Complain& complain) {
    layout.walk(message.bytes, [&](std::size_t at, std::size_t from, std::size_t length) {
        if (std::memcmp(slot.memory + at, pattern() + message.offset + from, length) != 0)
            complain("wrong in the block at " + std::to_string(at));
        std::memset(slot.memory + at, static_cast<int>(guard_byte), length);
    });
    check_guards(slot.memory - guard_bytes, slot.span + 2 * guard_bytes, complain);
}

}  // namespace

Receives::Receives(Lane& lane, const Team& team, const Exchange& plan, Draw& draw, Started& started)
    : lane_(lane), plan_(plan), draw_(draw), started_(started) {
    for (const Inlet& inlet : plan_.inlets) {
        if (inlet.rank != team.rank) continue;
        Taking taking{&inlet,
                      inlet.in_world ? MPI_COMM_WORLD : team.comm,
                      started_.type_for(inlet.layout.get(), inlet.base),
                      0,
                      {}};
        for (const std::size_t flow : inlet.flows)
            taking.all += plan_.flows[flow].count;
        taking.taken.resize(inlet.flows.size());
        takings_.push_back(std::move(taking));
    }
}

/// For the next receive of an inlet, which is its number `index`.
Receives::Slot Receives::slot_for(const Taking& taking, int index) {
    const Inlet& inlet = *taking.inlet;
    std::size_t bytes = 0;
    const bool is_known = inlet.flows.size() == 1;
    for (const std::size_t flow : inlet.flows)
        bytes = std::max(bytes, is_known ? plan_.flows[flow].message(index).bytes
                                         : plan_.flows[flow].most_bytes());
    if (is_known && inlet.roomy) bytes += 64;
    return slot_of(inlet, bytes);
}

Receives::Slot Receives::slot_of(const Inlet& inlet, std::size_t bytes) {
    const std::size_t unit = inlet.layout != nullptr ? inlet.layout->size() : inlet.base.size;
    const std::size_t count = (bytes + unit - 1) / unit;
    Slot slot{};
    slot.capacity = count * unit;
    slot.span = inlet.layout != nullptr ? inlet.layout->span(count) : slot.capacity;
    slot.count = static_cast<int>(count);
    slot.is_spread = inlet.layout != nullptr;
    // Bytes may begin anywhere.
    const std::size_t shift = inlet.base.size == 1 ? static_cast<std::size_t>(draw_.below(16)) : 0;
    slot.memory = lane_.arena.take(slot.span + 2 * guard_bytes + shift) + guard_bytes + shift;
    renew(slot);
    return slot;
}

/// So that what is not written shows. Of long buffers the ends will do.
void Receives::renew(const Slot& slot) {
    if (slot.span <= short_span || slot.is_spread) {
        std::memset(slot.memory - guard_bytes, static_cast<int>(guard_byte),
                    slot.span + 2 * guard_bytes);
        return;
    }
    std::memset(slot.memory - guard_bytes, static_cast<int>(guard_byte), 4 * guard_bytes);
    std::memset(slot.memory + slot.span - guard_bytes, static_cast<int>(guard_byte),
                2 * guard_bytes);
}

void Receives::start_early() {
    for (Taking& taking : takings_)
        if (!is_late(taking.inlet->way)) start(taking, taking.inlet->way == ReceiveWay::persistent);
}

void Receives::start(const Taking& taking, bool persistent) {
    const Inlet& inlet = *taking.inlet;
    lane_.where.at("starting receives", inlet.source, inlet.tag, taking.all);
    for (int i = 0; i < taking.all; ++i) {
        const Slot slot = slot_for(taking, i);
        MPI_Request request = MPI_REQUEST_NULL;
        if (persistent) {
            MPI_Recv_init(slot.memory, slot.count, taking.type, inlet.source, inlet.tag,
                          taking.comm, &request);
            MPI_Start(&request);
        } else {
            MPI_Irecv(slot.memory, slot.count, taking.type, inlet.source, inlet.tag, taking.comm,
                      &request);
        }
        started_.requests.push_back(request);
        received_.push_back({static_cast<std::size_t>(&taking - takings_.data()), slot,
                             started_.requests.size() - 1});
    }
}

void Receives::make_late() {
    std::vector<Taking*> order;
    for (Taking& taking : takings_)
        if (is_late(taking.inlet->way)) order.push_back(&taking);
    draw_.shuffle(order);
    for (Taking* taking : order) {
        if (taking->inlet->way == ReceiveWay::late_irecv)
            start(*taking, false);
        else if (taking->inlet->way == ReceiveWay::one_persistent)
            receive_by_one_request(*taking);
        else
            receive_one_by_one(*taking);
    }
}

void Receives::receive_by_one_request(Taking& taking) {
    const Inlet& inlet = *taking.inlet;
    lane_.where.at("receives by one request", inlet.source, inlet.tag, taking.all);
    std::size_t most = 0;
    for (const std::size_t flow : inlet.flows)
        most = std::max(most, plan_.flows[flow].most_bytes());
    const Slot slot = slot_of(inlet, most);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Recv_init(slot.memory, slot.count, taking.type, inlet.source, inlet.tag, taking.comm,
                  &request);
    for (int i = 0; i < taking.all; ++i) {
        MPI_Status status;
        renew(slot);
        MPI_Start(&request);
        MPI_Wait(&request, &status);
        look_at(taking, slot, status);
    }
    MPI_Request_free(&request);
}

void Receives::receive_one_by_one(Taking& taking) {
    const Inlet& inlet = *taking.inlet;
    lane_.where.at(name(inlet.way), inlet.source, inlet.tag, taking.all);
    Slot slot{};
    for (int i = 0; i < taking.all; ++i) {
        MPI_Status status;
        MPI_Message message = MPI_MESSAGE_NULL;
        int found = 0;
        switch (inlet.way) {
            case ReceiveWay::probe:
                MPI_Probe(inlet.source, inlet.tag, taking.comm, &status);
                slot = probed(taking, status);
                break;
            case ReceiveWay::iprobe:
                while (found == 0)
                    MPI_Iprobe(inlet.source, inlet.tag, taking.comm, &found, &status);
                slot = probed(taking, status);
                break;
            case ReceiveWay::mprobe:
                MPI_Mprobe(inlet.source, inlet.tag, taking.comm, &message, &status);
                slot = matched(taking, message, status);
                break;
            case ReceiveWay::improbe:
                while (found == 0)
                    MPI_Improbe(inlet.source, inlet.tag, taking.comm, &found, &message, &status);
                slot = matched(taking, message, status);
                break;
            default:
                // Where it may be any flow's, each could be as long as the longest of all: one slot
                // serves them in turn, or they would take more than a machine has.
                if (i == 0 || inlet.flows.size() == 1)
                    slot = slot_for(taking, i);
                else
                    renew(slot);
                if (inlet.way != ReceiveWay::cancelled || !received_anyway(taking, slot, status))
                    MPI_Recv(slot.memory, slot.count, taking.type, inlet.source, inlet.tag,
                             taking.comm, &status);
                break;
        }
        look_at(taking, slot, status);
    }
}

Receives::Slot Receives::slot_for_probed(const Taking& taking, const MPI_Status& status) {
    int elements = 0;
    MPI_Get_elements(&status, taking.inlet->base.type, &elements);
    if (elements < 0) lane_.fail("a probed message has no count");
    return slot_of(*taking.inlet, static_cast<std::size_t>(elements) * taking.inlet->base.size);
}
Receives::Slot Receives::probed(const Taking& taking, MPI_Status& status) {
    const Slot slot = slot_for_probed(taking, status);
    MPI_Recv(slot.memory, slot.count, taking.type, status.MPI_SOURCE, status.MPI_TAG, taking.comm,
             &status);
    return slot;
}
Receives::Slot Receives::matched(const Taking& taking, MPI_Message& message, MPI_Status& status) {
    const Slot slot = slot_for_probed(taking, status);
    if (draw_.one_in(2)) {
        MPI_Mrecv(slot.memory, slot.count, taking.type, &message, &status);
    } else {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Imrecv(slot.memory, slot.count, taking.type, &message, &request);
        MPI_Wait(&request, &status);
    }
    return slot;
}
/// False if it was cancelled in time.
bool Receives::received_anyway(const Taking& taking, const Slot& slot, MPI_Status& status) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(slot.memory, slot.count, taking.type, taking.inlet->source, taking.inlet->tag,
              taking.comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    int was_cancelled = 0;
    MPI_Test_cancelled(&status, &was_cancelled);
    return was_cancelled == 0;
}

void Receives::look_at_started() {
    lane_.where.at("a look at what came");
    for (const Received& one : received_)
        look_at(takings_[one.taking], one.slot, started_.statuses[one.request]);
}

/// Messages of one source come in the order of sending, so which one this is is known.
void Receives::look_at(Taking& taking, const Slot& slot, const MPI_Status& status) {
    const Inlet& inlet = *taking.inlet;
    const Flow* flow = nullptr;
    std::size_t i = 0;
    for (; i < inlet.flows.size(); ++i) {
        const Flow& candidate = plan_.flows[inlet.flows[i]];
        if (candidate.source != status.MPI_SOURCE || taking.taken[i] == candidate.count) continue;
        flow = &candidate;
        break;
    }
    if (flow == nullptr)
        lane_.fail("a message too many came " + told(status.MPI_SOURCE, status.MPI_TAG));
    if (status.MPI_TAG != flow->tag)
        lane_.fail("out of order: a message came " + told(status.MPI_SOURCE, status.MPI_TAG) +
                   ", expected was tag " + std::to_string(flow->tag));
    const int index = taking.taken[i]++;
    const Message message = flow->message(index);
    const auto complain = [&](const std::string& what) {
        lane_.fail(what + ": message " + std::to_string(index) + " of " +
                   std::to_string(message.bytes) + " bytes " + told(flow->source, flow->tag));
    };
    check_count(inlet, taking.type, status, message, complain);
    const Buffer buffer{slot.memory, slot.span};
    if (inlet.layout == nullptr)
        check_plain(buffer, message, complain);
    else
        check_spread(*inlet.layout, buffer, message, complain);
    ++lane_.messages;
    lane_.bytes += message.bytes;
    lane_.where.one_more();
}

}  // namespace railyard::soak
