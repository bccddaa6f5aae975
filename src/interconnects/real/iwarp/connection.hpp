#pragma once
/// Connections before there is one: attempts of this side (ConnectAttempt), connections that have
/// come in (IncomingConnection) and where they are sorted (ConnectionRequests).

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/descriptor.hpp"
#include "interconnects/real/iwarp/handshake.hpp"
#include "interconnects/real/iwarp/hello.hpp"
#include "interconnects/real/iwarp/names.hpp"
#include "interconnects/real/iwarp/socket.hpp"
#include "railyard/base/time.hpp"
#include "railyard/connection.hpp"

namespace railyard::iwarp {

class Nic;
class QueuePair;
class Listener;

/// Hello, if the peer is one of ours, and what the user says, as MPA's private data.
std::vector<std::byte> private_data(const std::optional<Hello>& hello,
                                    const fabric::PrivateData& users);
/// The user's part of them.
fabric::PrivateData users_part(const mpa::StartupFrame& frame);

/// A queue pair's attempt to connect: TCP, then MPA's request and its reply.
class ConnectAttempt final : public Watcher {
  public:
    ConnectAttempt(Nic& nic, QueuePair& owner, Descriptor socket, const mpa::Wishes& wishes,
                   std::span<const std::byte> private_data);
    ~ConnectAttempt() override;

    void ready(std::uint32_t) override { advance(); }
    /// Goes on. Tells the owner how it ended, which ends this, too.
    void advance();

    const mpa::Initiator& initiator() const { return initiator_; }
    /// Whether the peer may have ended this because it speaks revision 1 only.
    bool may_speak_revision_1();
    Descriptor take_socket();

  private:
    Nic& nic_;
    QueuePair& owner_;
    Descriptor socket_;
    mpa::Initiator initiator_;
};

/// Somebody who has connected to this Nic, until he is answered.
class IncomingConnection final : public Watcher,
                                 public std::enable_shared_from_this<IncomingConnection> {
  public:
    IncomingConnection(Nic& nic, Descriptor socket, const SocketAddress& from, Time deadline);
    ~IncomingConnection() override;

    void ready(std::uint32_t) override { advance(); }
    void advance();

    /// Whether the request is there, and still stands.
    bool stands() const { return socket_ && answerer_.state() == mpa::Answerer::State::asked; }
    bool closed() const { return !socket_; }
    bool half_open() const {
        return socket_ && answerer_.state() == mpa::Answerer::State::listening;
    }
    Time deadline() const { return deadline_; }

    // Once asked.
    /// None if the other side is not a Nic of ours.
    const std::optional<Hello>& hello() const { return hello_; }
    bool is_peer() const { return hello_ && hello_->kind == Hello::Kind::peer; }
    const NicName& from() const { return from_; }
    const fabric::PrivateData& users_data() const { return users_data_; }

    /// The answer. After accepting, the socket is the caller's.
    const mpa::Agreement& accept(const mpa::Wishes& wishes, std::span<const std::byte> data) {
        return answerer_.accept(wishes, data);
    }
    std::span<const std::byte> reply() { return answerer_.output().unsent(); }
    Descriptor take_socket();
    void refuse(Hello::Refusal why, const fabric::PrivateData& users = {});
    void close();

    bool shown = false;  ///< given to the user, or matched when it came

  private:
    void look_for_end();
    void understand();

    Nic& nic_;
    Descriptor socket_;
    mpa::Answerer answerer_;
    NicName from_;
    Time deadline_;
    std::optional<Hello> hello_;
    fabric::PrivateData users_data_;
};

/// A client's request as the server sees it.
class IncomingRequest final : public fabric::ConnectionRequest {
  public:
    IncomingRequest(Nic& nic, std::shared_ptr<IncomingConnection> connection);
    ~IncomingRequest() override;

    const fabric::Address& from() const override { return from_; }
    const fabric::PrivateData& private_data() const override { return connection_->users_data(); }
    void reject(const fabric::PrivateData& reason) override;

    const Nic& nic() const { return nic_; }
    const std::shared_ptr<IncomingConnection>& connection() const { return connection_; }

  private:
    Nic& nic_;
    std::shared_ptr<IncomingConnection> connection_;
    fabric::Address from_;
};

class ConnectionRequests final : public Watcher {
  public:
    explicit ConnectionRequests(Nic& nic) : nic_(nic) {}

    /// Begins to take connections. The socket's owner outlives this.
    void open(int socket);
    void ready(std::uint32_t) override;

    /// A connection has its request complete.
    void asked(const std::shared_ptr<IncomingConnection>& connection);

    std::unique_ptr<Listener> listen(fabric::Service service);
    void stop_listening(fabric::Service service) { listeners_.erase(service); }
    std::optional<fabric::PeerRequest> poll_peer_request();
    /// A standing request of `from` with that discriminator, if one has come; it is taken out.
    std::shared_ptr<IncomingConnection> find_peer(const NicId& from,
                                                  fabric::Discriminator discriminator);

    /// An ask of a peer's that lost against one of ours: it may still be on its way.
    void expect_loser(const Ask& ask) { losers_.insert(ask); }
    void forget_loser(const Ask& ask) { losers_.erase(ask); }

    void tick(Time now);
    Time next_timer() const;

  private:
    void give_to_listener(const std::shared_ptr<IncomingConnection>& connection,
                          fabric::Service service);
    bool evict_oldest();
    void rest();
    void clean_up();

    Nic& nic_;
    int socket_ = -1;
    Time rests_until_ = Time::never();
    std::vector<std::shared_ptr<IncomingConnection>>
        incoming_;  ///< half open, or peers that wait; oldest first
    std::map<fabric::Service, Listener*> listeners_;
    std::set<Ask> losers_;
};

class Listener final : public fabric::Listener {
  public:
    Listener(Nic& nic, fabric::Service service) : nic_(nic), service_(service) {}
    ~Listener() override;

    std::unique_ptr<fabric::ConnectionRequest> poll() override;
    /// False if too many wait already.
    bool add(const std::shared_ptr<IncomingConnection>& connection);

  private:
    Nic& nic_;
    fabric::Service service_;
    std::deque<std::shared_ptr<IncomingConnection>> waiting_;
};

}  // namespace railyard::iwarp
