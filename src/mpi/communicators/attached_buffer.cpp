#include "mpi/communicators/attached_buffer.hpp"

#include <algorithm>
#include <string>

#include "mpi/engine/process.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

constexpr std::size_t alignment = 16;

}  // namespace

void AttachedBuffer::attach(void* memory, std::size_t size) {
    if (is_attached())
        throw MpiError(ErrorClass::buffer,
                       "a buffer is attached already; call MPI_Buffer_detach first");
    if (memory == nullptr) throw MpiError(ErrorClass::buffer, "buffer is a null pointer");
    memory_ = static_cast<std::byte*>(memory);
    size_ = size;
}

AttachedBuffer::Lent AttachedBuffer::detach(Process& process) {
    release_complete(process);
    // Others may send and release meanwhile.
    if (!pieces_.empty())
        process.wait_until([&] {
            release_complete(process);
            return pieces_.empty();
        });
    const Lent lent{memory_, size_};
    memory_ = nullptr;
    size_ = 0;
    return lent;
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

std::uint64_t AttachedBuffer::send(const ConstBuffer& data, int to, int tag, Communicator& comm) {
    Process& process = comm.process();
    const std::size_t bytes = data.count * data.type->size();
    release_complete(process);
    std::size_t index = 0;
    std::size_t begin = 0;
    if (!find_gap(bytes, index, begin)) {
        process.progress();
        release_complete(process);
        if (!find_gap(bytes, index, begin))
            throw MpiError(ErrorClass::buffer,
                           "no room for " + std::to_string(bytes) + " bytes in " +
                               (is_attached() ? "the attached buffer of " + std::to_string(size_) +
                                                    " bytes; attach a larger one"
                                              : "a buffer that was never attached; call "
                                                "MPI_Buffer_attach first"));
    }
    data.type->pack(data.address, data.count, 0, {memory_ + begin, bytes});
    Request& request =
        process.start_send({memory_ + begin, bytes, *predefined(Basic::packed)}, to, tag, comm);
    const std::size_t end = (begin + bytes + alignment - 1) / alignment * alignment;
    pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(index),
                   {begin, end, &request, ++numbers_});
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
