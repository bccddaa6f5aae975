#include "launch/managers/managed_bootstrap.hpp"

#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <tuple>
#include <utility>

#include "base/log.hpp"
#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::managers {

namespace {

/// Some rank cannot share memory with the first of its node.
constexpr std::string_view apart = "apart";
/// How long the first waits for it. If it was merely late, nodes are looked at closely for nothing.
constexpr Duration patience_with_strangers = Duration::s(2);
constexpr Duration patience_with_members = Duration::s(60);
constexpr std::string_view fabrics_key = "fabrics";
constexpr Duration between_looks = Duration::ms(2);

int node_by_variables() {
    for (const char* name : {"SLURM_NODEID", "PALS_NODEID"})
        if (const char* const text = std::getenv(name))
            if (const auto number = parse_number<int>(text)) return *number;
    return 0;
}

Duration heartbeat() {
    constexpr int usual = 5;
    const char* const text = std::getenv("RAILYARD_HEARTBEAT");
    const int seconds = text != nullptr ? parse_number<int>(text).value_or(usual) : usual;
    return Duration::s(std::clamp(seconds, 1, 3600));
}

/// What is printed and not written yet, unless somebody is about to print.
void flush_if_free(FILE* stream) {
    if (::ftrylockfile(stream) != 0) return;
    ::fflush_unlocked(stream);
    ::funlockfile(stream);
}

/// Asks the manager to end all ranks, this process as well.
[[noreturn]] void end_all(Manager& manager, int code, const std::string& why) {
    // Some managers, told of the end, read no more of what ranks have printed.
    ::usleep(50'000);
    manager.abort(code, why);
    ::sleep(1);
    ::_exit(code);
}

[[noreturn]] void end_for_loss(Manager& manager, const std::string& what) {
    const std::string line = fmt::format("rank {}: {}: the job ends\n", manager.rank(), what);
    static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()));
    flush_if_free(stdout);
    flush_if_free(stderr);
    end_all(manager, 1, line);
}

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

}  // namespace

std::vector<fabric::NodeId> nodes_of(const std::vector<fabric::NodeId>& launchers,
                                     const std::vector<Card>& cards) {
    std::map<std::tuple<fabric::NodeId, int, Place>, fabric::NodeId> known;
    std::vector<fabric::NodeId> nodes;
    for (std::size_t rank = 0; rank < cards.size(); ++rank) {
        const std::tuple key(launchers.empty() ? 0 : launchers.at(rank), cards[rank].node,
                             cards[rank].place);
        nodes.push_back(
            known.emplace(key, static_cast<fabric::NodeId>(known.size())).first->second);
    }
    return nodes;
}

ManagedBootstrap::ManagedBootstrap(std::shared_ptr<Manager> manager, Keep keep)
    : manager_(std::move(manager)), keep_(std::move(keep)), failures_(std::uncaught_exceptions()) {
    meet();
    start_watch();
}

ManagedBootstrap::~ManagedBootstrap() {
    if (std::uncaught_exceptions() > failures_) {
        // What ends this rank would keep the others waiting.
        manager_->abort(1, "a rank could not begin");
        return;
    }
    if (share_) share_->board().leave(member_);
    watch_.reset();
    keep_(std::move(manager_));
}

fabric::NodeId ManagedBootstrap::node_of(int rank) const {
    if (rank < 0 || rank >= size()) throw job::bootstrap_no_such_rank(rank, size());
    return nodes_[static_cast<std::size_t>(rank)];
}

/// Mostly the launcher's nodes are right, and each rank asks for one card at most.
void ManagedBootstrap::meet() {
    if (size() == 1) {
        nodes_ = {0};
        return;
    }
    nodes_ = manager_->nodes();
    if (!nodes_.empty()) {
        settle();
        put_card();
        manager_->barrier();
        if (most_members_ == 1) return;
        const bool is_here = enter_share(Otherwise::is_apart);
        if (member_ == 0 && !has_one_node_)
            manager_->say(apart, !tell_crowds(patience_with_strangers));
        manager_->barrier();
        const bool is_apart = has_one_node_
                                  ? !is_here || (share_ && share_->entered() < share_->members())
                                  : manager_->holds(apart, firsts_);
        if (!is_apart) return learn_crowds();
        log_debug("ranks of one node cannot share memory: nodes are taken apart");
    } else {
        put_card();
        manager_->barrier();
    }
    nodes_ = nodes_of(nodes_, all_cards());
    settle();
    put_card();
    manager_->barrier();
    if (most_members_ == 1) return;
    enter_share(Otherwise::fails);
    if (member_ == 0 && !has_one_node_ && !tell_crowds(patience_with_members))
        throw Error(fmt::format("ranks of the node of rank {} have not come", rank()));
    manager_->barrier();
    learn_crowds();
}

