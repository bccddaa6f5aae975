#pragma once
/// A window: memory of every rank of a group that the others reach by one-sided operations.
///
/// Four ways to a target's memory. Direct: it is this rank's own, or mapped by it; operations are
/// copies and atomic instructions, done when they return. The kernel's copies, between processes of
/// a node: done when they return, too. RDMA, for puts, gets and locks: where adapters need no hand
/// of the target. Messages: packets that the target carries out whenever its library makes
/// progress. Whichever way accumulates go, they are atomic by one rule for all ranks of a window.
///
/// Spread over files by concern: window.cpp (making and freeing, memory), origin.cpp (operations of
/// this rank), kernel_copies.cpp, remote_memory.cpp (by RDMA), packets_out.cpp (as packets),
/// visits.cpp (packets that a target surely takes), target.cpp (operations of others), and
/// synchronisation.cpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/shared_memory.hpp"
#include "mpi/communicators/comm.hpp"
#include "mpi/communicators/context_ids.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/engine/registration_cache.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/error.hpp"
#include "mpi/types/operation.hpp"
#include "mpi/windows/combining.hpp"
#include "mpi/windows/epochs.hpp"
#include "mpi/windows/rma_packet.hpp"
#include "mpi/windows/runs.hpp"
#include "mpi/windows/shared_words.hpp"
#include "mpi/windows/window_peer.hpp"
#include "mpi/windows/window_plan.hpp"

namespace railyard::mpi {

class Window final : public ErrorScope, private Watcher, private Attendant {
  public:
    /// All ranks of the parent make theirs together. The user's memory stays the user's.
    Window(Comm& parent, ContextIds& contexts, const WindowPlan& plan);
    ~Window();
    /// All ranks together; throws MpiError (rma_sync) if this rank has an epoch open. Then the
    /// object is to be destroyed.
    void free();

    const Group& group() const { return comm_->group(); }
    int rank() const { return comm_->rank(); }
    const Communicator& comm() const { return *comm_; }

    struct Share {
        void* base = nullptr;
        std::size_t size = 0;
        int unit = 1;
    };
    /// A rank's memory as this rank sees it.
    const Share& share(int rank) const { return shares_[static_cast<std::size_t>(rank)]; }
    /// The first that is not empty, or none.
    const Share& first_share() const;
    Flavor flavor() const { return plan_.flavor; }
    void attach(void* base, std::size_t size);
    void detach(const void* base);

    // Operations. Buffers are the window's until the request is complete, if one is returned, else
    // until they are flushed or their epoch ends. A request is made only if it is `wanted`, and not
    // complete yet. Ranks are of the group, and never no_rank.

    /// Before one whose request is wanted: throws unless the target is locked.
    void check_passive(int target) const { epochs_.check_passive(target); }
    Request* put(const ConstBuffer& data, const TargetBuffer& to, bool wanted = false);
    Request* get(const Buffer& into, const TargetBuffer& from, bool wanted = false);
    Request* accumulate(const ConstBuffer& data, const TargetBuffer& to, const Operation& operation,
                        bool wanted = false);
    Request* get_accumulate(const ConstBuffer& data, const Buffer& old, const TargetBuffer& to,
                            const Operation& operation, bool wanted = false);
    void compare_and_swap(const void* value, const void* compare, void* old,
                          const TargetBuffer& at);

    // The same in brief (plain_access.hpp). False: nothing was done.

    bool put_plain(const void* data, std::size_t count, const Datatype& type, int rank,
                   std::ptrdiff_t displacement);
    bool get_plain(void* into, std::size_t count, const Datatype& type, int rank,
                   std::ptrdiff_t displacement);
    bool fetch_plain(const void* data, void* old, const Datatype& type, int rank,
                     std::ptrdiff_t displacement, const Operation& operation);

    // Synchronisation.

    void fence(bool another_follows);
    void start(const Group& targets, bool unchecked);
    void complete();
    void post(const Group& origins, bool unchecked);
    void wait();
    bool test();
    void lock(int target, LockKind kind, bool unchecked);
    void unlock(int target);
    void lock_all(bool unchecked);
    void unlock_all();
    void flush(int target);
    void flush_all();
    void flush_local(int target);
    void flush_local_all();
    void sync();

