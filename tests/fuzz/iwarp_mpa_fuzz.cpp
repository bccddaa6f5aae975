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

#include "interconnects/iwarp/big_endian.hpp"
#include "interconnects/iwarp/crc32c.hpp"
#include "interconnects/iwarp/deframer.hpp"

namespace {

using namespace railyard::iwarp;
using Bytes = std::span<const std::byte>;

struct Collector final : mpa::Consumer {
    explicit Collector(std::size_t most) : most_to_come(most) {}

    mpa::Verdict begin(Bytes head, std::size_t length, Cursor& payload) override {
        // A length may announce far more than there is: that part needs room, but no memory.
        static std::array<std::byte, 65536> beyond;
        const std::size_t size = length - head.size();
        const std::size_t kept = std::min(size, most_to_come);
        ulpdus.emplace_back(head.size() + kept, std::byte{0xee});
        std::copy(head.begin(), head.end(), ulpdus.back().begin());
        places[0] = {ulpdus.back().data() + head.size(), kept, Lease()};
        places[1] = {beyond.data(), size - kept, Lease()};
        payload = Cursor(places);
        return mpa::Verdict::go;
    }
    mpa::Verdict end() override {
        ++complete;
        return mpa::Verdict::go;
    }
    void place_lost() override { std::abort(); }
    void broken(mpa::Fault fault) override { faults.push_back(fault); }

    std::size_t most_to_come;
    std::array<Place, 2> places;
    std::vector<std::vector<std::byte>> ulpdus;
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
    if (size == 0) return 0;
    const mpa::Framing framing{(data[0] & 1) != 0, (data[0] & 2) != 0};
    const Bytes input = std::as_bytes(std::span(data, size)).subspan(1);
    std::vector<std::byte> stream(input.begin(), input.end());
    if ((data[0] & 4) != 0 && !framing.markers) repair(stream);
    Collector whole(size);
    feed(stream, framing, size, false, whole);
    for (const std::size_t piece : {std::size_t{1}, 2 + size % 7}) {
        for (const bool directly : {false, true}) {
            Collector pieces(size);
            feed(stream, framing, piece, directly, pieces);
            const bool same = pieces.complete == whole.complete && pieces.faults == whole.faults &&
                              pieces.ulpdus == whole.ulpdus;
            if (same) continue;
            std::fprintf(stderr, "%zu ULPDUs at once, %zu in pieces of %zu\n", whole.complete,
                         pieces.complete, piece);
            std::abort();
        }
    }
    return 0;
}
