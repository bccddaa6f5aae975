#pragma once
/// One way to a peer and back: messages in order, and bulk data moved between its memory and ours.
/// It knows nothing of requests. Each has an endpoint of its own (MSG), or all of a Nic share one
/// (RDM; see shared.hpp), and then its end takes a while: see ending.cpp.

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "interconnects/real/ofi/module/buffers.hpp"
#include "interconnects/real/ofi/module/names.hpp"
#include "interconnects/real/ofi/module/region.hpp"
#include "interconnects/real/ofi/module/wire.hpp"
#include "railyard/base/time.hpp"

namespace railyard::ofi {

class Nic;
class Port;

class Link {
  public:
    /// Who uses it: told of what comes.
    class User {
      public:
        virtual ~User() = default;
        /// Whom was dialled answers.
        virtual void link_up() {}
        /// A message. True if the buffer is kept, to be given back with Nic::return_buffer().
        virtual bool link_message(Operation& buffer) = 0;
        /// Memory of the request has been sent.
        virtual void link_sent(Request&) {}
        virtual void link_moved(Inbound&) {}
        /// What a read asked for is there (the lower half of its number).
        virtual void link_read(std::uint32_t) {}
        /// What it had no room for can be tried again.
        virtual void link_resumed() {}
        /// It is over. Nothing more comes.
        virtual void link_down() = 0;
    };

