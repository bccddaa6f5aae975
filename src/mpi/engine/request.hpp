#pragma once
/// A send or a receive under way. Requests live in a pool of their rank and never move; their place
/// in it is what users' handles are made of.

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/copy_few.hpp"
#include "mpi/engine/packet.hpp"
#include "mpi/engine/status.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/datatype.hpp"
#include "railyard/memory.hpp"

namespace railyard::mpi {

class Channel;
class Communicator;
struct Unexpected;
class CachedRegion;

enum class Mode : std::uint8_t { standard, synchronous, ready, buffered };

/// What a message and a receive must agree in.
struct Envelope {
    std::uint32_t context = 0;
    std::int32_t source = 0;  ///< rank in the communicator, or any_source
    std::int32_t tag = 0;     ///< or any_tag
    friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// A place in a list that the object itself carries.
template <class Node>
struct Link {
    Node* previous = nullptr;
    Node* next = nullptr;
    void* list = nullptr;
};

class Request {
  public:
    std::uint32_t index() const { return index_; }
    bool is_complete() const { return complete; }
    bool is_persistent() const { return persistent; }
    bool is_active() const { return active; }
    const Status& status() const { return result; }

    // For the engine. Plain fields: a request is a record that several parts of it work on.

    enum class Kind : std::uint8_t { send, receive };

    /// Copies `n` bytes of the data, from `at` on, to `to`; and the other way.
    void read_data(std::size_t at, std::byte* to, std::size_t n) const {
        if (type == nullptr) [[likely]]
            copy_bytes(to, data + at, n);
        else
            type->pack(data, count, at, {to, n});
    }
    void write_data(std::size_t at, const std::byte* from, std::size_t n) {
        if (type == nullptr) [[likely]]
            copy_bytes(data + at, from, n);
        else
            type->unpack(data, count, at, {from, n});
    }
    void set_buffer(const void* address, std::size_t n, const Datatype& t) {
        bytes = n * t.size();
        if (t.is_dense()) [[likely]] {
            type = nullptr;
            data = static_cast<std::byte*>(const_cast<void*>(address)) + t.true_lower_bound();
        } else {
            data = static_cast<std::byte*>(const_cast<void*>(address));
            count = n;
            type = &t;
        }
    }

    // What matching and small messages touch.
    Link<Request> link;
    Envelope envelope;  ///< of a receive: what it takes; of a send: what it says
    bool complete = false;
    bool persistent = false;
    bool active = true;
    bool free_when_complete = false;
    Kind kind = Kind::send;
    Mode mode = Mode::standard;
    bool is_rich = false;        ///< holds more than a small message needs: to be cleaned after use
    std::uint64_t sequence = 0;  ///< posted receives: the order of posting
    std::byte* data = nullptr;   ///< of dense data the first byte, else the address as given
    std::size_t bytes = 0;       ///< of a receive: the room there is
    const Datatype* type = nullptr;  ///< null: dense
    std::size_t count = 0;
    Status result;

    // What rendezvous needs.
    Channel* channel = nullptr;
    int peer = 0;             ///< world rank of a send's target
    std::uint64_t total = 0;  ///< bytes that are to move
    std::uint64_t moved = 0;
    std::uint32_t partner = 0;  ///< the peer's request
    std::int32_t parts = 0;     ///< RDMA operations or notices still awaited
    Way way = Way::stream;
    bool placed = false;  ///< a receive: the sender has said that all is on its way; a send: it is
                          ///< yet to say so
    std::shared_ptr<CachedRegion> region;
    std::unique_ptr<fabric::RemoteRegion> remote;
    std::unique_ptr<std::byte[]> packed;  ///< of data with gaps, where the fabric needs them dense
    std::shared_ptr<const Datatype> keeps_type;

    // What a persistent request repeats.
    Communicator* communicator = nullptr;
    int partner_rank = 0;

  private:
    friend class RequestPool;
    std::uint32_t index_ = 0;
    bool taken_ = false;
    Request* next_free_ = nullptr;
};

class RequestPool {
  public:
    Request& take() {
        if (free_ == nullptr) [[unlikely]]
            grow();
        Request& request = *free_;
        free_ = request.next_free_;
        request.taken_ = true;
        request.complete = false;
        request.active = true;
        return request;
    }
    void give_back(Request& request) {
        if (request.is_rich) [[unlikely]]
            clean(request);
        request.taken_ = false;
        request.next_free_ = free_;
        free_ = &request;
    }
    /// Null if there is none with that index now.
    Request* find(std::uint32_t index) const {
        if (index / slab_size >= slabs_.size()) return nullptr;
        Request& request = slabs_[index / slab_size][index % slab_size];
        return request.taken_ ? &request : nullptr;
    }
    Request& at(std::uint32_t index) const { return slabs_[index / slab_size][index % slab_size]; }

  private:
    static constexpr std::size_t slab_size = 32;
    void grow();
    static void clean(Request& request);

    std::vector<std::unique_ptr<Request[]>> slabs_;
    Request* free_ = nullptr;
};

}  // namespace railyard::mpi