/// By the first rank of a node, one answer for all ranks: they choose by it how to talk to each
/// other. False: not all have come.
bool ManagedBootstrap::tell_crowds(Duration patience) {
    if (share_ && !share_->await_all(patience)) {
        manager_->say(crowded(), false);
        return false;
    }
    manager_->say(crowded(), share_ && share_->shares_cores());
    return true;
}

std::string ManagedBootstrap::crowded() const {
    return fmt::format("crowded{}", cards_put_);
}

void ManagedBootstrap::learn_crowds() {
    shares_cores_ = has_one_node_ ? share_->shares_cores() : manager_->holds(crowded(), firsts_);
}

/// What follows from the list of nodes.
void ManagedBootstrap::settle() {
    share_.reset();
    port_.reset();
    members_.clear();
    firsts_.clear();
    std::vector<int> counts;
    for (int one = 0; one < size(); ++one) {
        const auto node = static_cast<std::size_t>(nodes_[static_cast<std::size_t>(one)]);
        if (node == firsts_.size()) {
            firsts_.push_back(one);
            counts.push_back(0);
        }
        ++counts.at(node);
        if (nodes_[static_cast<std::size_t>(one)] != node_of(rank())) continue;
        if (one == rank()) member_ = static_cast<int>(members_.size());
        members_.push_back(one);
    }
    has_one_node_ = firsts_.size() == 1;
    most_members_ = *std::ranges::max_element(counts);
    if (member_ != 0) return;
    if (members_.size() > 1) share_ = NodeShare::create(static_cast<int>(members_.size()));
    if (!has_one_node_) port_ = WatchPort::open();
}

void ManagedBootstrap::put_card() {
    Card card{.place = Place::here(), .node = node_by_variables()};
    if (share_) card.share = share_->handle();
    if (port_) card.listening = port_->listening();
    manager_->put(fmt::format("card{}", ++cards_put_), bytes_of(card.text()));
}

Card ManagedBootstrap::card_of(int rank) {
    const auto bytes = manager_->get(rank, fmt::format("card{}", cards_put_));
    const auto card =
        bytes ? Card::parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()})
              : std::nullopt;
    if (card) return *card;
    throw Error(fmt::format(
        "rank {} is not of this version of Railyard's MPI: {} has {} of it; do all ranks run with "
        "the same libmpi.so.12 (LD_LIBRARY_PATH)?",
        rank, manager_->name(), bytes ? "something else" : "nothing"));
}

std::vector<Card> ManagedBootstrap::all_cards() {
    std::vector<Card> cards;
    for (int one = 0; one < size(); ++one)
        cards.push_back(card_of(one));
    return cards;
}

bool ManagedBootstrap::enter_share(Otherwise otherwise) {
    if (members_.size() < 2) return true;
    try {
        if (member_ != 0) {
            const Card first = card_of(members_.front());
            if (first.place != Place::here()) return false;
            share_ = NodeShare::open(first.share, static_cast<int>(members_.size()));
        }
        share_->enter(member_);
        return true;
    } catch (const std::exception& error) {
        if (otherwise == Otherwise::is_apart) return false;
        throw Error(
            fmt::format("ranks {} and {} are on one node and cannot share memory: {}; "
                        "RAILYARD_FABRIC=iwarp does without",
                        rank(), members_.front(), error.what()));
    }
}

