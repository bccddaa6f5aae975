#include "mpi/recording/store.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "railyard/base/error.hpp"

namespace railyard::mpi::recording {

namespace {

// Asked for as a whole, since a page fault for each page costs several times as much.
constexpr std::size_t piece_bytes = 256 << 10;

}  // namespace

std::size_t records_at(int ranks) {
    const std::size_t end = sizeof(Header) + sizeof(PeerTraffic) * static_cast<std::size_t>(ranks);
    constexpr std::size_t alignment = 64;
    return (end + alignment - 1) / alignment * alignment;
}

std::vector<std::byte> prepared_header(std::uint64_t until) {
    Header header;
    header.magic = Header::right_magic;
    header.until = until;
    std::vector<std::byte> bytes(sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

SharedStore::SharedStore(SharedMemory memory, int ranks)
    : memory_(std::move(memory)), used_(records_at(ranks)) {
    if (memory_.size().count() < used_ || header().magic != Header::right_magic)
        throw Error(
            "the memory for this rank's record is none of this library; start the program with the "
            "mpiexec that belongs to it");
    traffic_ = {reinterpret_cast<PeerTraffic*>(memory_.data() + sizeof(Header)),
                static_cast<std::size_t>(ranks)};
    header().used = used_;
}

std::span<Record> SharedStore::more() {
    const std::size_t left = memory_.size().count() - used_;
    const std::size_t records = std::min(left, piece_bytes) / sizeof(Record);
    if (records == 0) return {};
    std::byte* const begin = memory_.data() + used_;
#ifdef MADV_POPULATE_WRITE
    constexpr std::uintptr_t page = 4096;
    const auto first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
    const auto last = reinterpret_cast<std::uintptr_t>(begin) + records * sizeof(Record);
    // Where the kernel does not know it, pages come as they are touched.
    static_cast<void>(::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE));
#endif
    used_ += records * sizeof(Record);
    header().used = used_;
    return {reinterpret_cast<Record*>(begin), records};
}

std::span<Record> HeapStore::more() {
    pieces_.push_back(std::make_unique<Record[]>(records_in_piece));
    return {pieces_.back().get(), records_in_piece};
}

}  // namespace railyard::mpi::recording