    /// What MPI_Win_get_attr finds: the numbers as C has them.
    struct Properties {
        void* base = nullptr;
        std::ptrdiff_t size = 0;
        int unit = 1;
        int flavor = 0;
    };
    Properties properties;
    bool allows_locks = true;
    Attributes attributes;
    Info hints;

  private:
    /// A message, or several, of one operation that is under way.
    struct Transfer final : Watcher {
        enum class Role : std::uint8_t {
            fetch,     ///< of this rank's operation: data come
            bulk_out,  ///< of this rank's put: data go
            bulk_in,   ///< of a peer's put: data come, into the window
            reply,     ///< to a peer's operation: data go
        };
        explicit Transfer(Window& its_window) : window(its_window) {}
        void completed(Request& request) override;

        Window& window;
        Role role = Role::fetch;
        int rank = 0;             ///< of the other side
        unsigned parts = 0;       ///< that are under way
        Request* user = nullptr;  ///< to be completed
        Buffer into;              ///< of a fetch whose data come packed, in several messages
        TypeRef keeps_type;
        std::size_t bytes = 0;
        std::byte* stream = nullptr;  ///< of a fetch: where its data come first, packed
        std::byte* slot = nullptr;    ///< of slots_
        int visitor = -1;             ///< of a reply: whose visit ends when it has left
        std::unique_ptr<std::byte[]> packed;
    };
    /// One that leaves; its memory stays until it has.
    struct Packet final : Watcher {
        explicit Packet(Window& its_window) : window(its_window) {}
        void completed(Request& request) override;
        void append(const void* data, std::size_t n);
        std::size_t room() const { return bytes.size() - size; }

        Window& window;
        std::size_t size = 0;
        int visitor = -1;  ///< whose visit ends when it has left
        alignas(16) std::array<std::byte, rma_packet_size> bytes;
    };
    class PacketStream;

    using Peer = WindowPeer;
    struct Found {
        Peer& peer;
        std::uint64_t at;  ///< of the first element, as Run counts

        std::byte* address() const { return reinterpret_cast<std::byte*>(peer.base + at); }
    };
    struct Attached {
        std::size_t size = 0;
        std::unique_ptr<fabric::Region> region;
        std::optional<std::size_t> place;  ///< among the Attachments
    };
    struct Waiting {
        int rank;
        LockKind kind;
    };

    Process& process() const { return comm_->process(); }
    Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }

    // window.cpp
    void make_memory(const WindowPlan& plan);
    void exchange(const WindowPlan& plan);
    void make_known(std::uintptr_t begin, Attached& attached);
    void check_attached(std::uint64_t at, std::uint64_t bytes) const;
    void check_attached(const TargetBuffer& to, std::uint64_t at) const;
    [[noreturn]] void throw_range(const TargetBuffer& to) const;

    // plain_access.hpp
    /// Where in the target's memory; none: not in this epoch, or not there.
    std::optional<std::uint64_t> locate(int rank, std::ptrdiff_t displacement, std::uint64_t count,
                                        const Datatype& type);
    /// Null: not by loads and stores, not in this epoch, or not there.
    std::byte* reach(int rank, std::ptrdiff_t displacement, std::size_t count,
                     const Datatype& type);

    // origin.cpp
    Found find(const TargetBuffer& to);
    Guard guard_of(const Peer& peer) const {
        return {is_mapped_ ? &peer.words->guard : nullptr, uses_kernel()};
    }
    void put_direct(const ConstBuffer& data, const Found& place, const TargetBuffer& to);
    void get_direct(const Buffer& into, const Found& place, const TargetBuffer& from);
    void combine_direct(const ConstBuffer& data, const Buffer* old, const Found& place,
                        const TargetBuffer& to, const Operation& operation, const Datatype& basic);
    /// The same where some side has gaps.
    void combine_runs(const ConstBuffer& data, const Buffer* old, const Found& place,
                      const TargetBuffer& to, const Operation& operation, const Datatype& basic);

    /// On memory that is out of reach for loads and stores.
    Request* put_otherwise(const ConstBuffer& data, const Found& place, const TargetBuffer& to,
                           bool wanted);
    Request* get_otherwise(const Buffer& into, const Found& place, const TargetBuffer& from,
                           bool wanted);
    Request* combine_otherwise(const RmaHeader& header, const ConstBuffer& data, const Buffer* old,
                               const Found& place, const TargetBuffer& to, bool wanted);

