#pragma once
/// MPI's buffered mode: memory that the user lent, into which messages are copied, so that a send
/// never waits for its receiver.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/engine/communicator.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

class AttachedBuffer {
  public:
    /// Throws MpiError (buffer) if there is one already.
    void attach(void* memory, std::size_t size);
    bool is_attached() const { return memory_ != nullptr; }

    struct Lent {
        void* memory = nullptr;
        std::size_t size = 0;
    };
    /// Waits until all messages have left it, and gives it back.
    Lent detach(Process& process);

    /// Copies the message and starts to send it. Returns a number for cancel(), or 0 if it has left
    /// already. Throws MpiError (buffer) if there is no room.
    std::uint64_t send(const ConstBuffer& data, int to, int tag, Communicator& comm);
    /// Takes a message back that no receive has matched; waits for its receiver's word, if that is
    /// needed. False: it is too late.
    bool cancel(std::uint64_t number, Process& process);

  private:
    /// A message that may still be on its way. In the order of their places.
    struct Piece {
        std::size_t begin;
        std::size_t end;
        Request* send;
        std::uint64_t number;
        bool held = false;  ///< by cancel(), which waits
    };
    Piece* find(std::uint64_t number);
    void release_complete(Process& process);
    /// The index in pieces_ before which there is a gap of `bytes`, and where the gap begins.
    bool find_gap(std::size_t bytes, std::size_t& index, std::size_t& begin) const;

    std::byte* memory_ = nullptr;
    std::size_t size_ = 0;
    std::vector<Piece> pieces_;
    std::uint64_t numbers_ = 0;
};

}  // namespace railyard::mpi
