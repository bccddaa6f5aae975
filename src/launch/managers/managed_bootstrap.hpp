#pragma once
/// A rank's bootstrap on any process manager: values go by the node's memory inside a node, and by
/// the manager between nodes; who is gone is noticed.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/job/bootstrap.hpp"
#include "launch/managers/card.hpp"
#include "launch/managers/manager.hpp"
#include "launch/managers/node_share.hpp"
#include "launch/managers/values.hpp"
#include "launch/managers/watch.hpp"

namespace railyard::managers {

/// Nodes whose ranks can share memory: those of the launcher, taken apart where they cannot.
std::vector<fabric::NodeId> nodes_of(const std::vector<fabric::NodeId>& launchers,
                                     const std::vector<Card>& cards);

class ManagedBootstrap final : public job::Bootstrap {
  public:
    /// What becomes of the manager when the rank has left the job: the process may go on.
    using Keep = std::function<void(std::shared_ptr<Manager>)>;

    /// All ranks of the job, or none. Throws Error.
    ManagedBootstrap(std::shared_ptr<Manager> manager, Keep keep);
    ~ManagedBootstrap() override;
    ManagedBootstrap(const ManagedBootstrap&) = delete;
    ManagedBootstrap& operator=(const ManagedBootstrap&) = delete;

    int rank() const override { return manager_->rank(); }
    int size() const override { return manager_->size(); }
    fabric::NodeId node_of(int rank) const override;
    bool has_one_node() const { return has_one_node_; }
    /// Whether there are more ranks than cores on some node.
    bool shares_cores() const { return shares_cores_; }

    /// The fabrics of this rank, before it puts anything. A peer that has others is an Error when
    /// something is asked of it.
    void agree_on_fabrics(const std::string& fabrics);

    void put(std::string_view key, std::span<const std::byte> value) override;
    std::vector<std::byte> get(int rank, std::string_view key) override;
    void commit() override;
    void fence() override { fence_while({}); }
    void fence_while(const std::function<void()>& meanwhile) override;
    [[noreturn]] void abort(int code, std::string_view why) override;

  private:
    /// What to do where ranks of one node cannot share memory.
    enum class Otherwise { is_apart, fails };
    struct Peer {
        bool agrees = false;  ///< its fabrics are ours
        NamedValues values{};
        int batches = 0;  ///< of its own that were asked for
    };

    void meet();
    void settle();
    bool enter_share(Otherwise otherwise);
    std::string crowded() const;
    bool tell_crowds(Duration patience);
    void learn_crowds();
    void put_card();
    Card card_of(int rank);
    std::vector<Card> all_cards();
    void start_watch();
    std::vector<std::byte> value_of(int rank, std::string_view key);
    void expect_same_fabrics(int rank);
    void finish_commit(const std::function<void()>& meanwhile);

    std::shared_ptr<Manager> manager_;
    Keep keep_;
    int failures_;  ///< exceptions under way when this was made
    std::vector<fabric::NodeId> nodes_;
    std::vector<int> firsts_;  ///< the first rank of each node
    bool has_one_node_ = true;
    bool shares_cores_ = false;
    int most_members_ = 1;            ///< of all nodes
    std::vector<int> members_;        ///< the ranks of this node
    int member_ = 0;                  ///< which of them this is
    std::optional<NodeShare> share_;  ///< where there are several
    std::optional<WatchPort> port_;
    std::optional<Watch> watch_;
    int cards_put_ = 0;

    std::string fabrics_;
    NamedValues own_;
    NamedValues pending_;  ///< put, and not given to the manager yet
    std::map<int, Peer> peers_;
    int batches_ = 0;             ///< that all ranks have given to the manager
    bool is_committing_ = false;  ///< its barrier was entered, and not passed yet
};

}  // namespace railyard::managers
