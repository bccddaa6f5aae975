#pragma once
/// MPI's buffered mode: memory that the user lent, into which messages are copied, so that a send
/// never waits for its receiver. A rank has one, and so may sessions and communicators.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/engine/communicator.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

class AttachedBuffer {
  public:
    /// Throws MpiError (buffer) if there is one already.
    void attach(void* memory, std::size_t size);
    /// The same, but memory is allocated for each message.
    void attach_automatic();
    bool is_attached() const { return memory_ != nullptr || automatic_; }

    struct Lent {
        void* memory = nullptr;
        std::size_t size = 0;
        bool automatic = false;
    };
    /// Waits until all messages have left it, and gives it back.
    Lent detach(Process& process);

    /// Waits until all messages that are in it now have left it.
    void flush(Process& process);
    /// The number of the last message that came into it, and whether all as far as one have left.
    std::uint64_t last() const { return numbers_; }
    bool has_left(std::uint64_t last, Process& process);

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
        std::unique_ptr<std::byte[]> memory;  ///< its own, if it is not in the user's
        bool held = false;                    ///< by cancel(), which waits
    };
    Piece* find(std::uint64_t number);
    void release_complete(Process& process);
    /// The index in pieces_ before which there is a gap of `bytes`, and where the gap begins.
    bool find_gap(std::size_t bytes, std::size_t& index, std::size_t& begin) const;
    void check_detached() const;
    /// Where the copy of a message is to be, in pieces_ as well.
    struct Place {
        std::size_t index = 0;
        std::size_t begin = 0;
        std::unique_ptr<std::byte[]> memory;
    };
    Place find_place(std::size_t bytes, Process& process);

    std::byte* memory_ = nullptr;
    std::size_t size_ = 0;
    bool automatic_ = false;
    std::vector<Piece> pieces_;
    std::uint64_t numbers_ = 0;
};

}  // namespace railyard::mpi
