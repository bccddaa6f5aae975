#pragma once
/// Requests to connect that come in. Who dials says `hello`; the other answers `accept` or
/// `reject`; who dialled is connected then, and says `ready`; who answered is connected when that
/// has come. So one who gives up in between leaves nobody who believes in a connection.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "interconnects/real/ofi/module/link.hpp"
#include "interconnects/real/ofi/module/names.hpp"
#include "railyard/connection.hpp"

namespace railyard::ofi {

class Nic;
class Port;

class IncomingConnection final : public Link::User,
                                 public std::enable_shared_from_this<IncomingConnection> {
  public:
    IncomingConnection(Nic& nic, Port& port, Time deadline)
        : nic_(nic), port_(port), deadline_(deadline) {}
    ~IncomingConnection() override;

    bool accept(fi_info& asked);
    bool accept(const NicName& from, std::uint32_t peers_number);
    Link* link() { return link_.get(); }
    bool link_message(Operation& buffer) override;
    void link_down() override;

    /// It has asked, and still waits for an answer.
    bool stands() const { return link_ != nullptr && hello_.has_value() && !answered_; }
    bool half_open() const { return link_ != nullptr && !hello_; }
    bool closed() const { return link_ == nullptr; }
    const Hello& hello() const { return *hello_; }
    Time deadline() const { return deadline_; }

    void refuse(Hello::Refusal why, const fabric::PrivateData& data = {});
    void close();
    /// Who accepts goes on with it.
    std::unique_ptr<Link> take_link();

    bool shown = false;  ///< given to the user, or matched when it came

  private:
    Nic& nic_;
    Port& port_;
    Time deadline_;
    std::unique_ptr<Link> link_;
    std::optional<Hello> hello_;
    bool answered_ = false;
};

/// A client's request as the server sees it.
class IncomingRequest final : public fabric::ConnectionRequest {
  public:
    IncomingRequest(Nic& nic, std::shared_ptr<IncomingConnection> connection);
    ~IncomingRequest() override { reject({}); }

    const fabric::Address& from() const override { return connection_->hello().from; }
    const fabric::PrivateData& private_data() const override { return data_; }
    void reject(const fabric::PrivateData& reason) override;

    const Nic& nic() const { return nic_; }
    IncomingConnection& connection() const { return *connection_; }

  private:
    Nic& nic_;
    std::shared_ptr<IncomingConnection> connection_;
    fabric::PrivateData data_;
};

class Listener;

class ConnectionRequests {
  public:
    explicit ConnectionRequests(Nic& nic) : nic_(nic) {}

    /// Somebody dials.
    void dialled(Port& port, fi_info& asked, std::span<const std::byte> greeting);
    /// The same where all links share an endpoint. Null if it is not let in.
    Link* greeted(Port& port, const Header& header, const Hello& hello);
    /// A connection has said what it wants.
    void asked(const std::shared_ptr<IncomingConnection>& connection);

    std::unique_ptr<Listener> listen(fabric::Service service);
    void stop_listening(fabric::Service service) { listeners_.erase(service); }
    std::optional<fabric::PeerRequest> poll_peer_request();
    /// A standing request of that Nic with that discriminator, if one has come; it is taken out.
    std::shared_ptr<IncomingConnection> find_peer(std::uint64_t from,
                                                  fabric::Discriminator discriminator);

    /// An ask of a peer's that lost against one of ours: it may still be on its way.
    void expect_loser(const Ask& ask) { losers_.insert(ask); }
    void forget_loser(const Ask& ask) { losers_.erase(ask); }

    void tick(Time now);
    Time next_timer() const;
    bool empty() const { return incoming_.empty(); }
    void close() { incoming_.clear(); }

  private:
    void give_to_listener(const std::shared_ptr<IncomingConnection>& connection);
    void clean_up();

    Nic& nic_;
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

}  // namespace railyard::ofi