    // kernel_copies.cpp
    bool uses_kernel() const {
        return is_mapped_ && (plan_.flavor == Flavor::create || plan_.flavor == Flavor::dynamic);
    }
    /// Whether the kernel's copies reach all of it, as far as this rank can tell.
    bool is_reached_by_kernel(const Found& place, const TargetBuffer& target);
    void expose_to_kernel(const WindowPlan& plan);
    /// Whether it takes few of the kernel's calls.
    static bool is_for_kernel(const TargetBuffer& target);
    /// False: it has to go another way, now and perhaps later.
    bool put_by_kernel(const ConstBuffer& data, const Found& place, const TargetBuffer& to);
    bool get_by_kernel(const Buffer& into, const Found& place, const TargetBuffer& from);
    /// The same in brief (plain_access.hpp), on memory that a window was created on.
    bool copy_plain(fabric::Op op, void* local, std::size_t count, const Datatype& type, int rank,
                    std::ptrdiff_t displacement);
    bool copy_runs(fabric::Op op, std::byte* local, const Found& place, const TargetBuffer& target);
    bool combine_by_kernel(const ConstBuffer& data, const Buffer* old, const Found& place,
                           const TargetBuffer& to, const Operation& operation,
                           const Datatype& basic);
    bool swap_by_kernel(const std::byte* compare, const std::byte* value, void* old,
                        const Found& place, const TargetBuffer& at);
    /// Where those bytes are for the kernel; without a region: nowhere.
    fabric::RemoteSlice kernel_place(Peer& peer, std::uint64_t at, std::uint64_t bytes);

    // visits.cpp
    void meet_all();
    /// True: a visit has begun, so the operation is to be one. False: it may go another way, since
    /// all visits are done.
    bool begin_visit(int rank);
    Request* visit(RmaHeader header, const ConstBuffer* data, const Buffer* into,
                   const Found& place, const TargetBuffer& to, Unit unit, bool wanted);
    void wait_for_visits(Peer& target, std::uint32_t most);
    void end_visit(int source);
    static bool is_visiting(const Peer& target);
    void came() override;
    void leaves() noexcept override;

    // remote_memory.cpp
    void expose(const WindowPlan& plan);
    /// Registered memory for an operation's data in one piece.
    struct Local {
        std::byte* bytes = nullptr;
        std::shared_ptr<CachedRegion> region{};
    };
    Local make_local(Transfer& transfer, std::byte* dense, std::size_t total);
    Request* put_remote(const ConstBuffer& data, const Found& place, const TargetBuffer& to,
                        bool wanted);
    Request* get_remote(const Buffer& into, const Found& place, const TargetBuffer& from,
                        bool wanted);
    void access_runs(fabric::Op op, Transfer& transfer, const Local& local, const Found& place,
                     const TargetBuffer& to, Content content);
    std::byte* take_slot();
    /// What a word of a rank's SharedWords was.
    std::uint64_t access_word(int rank, std::size_t offset, RemoteAccess access);
    void lock_remote(int rank, LockKind kind);
    void unlock_remote(int rank, LockKind kind);
    void lock_own(LockKind kind);

    // packets_out.cpp
    Request* send_bulk(const ConstBuffer& data, const Found& place, const TargetBuffer& to,
                       bool wanted);
    Request* send_operation(const RmaHeader& header, const ConstBuffer* data, const Buffer* into,
                            const Found& place, const TargetBuffer& to, Unit unit, bool wanted);
    void touch(Peer& peer, int rank);
    Packet& take_packet();
    Packet& begin_packet(const RmaHeader& header);
    void send(Packet& packet, int rank, int tag = rma_packet_tag);
    void send(const RmaHeader& header, int rank) { send(begin_packet(header), rank); }
    Transfer& take_transfer(Transfer::Role role, int rank);
    /// Starts a receive, or a send, that is a part of it.
    void start(Transfer& transfer, Request& part);
    void on_done(Transfer& transfer);
    std::uint32_t next_token();

