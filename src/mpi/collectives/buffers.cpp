#include "mpi/collectives/buffers.hpp"

#include <algorithm>
#include <array>

namespace railyard::mpi {

void move_data(const ConstBuffer& from, const Buffer& to) {
    const std::size_t bytes = std::min(bytes_of(from), bytes_of(to));
    if (bytes == 0 || (from.address == to.address && from.type == to.type)) return;
    if (to.type->is_dense())
        return from.type->pack(from.address, from.count, 0,
                               {to.type->dense_data(to.address), bytes});
    if (from.type->is_dense())
        return to.type->unpack(to.address, to.count, 0,
                               {from.type->dense_data(from.address), bytes});
    std::array<std::byte, 4096> window;
    for (std::size_t at = 0; at < bytes; at += window.size()) {
        const std::size_t length = std::min(window.size(), bytes - at);
        from.type->pack(from.address, from.count, at, {window.data(), length});
        to.type->unpack(to.address, to.count, at, {window.data(), length});
    }
}

void place(Team& team, const ConstBuffer& from, const Buffer& to) {
    if (Recorder* const recorder = team.recorder()) [[unlikely]]
        return recorder->copy(from, to);
    move_data(from, to);
}

void pack(Team& team, const ConstBuffer& from, std::span<std::byte> out) {
    if (out.empty()) return;
    place(team, from, as_buffer(out));
    team.charge_bytes(out.size());
}

void unpack(Team& team, std::span<const std::byte> in, const Buffer& to) {
    if (in.empty()) return;
    place(team, as_buffer(in), to);
    team.charge_bytes(in.size());
}

void copy(Team& team, const ConstBuffer& from, const Buffer& to) {
    const std::size_t bytes = std::min(bytes_of(from), bytes_of(to));
    if (bytes_of(from) != bytes_of(to)) team.note_disagreement();
    if (bytes == 0 || (from.address == to.address && from.type == to.type)) return;
    place(team, from, to);
    team.charge_bytes(bytes);
}

Blocks Blocks::in_place() {
    return Blocks(mpi::in_place());
}

bool Blocks::is_in_place() const {
    return address_ == mpi::in_place().address;
}

Buffer Blocks::operator[](int rank) const {
    if (kind_ == Kind::even) return range(rank, 1);
    const auto count = static_cast<std::size_t>(counts_[rank]);
    if (kind_ == Kind::typed) return {moved(address_, displacements_[rank]), count, types_[rank]};
    return {moved(address_, displacements_[rank] * type_->extent()), count, type_};
}

}  // namespace railyard::mpi
