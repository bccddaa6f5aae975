/// Any bytes to a whole stream, without CRC: what it answers is understood by another stream, what
/// it says last is said once, and no byte changes but those that a peer may reach.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/real/iwarp/stream.hpp"

namespace {

using namespace railyard;
using namespace railyard::iwarp;

constexpr std::size_t room = 64;
constexpr std::byte untouched{0x55};

struct Quiet : Upcalls {
    const ReceiveBuffer* claim_receive() override { return receives-- > 0 ? &buffer : nullptr; }
    void received(const Arrival&) override {}
    void receive_failed(Status) override {}
    void written() override {}
    void requested() override {}
    void answered(const Outstanding&, std::uint64_t) override {}
    void failed(const Terminate& found) override {
        if (++ends > 1) std::abort();
        stream->terminate(found);
    }
    void terminated_by_peer(const Terminate&) override {
        if (++ends > 1) std::abort();
    }
    void lost() override {
        if (++ends > 1) std::abort();
    }

    std::array<std::byte, room> memory{};
    Place place{memory.data(), room, Lease()};
    ReceiveBuffer buffer{{&place, 1}, room};
    int receives = 3;
    int ends = 0;
    Stream* stream = nullptr;
};

/// Whoever gets the answers: it must find them well-formed.
struct Checker final : mpa::Consumer {
    mpa::Verdict begin(std::span<const std::byte> head, std::size_t length,
                       Cursor& payload) override {
        if (head.size() < ddp::tagged_size || last_words) std::abort();
        const rdmap::Opcode opcode = rdmap::to_control(ddp::read(head.data()).ulp_control).opcode;
        last_words = opcode == rdmap::Opcode::terminate;
        if (!last_words && opcode != rdmap::Opcode::read_response &&
            opcode != rdmap::Opcode::atomic_response)
            std::abort();
        if (length > mpa::most_ulpdu) std::abort();
        place = {sink.data(), length - head.size(), Lease()};
        payload = Cursor({&place, 1});
        return mpa::Verdict::go;
    }
    mpa::Verdict end() override { return mpa::Verdict::go; }
    void place_lost() override { std::abort(); }
    void broken(mpa::Fault) override { std::abort(); }

    std::array<std::byte, 65536> sink;
    Place place;
    bool last_words = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::span<const std::byte> input = std::as_bytes(std::span(data, size));
    std::uint32_t next_tag = 1;
    TagTable tags([&] { return next_tag++; });
    alignas(8) std::array<std::byte, 3 * room> memory;
    memory.fill(untouched);
    const std::uint32_t stag =
        tags.add({.memory = std::span(memory).subspan(room, room), .access = fabric::Access::all});
    StagingPool pool;
    Quiet upcalls;
    Stream::Settings settings;
    settings.in.crc = settings.out.crc = false;
    settings.receiver.ird = 2;
    settings.receiver.wait_for_receives = size % 2 == 0;
    Stream stream(settings, tags, pool, upcalls);
    upcalls.stream = &stream;
    static const auto storage = std::make_unique<Outbox::Storage>();
    stream.outbox().lend(*storage);
    static const auto checker_memory = std::make_unique<Checker>();
    Checker& checker = *checker_memory;
    checker.last_words = false;
    mpa::Deframer deframer(settings.out, pool, checker);

    const std::size_t piece = 1 + size % 61;
    while (!input.empty() && !stream.waits_for_receive()) {
        const std::size_t used = stream.feed(input.first(std::min(piece, input.size())));
        input = input.subspan(used);
        if (size % 3 == 0 && input.size() < size / 2) tags.remove(stag);
        stream.pump();
        std::size_t said = 0;
        for (const iovec& v : stream.outbox().unsent()) {
            deframer.feed({static_cast<const std::byte*>(v.iov_base), v.iov_len});
            said += v.iov_len;
        }
        if (said > 0) stream.outbox().sent(said);
        if (!deframer.at_boundary()) std::abort();
    }
    const auto clean = [](std::byte b) { return b == untouched; };
    if (!std::all_of(memory.begin(), memory.begin() + room, clean) ||
        !std::all_of(memory.begin() + 2 * room, memory.end(), clean))
        std::abort();
    return 0;
}
