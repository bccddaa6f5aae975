#pragma once
/// A TCP connection after its start-up, and the stream on it: reads the socket into the stream, and
/// sends what the stream has to say. It belongs to a queue pair, and after that one's end to the
/// Nic, until the peer has all that was sent and has closed, too.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "interconnects/real/iwarp/socket.hpp"
#include "interconnects/real/iwarp/stream.hpp"
#include "railyard/base/time.hpp"

namespace railyard::iwarp {

class Nic;
class QueuePair;

class Link final : public Watcher {
  public:
    /// `startup`: bytes of the start-up that are still to be sent, ahead of everything.
    Link(Nic& nic, QueuePair& owner, Descriptor socket, const Stream::Settings& settings,
         std::span<const std::byte> startup);
    ~Link() override;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    Stream& stream() { return stream_; }
    int socket() const { return socket_.get(); }

    void ready(std::uint32_t events) override;
    /// Reads what has come. True if there was anything.
    bool receive();
    /// Sends what the owner and the stream have, as far as the socket takes it.
    void push();
    /// A receive has been posted: goes on with what was held back for want of one.
    void resume();
    bool starved() const { return stream_.waits_for_receive() || held_ < holding_.size(); }

    /// The queue pair has ended: what is in the outbox still leaves, unless `abrupt`, then the last
    /// words, if any. The memory that it sends from is the user's no more.
    void detach(bool abrupt, Time until);
    /// Nothing more is to be done with it.
    bool finished() const { return !socket_; }
    /// After detach(): until when the peer may take its time.
    Time until() const { return until_; }
    void give_up() { end(); }
    /// Whether the kernel still has something of ours to deliver.
    bool undelivered() const { return !acknowledged_by_peer().all; }
    Acknowledged acknowledged_by_peer() const {
        return socket_ ? acknowledged(socket_.get()) : Acknowledged{};
    }
    /// Something has come since it was last asked so.
    bool has_spoken() { return std::exchange(spoken_, false); }
    /// Asks the peer to say something.
    void ask_for_life();
    /// It is gone, or might as well be.
    void peer_ended();

    /// Whether the Nic's Events tell of this socket. They cost each message a little: the one that
    /// is looked at all the time can do without.
    void set_watched(bool watched);

    bool in_ready_list = false;   ///< the Nic's
    bool in_sender_list = false;  ///< likewise
    Time sending_since;           ///< when it came into that list
    Time last_heard;              ///< likewise: when its heartbeat was last answered, or it spoke

  private:
    enum class Got : std::uint8_t { nothing, some, all, end };
    Got read_stream();
    Got read_aside();
    Got discard();
    Got judge(ssize_t n, std::size_t asked);
    void take(std::span<const std::byte> bytes);
    bool send();
    void end();
    bool has_work() const;
    void return_storage();

    Nic& nic_;
    QueuePair* owner_;
    Descriptor socket_;
    Stream stream_;
    bool watched_ = true;
    bool blocked_ = false;  ///< the socket took no more: it says when it does again
    bool said_all_ = false;
    bool end_announced_ = false;  ///< the socket says that there is an end
    std::size_t own_room_;        ///< how much is read that may have to be copied
    bool spoken_ = false;
    Time until_ = Time::never();
    std::vector<std::byte> holding_;  ///< read, but a message in it waits for a receive
    std::size_t held_ = 0;            ///< of it, from the front, the stream has taken
};

}  // namespace railyard::iwarp
