#include "mpi/communicators/attached_buffer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "mpi/engine/process.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

constexpr std::size_t alignment = 16;

}  // namespace

void AttachedBuffer::check_detached() const {
    if (is_attached())
        throw MpiError(ErrorClass::buffer,
                       "a buffer is attached here already; call MPI_Buffer_detach, or its like of "
                       "communicators and sessions, first");
}

void AttachedBuffer::attach(void* memory, std::size_t size) {
    check_detached();
    if (memory == nullptr) throw MpiError(ErrorClass::buffer, "buffer is a null pointer");
    memory_ = static_cast<std::byte*>(memory);
    size_ = size;
}

void AttachedBuffer::attach_automatic() {
    check_detached();
    automatic_ = true;
}

AttachedBuffer::Lent AttachedBuffer::detach(Process& process) {
    release_complete(process);
    // Others may send and release meanwhile.
    if (!pieces_.empty())
        process.wait_until([&] {
            release_complete(process);
            return pieces_.empty();
        });
    const Lent lent{memory_, size_, automatic_};
    memory_ = nullptr;
    size_ = 0;
    automatic_ = false;
    return lent;
}

void AttachedBuffer::flush(Process& process) {
    const std::uint64_t last = numbers_;
    if (!has_left(last, process)) process.wait_until([&] { return has_left(last, process); });
}

bool AttachedBuffer::has_left(std::uint64_t last, Process& process) {
    release_complete(process);
    return std::ranges::none_of(pieces_, [&](const Piece& piece) { return piece.number <= last; });
}

void AttachedBuffer::release_complete(Process& process) {
    std::erase_if(pieces_, [&](const Piece& piece) {
        if (!piece.send->is_complete() || piece.held) return false;
        process.release(*piece.send);
        return true;
    });
}

bool AttachedBuffer::find_gap(std::size_t bytes, std::size_t& index, std::size_t& begin) const {
    begin = 0;
    for (index = 0; index < pieces_.size(); ++index) {
        if (pieces_[index].begin - begin >= bytes) return true;
        begin = pieces_[index].end;
    }
    return begin <= size_ && size_ - begin >= bytes;
}

AttachedBuffer::Place AttachedBuffer::find_place(std::size_t bytes, Process& process) {
    release_complete(process);
    if (automatic_) return {pieces_.size(), 0, std::make_unique_for_overwrite<std::byte[]>(bytes)};
    Place place;
    if (!find_gap(bytes, place.index, place.begin)) {
        process.progress();
        release_complete(process);
        if (!find_gap(bytes, place.index, place.begin))
            throw MpiError(ErrorClass::buffer,
                           "no room for " + std::to_string(bytes) + " bytes in " +
                               (is_attached() ? "the attached buffer of " + std::to_string(size_) +
                                                    " bytes; attach a larger one"
                                              : "a buffer that was never attached; call "
                                                "MPI_Buffer_attach first"));
    }
    return place;
}

std::uint64_t AttachedBuffer::send(const ConstBuffer& data, int to, int tag, Communicator& comm) {
    Process& process = comm.process();
    const std::size_t bytes = data.count * data.type->size();
    Place place = find_place(bytes, process);
    std::byte* const copy = place.memory ? place.memory.get() : memory_ + place.begin;
    data.type->pack(data.address, data.count, 0, {copy, bytes});
    Request& request = process.start_send({copy, bytes, *predefined(Basic::packed)}, to, tag, comm);
    const std::size_t end = (place.begin + bytes + alignment - 1) / alignment * alignment;
    pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(place.index),
                   {place.begin, end, &request, ++numbers_, std::move(place.memory)});
    return request.is_complete() ? 0 : numbers_;
}

AttachedBuffer::Piece* AttachedBuffer::find(std::uint64_t number) {
    const auto found = std::ranges::find(pieces_, number, &Piece::number);
    return found != pieces_.end() ? &*found : nullptr;
}

bool AttachedBuffer::cancel(std::uint64_t number, Process& process) {
    Piece* const piece = find(number);
    if (piece == nullptr) return false;
    Request& send = *piece->send;
    piece->held = true;
    process.cancel(send);
    if (!send.complete && send.cancelling != 0)
        process.wait_until([&] { return send.complete || send.cancelling == 0; });
    const bool cancelled = send.complete && send.result.cancelled;
    find(number)->held = false;
    release_complete(process);
    return cancelled;
}

}  // namespace railyard::mpi