    Link(Nic& nic, Port& port, User* user) : nic_(nic), port_(port), user_(user) {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    /// Only when the Nic has closed it.
    ~Link() = default;

    void set_user(User* user) { user_ = user; }
    Port& port() const { return port_; }
    Device& device() const;

    /// These begin; False if there is no endpoint for it.
    bool dial(const NicName& to);
    bool accept(fi_info& asked);
    bool accept(const NicName& from, std::uint32_t peers_number);

    /// A message of our own, which is kept until it has left. `data`: copied.
    void say(const Header& header, std::span<const std::byte> data = {});

    enum class Sent : std::uint8_t {
        again,      ///< there is no room; User::link_resumed() tells
        taken,      ///< the memory is free again
        under_way,  ///< User::link_sent() tells
    };
    /// `pieces`: memory of the request, which is gathered.
    Sent send(const Header& header, std::span<const Piece> pieces, Request& request);

    enum class Direction : std::uint8_t { here, there };
    /// Memory of ours, and what the provider wants to see beside it.
    struct Memory {
        std::span<std::byte> bytes;
        void* descriptor = nullptr;
        std::uint64_t region = 0;
    };
    /// Moves bulk data. False: there is no room; User::link_resumed() tells. `tail`: the last byte
    /// goes there instead of behind the others, unless it is empty.
    bool move(Direction direction, const Memory& memory, const Place& place, Inbound& inbound,
              const Memory& tail);
    /// The same to here, by the peer, whom the message tells what to write. `tail`, of what comes
    /// back, is laid at the beginning of the inbound's buffer.
    void fetch(Header header, const Memory& memory, const Place& to, Inbound& inbound);
    /// The peer has written. False if nobody asked it to.
    bool fetched(const Header& header, std::span<const std::byte> tail);
    /// Writes what the peer asks for. What is said next arrives behind it. False: there is no room.
    /// Of a `request`, User::link_sent() tells when its memory is not needed any more.
    /// `word`: comes with them (Device::brings_words()).
    bool push(const Memory& memory, const Place& to, Request* request = nullptr,
              std::optional<std::uint64_t> word = {});
    /// The peer writes to memory of ours, by itself, and has done so.
    void lands(std::uint64_t number, const Memory& memory);
    void landed(std::uint64_t number);

    /// For the Nic.

    void up();
    void down();
    bool is_down() const { return down_; }
    /// Whether it is known if there is a connection. Some providers do not survive it if an
    /// endpoint is closed before.
    bool is_settled() const { return settled_ || down_ || is_shared(); }
    bool has_heard() const { return settled_; }
    void resume();
    /// Between users: the other side is to hear of us now and then.
    bool is_in_use = false;
    /// Since when there is no room.
    Time stalled_since = Time::never();
    Time linger_until = Time::never();
    bool stalled = false;
    bool doomed = false;  ///< found to be over; its user does not know yet
    void completed(Operation& operation, std::size_t length);
    void failed(Operation& operation);
    /// Nothing is placed or read any more.
    void close_endpoint();
    void recycle();
    /// By which a word that comes with data names it: the Nic's, of those with endpoints of their
    /// own.
    std::uint32_t mark() const { return mark_; }
    void set_mark(std::uint32_t mark) { mark_ = mark; }
    /// Such a word has come.
    void read_done(std::uint32_t number) {
        if (user_ != nullptr && !down_) user_->link_read(number);
    }
    bool touches(std::span<const std::byte> memory) const;
    /// How much is under way through that region. Another may be of the same memory.
    std::size_t uses(const LocalRegion& region) const;
    std::uint32_t moves() const { return moving_; }
    std::uint32_t pushes() const { return pushing_; }
    bool is_moving() const { return moving_ > 0; }
    /// Its user forgets it: nobody is told of what is still under way.
    void forget(Request& request);
    void forget(const Inbound& inbound);  ///< takes its buffer
    const fid_ep* endpoint() const { return endpoint_; }

    /// Where all links share an endpoint.

    bool is_shared() const { return number_ != 0; }
    std::uint32_t number() const { return number_; }
    std::uint64_t peer() const { return peer_; }
    bool is_to(std::uint64_t peer, std::uint64_t peers_number) const {
        return peer_ == peer && peers_number_ == peers_number;
    }
    /// A message has come. True if the buffer is kept.
    bool heard(Operation& buffer);
    /// If nothing was said since it was called last. Notices what does not come, too.
    void give_a_sign();
    /// Goes on with its end. True when nothing of it is left.
    bool finish();
    /// The peer may be reading or writing memory of the request, which its user forgets now.
    void lend(const Request& request);
    /// Whether its user's memory may still be read or written.
    bool is_exposed() const;
    bool is_busy() const { return under_way_ != nullptr; }
    /// The peer does not answer: keeps it from writing to our memory.
    void shut_out();

  private:
    bool open(Owned<fid_ep> endpoint);
    bool share(const NicName& peer);
    void stamp(Header& header);
    void queue(const Header& header, std::span<const std::byte> data, bool tells = false);
    bool heard_next(Operation& buffer, const Header& header);
    bool hear_early();
    bool is_moving_ours() const;
    void drop_fetches();
    void post_receive(Operation& buffer);
    void post_receives();
    void hear_last_words(const Operation& buffer);
    bool try_say(Operation& buffer);
    bool took(long error);
    long move_now(Direction direction, const fi_msg_rma& message);
    void begin(Operation& operation);
    void end(Operation& operation);
    bool deliver(Operation& buffer);

    static constexpr std::uint32_t receives = 8;

    Nic& nic_;
    Port& port_;
    User* user_;
    Owned<fid_ep> own_;
    fid_ep* endpoint_ = nullptr;
    fi_addr_t address_ = FI_ADDR_UNSPEC;
    Operation* under_way_ = nullptr;
    std::uint32_t posted_ = 0;
    std::uint32_t moving_ = 0;
    std::uint32_t pushing_ = 0;
    std::uint32_t mark_ = 0;
    std::uint64_t fetches_ = 0;       ///< so far
    std::deque<Operation*> waiting_;  ///< messages of our own that had no room
    std::deque<Operation*> kept_;     ///< buffers that the provider may still write to
    bool settled_ = false;
    bool down_ = false;

    // Where all share an endpoint.
    std::uint8_t said_ = 0;  ///< messages, of which the last bits count
    std::uint8_t heard_ = 0;
    std::uint8_t said_at_sign_ = 0;
    std::uint8_t heard_at_sign_ = 0;
    bool gone_said_ = false;
    bool gone_heard_ = false;
    std::uint32_t number_ = 0;
    std::uint32_t peers_number_ = 0;   ///< 0 until the peer has answered
    std::uint64_t peer_ = 0;           ///< its Nic
    std::uint32_t missing_ = 0;        ///< signs for which something has not come
    std::vector<Operation*> early_;    ///< messages that came before their turn
    std::vector<std::uint64_t> lent_;  ///< regions that the peer may be at work in
};

}  // namespace railyard::ofi
