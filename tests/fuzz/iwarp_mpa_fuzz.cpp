/// Any bytes to MPA's receiving side: however they are cut, and whether they are fed or read
/// straight to their place, the same ULPDUs come out and the same faults.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "interconnects/real/iwarp/big_endian.hpp"
#include "interconnects/real/iwarp/crc32c.hpp"
#include "interconnects/real/iwarp/framing.hpp"

namespace {

using namespace railyard::iwarp;
using Bytes = std::span<const std::byte>;

/// All ULPDUs one behind the other, each with its length. Memory is kept between runs, since there
/// are millions of them.
struct Collector final : mpa::Consumer {
    /// For a stream of so many bytes: every frame of it, as long as the stream could make it.
    void start(std::size_t size) {
        constexpr std::size_t least_frame = 6;
        constexpr std::size_t most_beside = 32;
        most_to_come = size;
        room.resize(std::max(room.size(), (size / least_frame + 2) * (size + most_beside)));
        used = complete = 0;
        faults.clear();
    }
    mpa::Verdict begin(Bytes head, std::size_t length, Cursor& payload) override {
        // A length may announce far more than there is: that part needs room, but no memory.
        static std::array<std::byte, 65536> beyond;
        const std::size_t size = length - head.size();
        const std::size_t kept = std::min(size, most_to_come);
        if (used + 2 + head.size() + kept > room.size()) std::abort();
        store16(room.data() + used, static_cast<std::uint16_t>(head.size() + kept));
        used += 2;
        std::copy(head.begin(), head.end(), room.data() + used);
        used += head.size();
        std::fill_n(room.data() + used, kept, std::byte{0xee});
        places[0] = {room.data() + used, kept, Lease()};
        places[1] = {beyond.data(), size - kept, Lease()};
        used += kept;
        payload = Cursor(places);
        return mpa::Verdict::go;
    }
    mpa::Verdict end() override {
        ++complete;
        return mpa::Verdict::go;
    }
    void place_lost() override { std::abort(); }
    void broken(mpa::Fault fault) override { faults.push_back(fault); }

    bool operator==(const Collector& other) const {
        return complete == other.complete && faults == other.faults && used == other.used &&
               std::memcmp(room.data(), other.room.data(), used) == 0;
    }

    std::size_t most_to_come = 0;
    std::array<Place, 2> places;
    std::vector<std::byte> room;
    std::size_t used = 0;
    std::size_t complete = 0;
    std::vector<mpa::Fault> faults;
};

void feed(Bytes stream, mpa::Framing framing, std::size_t piece, bool directly, Collector& out) {
    static StagingPool pool;  // kept: its buffers are large
    mpa::Deframer deframer(framing, pool, out);
    while (!stream.empty()) {
        Bytes part = stream.first(std::min(piece, stream.size()));
        stream = stream.subspan(part.size());
        std::array<iovec, 2> vectors;
        const std::size_t count = directly ? deframer.direct(vectors) : 0;
        for (std::size_t i = 0; i < count && !part.empty(); ++i) {
            const std::size_t n = std::min(vectors[i].iov_len, part.size());
            std::memcpy(vectors[i].iov_base, part.data(), n);
            deframer.direct_filled(n);
            part = part.subspan(n);
            if (n < vectors[i].iov_len) break;
        }
        if (deframer.feed(part) != part.size()) std::abort();
    }
}

/// Makes the CRCs of frames without Markers good, so that more than the first is looked at.
void repair(std::span<std::byte> stream) {
    while (stream.size() >= 2) {
        const std::size_t size = mpa::frame_size(load16(stream.data()));
        if (size > stream.size()) return;
        store_crc(stream.data() + size - 4, crc32c(stream.first(size - 4)));
        stream = stream.subspan(size);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t most =
        4096;  // what is asked of a longer one, shorter ones are asked, too
    if (size == 0 || size > most) return 0;
    const mpa::Framing framing{(data[0] & 1) != 0, (data[0] & 2) != 0};
    static std::vector<std::byte> stream;
    const Bytes input = std::as_bytes(std::span(data, size)).subspan(1);
    stream.assign(input.begin(), input.end());
    if ((data[0] & 4) != 0 && !framing.markers) repair(stream);
    static Collector whole, pieces;
    whole.start(size);
    feed(stream, framing, size, false, whole);
    bool directly = (data[0] & 8) != 0;
    for (const std::size_t piece : {std::size_t{1}, 2 + size % 7}) {
        directly = !directly;
        pieces.start(size);
        feed(stream, framing, piece, directly, pieces);
        if (pieces == whole) continue;
        std::fprintf(stderr, "%zu ULPDUs at once, %zu in pieces of %zu\n", whole.complete,
                     pieces.complete, piece);
        std::abort();
    }
    return 0;
}