void ManagedBootstrap::start_watch() {
    std::optional<Watch::Node> node;
    if (share_) node = {*share_, member_, members_};
    std::optional<Watch::Others> others;
    if (port_) {
        const auto here = static_cast<std::size_t>(node_of(rank()));
        const std::size_t count = firsts_.size();
        const int next = firsts_[(here + 1) % count];
        others.emplace(Watch::Others{std::move(*port_), card_of(next).listening,
                                     fmt::format("rank {}", next),
                                     fmt::format("rank {}", firsts_[(here + count - 1) % count])});
    }
    if (size() == 1) return;
    watch_.emplace(std::move(node), std::move(others), heartbeat(),
                   [manager = manager_](const std::string& who) { end_for_loss(*manager, who); });
    if (has_one_node_) return;
    // A rank may end as soon as it has begun, and take its node with it.
    watch_->await_next();
    if (!share_) return;
    job::Board board = share_->board();
    board.await_fence(member_, board.enter_fence(member_), {});
}

void ManagedBootstrap::agree_on_fabrics(const std::string& fabrics) {
    fabrics_ = fabrics;
    put(fabrics_key, bytes_of(fabrics));
}

/// Each rank chooses by what it finds on its host.
void ManagedBootstrap::expect_same_fabrics(int rank) {
    if (fabrics_.empty() || std::exchange(peers_[rank].agrees, true)) return;
    const std::vector<std::byte> bytes = value_of(rank, fabrics_key);
    const std::string_view its(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (its == fabrics_) return;
    throw Error(
        fmt::format("rank {} uses the fabrics {}, and rank {} uses {}: all ranks need the same; "
                    "choose for all of them with RAILYARD_FABRIC={} or {}",
                    this->rank(), fabrics_, rank, its, fabrics_, its));
}

void ManagedBootstrap::put(std::string_view key, std::span<const std::byte> value) {
    if (own_.contains(key)) throw job::bootstrap_put_twice(rank(), key);
    const std::vector<std::byte> bytes(value.begin(), value.end());
    own_.emplace(key, bytes);
    if (share_) share_->board().put(member_, key, value);
    if (!has_one_node_) pending_.emplace(key, bytes);
}

std::vector<std::byte> ManagedBootstrap::get(int rank, std::string_view key) {
    if (rank == this->rank()) {
        const auto found = own_.find(key);
        if (found == own_.end()) throw job::bootstrap_never_put(rank, key);
        return found->second;
    }
    expect_same_fabrics(rank);
    return value_of(rank, key);
}

std::vector<std::byte> ManagedBootstrap::value_of(int rank, std::string_view key) {
    if (share_ && node_of(rank) == node_of(this->rank())) {
        const auto at = std::ranges::lower_bound(members_, rank) - members_.begin();
        return share_->board().get(static_cast<int>(at), key);
    }
    finish_commit({});
    Peer& peer = peers_[rank];
    for (;;) {
        const auto found = peer.values.find(key);
        if (found != peer.values.end()) return found->second;
        if (peer.batches == batches_) throw job::bootstrap_never_put(rank, key);
        const auto bytes = manager_->get(rank, fmt::format("batch{}", ++peer.batches));
        if (!bytes) continue;
        auto more = unpack(*bytes);
        if (!more)
            throw Error(
                fmt::format("what rank {} has put is not of this version of Railyard", rank));
        peer.values.merge(*more);
    }
}

void ManagedBootstrap::commit() {
    if (has_one_node_) return;
    finish_commit({});
    ++batches_;
    if (!pending_.empty()) manager_->put(fmt::format("batch{}", batches_), pack(pending_));
    pending_.clear();
    manager_->enter_barrier();
    is_committing_ = true;
}

void ManagedBootstrap::finish_commit(const std::function<void()>& meanwhile) {
    if (!is_committing_) return;
    while (!manager_->passed_barrier(meanwhile ? between_looks : Duration::s(1)))
        if (meanwhile) meanwhile();
    is_committing_ = false;
}

void ManagedBootstrap::fence_while(const std::function<void()>& meanwhile) {
    if (has_one_node_) {
        if (!share_) return;
        job::Board board = share_->board();
        board.await_fence(member_, board.enter_fence(member_), meanwhile);
        return;
    }
    finish_commit(meanwhile);
    commit();
    finish_commit(meanwhile);
}

void ManagedBootstrap::abort(int code, std::string_view why) {
    ::fputs(fmt::format("rank {} ends the job: {}\n", rank(), why).c_str(), stderr);
    ::fflush(nullptr);
    end_all(*manager_, job::as_exit_code(code), std::string(why));
}

}  // namespace railyard::managers