    // target.cpp
    void listen();
    void completed(Request& request) override;
    void take_packet(Request& received);
    void on_packet(int source, std::span<const std::byte> packet);
    void carry_out(int source, const RmaHeader& header, std::span<const std::byte> body);
    void on_bulk_put(int source, const RmaHeader& header, std::span<const std::byte> body);
    void on_get(int source, const RmaHeader& header, std::span<const std::byte> body);
    void on_accumulate(int source, const RmaHeader& header, std::span<const std::byte> body);
    void on_compare_swap(int source, const RmaHeader& header, std::span<const std::byte> body);
    /// A flush, unlock or complete whose turn it is.
    void on_end(int source, const RmaHeader& header);
    void on_lock(int source, LockKind kind);
    void grant_waiting();
    /// Own memory; null, and a fault of the peer's, if it is not in the window.
    std::byte* own(int source, const Run& run, Unit unit);
    /// Room for a reply of so many bytes, which send_reply() sends and gives up.
    struct Reply {
        Packet* packet = nullptr;
        Transfer* transfer = nullptr;
        std::byte* bytes = nullptr;
        std::size_t size = 0;
    };
    Reply make_reply(int source, std::size_t size);
    void send_reply(const Reply& reply, int source, const RmaHeader& header);

    // synchronisation.cpp
    bool sends_locks() const { return !is_mapped_ && !has_rdma_; }
    std::vector<int> ranks_of(const Group& group) const;
    void start_flush(int rank);
    bool is_flushed(const Peer& peer) const;
    bool has_to_wait(const Peer& target) const;  ///< or something to tell of
    void wait_flushed(int rank);
    void throw_fault();
    void finish_flush(int rank);
    void flush_touched();
    void wait_for_buffers(int rank);
    void take_lock(int rank, LockKind kind);
    void give_lock(int rank, LockKind kind);
    void check_locks_allowed() const;
    /// Operations done by loads and stores need no progress, but others may wait for ours.
    void progress_now_and_then() {
        if (++quiet_calls_ % 64 == 0) [[unlikely]]
            process().progress();
    }

    ContextIds& contexts_;
    std::unique_ptr<Comm> comm_;  ///< of its own
    WindowPlan plan_;
    bool is_mapped_ = false;  ///< all ranks map each other's words; and memory, if it is MPI's
    bool all_direct_ = false;
    bool reaches_all_ = false;  ///< the same, nothing is attached, and copies are not charged for
    bool has_rdma_ = false;     ///< for words; and for memory, unless it is attached
    std::vector<Share> shares_;
    std::vector<Peer> peers_;
    Epochs epochs_;
    /// What the last acknowledgement that told of something told of.
    struct Fault {
        ErrorClass error = ErrorClass::success;
        int rank = 0;
    };
    Fault fault_;
    std::vector<int> exposed_to_;  ///< of post()

    // Memory. Shared by all that map it; or this rank's alone.
    std::vector<SharedMemory> segments_;
    struct FreeMemory {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::unique_ptr<std::byte, FreeMemory> own_memory_;
    SharedWords own_words_;
    std::map<std::uintptr_t, Attached> attached_;
    std::unique_ptr<fabric::Region> kernel_region_;  ///< the user's memory, for others' kernels

    // RDMA. Memory before the regions that name it, which go first.
    std::unique_ptr<std::byte[]> slots_;  ///< for small operations: to register theirs costs more
    std::vector<std::byte*> free_slots_;
    std::shared_ptr<CachedRegion> slots_region_;
    std::shared_ptr<CachedRegion> words_region_;
    std::shared_ptr<CachedRegion> memory_region_;

    // Messages.
    std::array<std::byte, rma_packet_size> incoming_;
    Request* listening_ = nullptr;
    std::deque<Waiting> waiting_locks_;
    std::vector<int> touched_;  ///< targets with operations that are not flushed
    std::deque<Packet> packets_;
    std::vector<Packet*> free_packets_;
    std::deque<Transfer> transfers_;
    std::vector<Transfer*> free_transfers_;
    std::uint32_t token_ = 0;
    std::uint32_t quiet_calls_ = 0;
    bool has_stored_ = false;  ///< into others' memory, since the last full fence of a flush
};

}  // namespace railyard::mpi
