#pragma once
/// What a collective algorithm talks through: the ranks of one communicator, point to point, in a
/// context that user messages cannot reach. Messages between two ranks keep their order.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "mpi/collectives/algorithms.hpp"
#include "mpi/collectives/scratch.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

class LongMeeting;
class DirectMeeting;
class Meeting;
class Nodes;

/// What an algorithm is chosen by, besides ranks and bytes. The same on all ranks of a
/// communicator, since all must choose alike.
struct Circumstances {
    bool shares_cores = false;    ///< more ranks than cores: each wait costs a switch of processes
    bool one_node = false;        ///< all ranks on one node
    bool has_hub = false;         ///< Team::meet() is there
    bool has_wide_hub = false;    ///< and for long ones, too
    bool reads_directly = false;  ///< and those in which ranks read each other's memory
    bool shares_nodes = false;    ///< Team::nodes() gives them
    bool nodes_in_order = false;  ///< and the ranks of each follow each other
};

/// Takes down what a rank does by itself, for later. Buffers, types and operations are those that
/// are used then.
class Recorder {
  public:
    virtual void copy(const ConstBuffer& from, const Buffer& to) = 0;
    virtual void combine(const Operation& operation, const ConstBuffer& in,
                         const Buffer& inout) = 0;

  protected:
    ~Recorder() = default;
};

/// Who is told which algorithm carries a collective out.
class ChoiceWatch {
  public:
    virtual void chose(Collective collective, Algorithm algorithm) = 0;
    /// The network itself does.
    virtual void left_to_network(Collective collective) = 0;

  protected:
    ~ChoiceWatch() = default;
};

/// An algorithm and what it was chosen for, besides what does not change.
struct Choice {
    std::size_t bytes = 0;
    std::uint8_t reduction = 0;  ///< what matters of its operation and type
    bool is_made = false;
    Algorithm algorithm = Algorithm::automatic;
};

class Team {
  public:
    virtual ~Team() = default;

    int rank() const { return rank_; }
    int size() const { return size_; }
    const Circumstances& circumstances() const { return circumstances_; }
    /// What the user asked for. The same on all ranks.
    const Algorithms& algorithms() const { return algorithms_; }

    /// Null: nobody is told. It outlives the team.
    ChoiceWatch* choice_watch() const { return choice_watch_; }
    void tell_choices(ChoiceWatch* watch) { choice_watch_ = watch; }

    /// The last one, as the next one often is the same, and the rules take as long as a small
    /// message.
    Choice& last_choice(Collective collective) const {
        return last_choices_[static_cast<std::size_t>(collective)];
    }

    /// Who shares a node with whom; null if all do or nobody does.
    const Nodes* nodes() const { return nodes_; }

    /// An inter-communicator's: ranks below this are one group, all others the other one; 0: there
    /// is one group. The same on all ranks.
    int divided_at() const { return divided_at_; }
    bool is_divided() const { return divided_at_ != 0; }
    void divide_at(int first_of_second_group) { divided_at_ = first_of_second_group; }

    /// Of the messages of a collective, while it is carried out.
    Content content() const { return content_; }
    void carry(Content content) { content_ = content; }

    /// Returns when the buffer may be used again. May wait for the receiver.
    virtual void send(const ConstBuffer& data, int to) = 0;
    /// A message of another length than the buffer is told of by disagreed().
    virtual void receive(const Buffer& into, int from) = 0;
    /// Both at once, without danger of deadlock.
    virtual void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) = 0;

    /// Operations under way, to be waited for all together, in any order of completion.
    virtual void start_send(const ConstBuffer& data, int to) = 0;
    virtual void start_receive(const Buffer& into, int from) = 0;
    virtual void wait_all() = 0;

    /// Where collectives get memory for the length of a call.
    ScratchPool& scratch() { return *scratch_; }

    /// Null: this team does things when it is told to. Else it only records them, and so must
    /// whoever copies or combines; no algorithm may look at data, or at what a call did.
    Recorder* recorder() const { return recorder_; }

    /// A collective through memory that all share; only where Circumstances::has_hub. Returns when
    /// it is over. Lengths that do not match are told of by disagreed().
    virtual void meet(Meeting&&) {}
    virtual void meet(LongMeeting&&) {}
    /// Only where Circumstances::reads_directly. False: some could not read, and it was in vain;
    /// or, where it is recorded, it may be. What is done then, an Otherwise says.
    virtual bool meet_directly(DirectMeeting&&) { return false; }

    /// A barrier by the network itself; false: it has none for these ranks, and nothing was done.
    virtual bool network_barrier() { return false; }

    /// Whether the network itself broadcasts among these ranks. All ask before each broadcast,
    /// since making ready for it takes them all.
    virtual bool has_network_broadcast() { return false; }
    /// Where it does: the root's data to all. A length that is not the root's is told of by
    /// disagreed().
    virtual void network_broadcast(std::span<std::byte> /*data*/, int /*root*/) {}

    /// Whether ranks gave different lengths since this was last asked: a message was longer or
    /// shorter than what was to receive it. The algorithm goes on all the same, since other ranks
    /// wait for what this one passes on.
    bool disagreed() { return std::exchange(disagreed_, false); }
    void note_disagreement() { disagreed_ = true; }
    /// The same, and what the first one was: so many bytes came where so many were expected.
    void note_disagreement(std::uint64_t came, std::uint64_t expected) {
        if (!std::exchange(disagreed_, true)) lengths_ = {came, expected};
    }
    /// Of the last time; 0 and 0 where nobody said.
    struct Lengths {
        std::uint64_t came = 0;
        std::uint64_t expected = 0;
    };
    Lengths lengths() { return std::exchange(lengths_, {}); }

    /// Software work that costs time in a model: `bytes` were copied or combined.
    virtual void charge_bytes(std::size_t bytes) = 0;

  protected:
    friend class Otherwise;
    /// So far goes what is done in place of the last direct meeting.
    virtual void end_otherwise() {}

    /// All ranks at the same collective.
    void give_up_reading_directly() {
        circumstances_.reads_directly = false;
        last_choices_ = {};
    }

    Team(int rank, int size, Circumstances circumstances, const Algorithms& algorithms = {},
         const Nodes* nodes = nullptr)
        : rank_(rank),
          size_(size),
          circumstances_(circumstances),
          algorithms_(algorithms),
          nodes_(nodes) {}
    /// Of one that records; memory is that of a lasting pool. Both outlive the team.
    Team(int rank, int size, Circumstances circumstances, const Algorithms& algorithms,
         const Nodes* nodes, Recorder& recorder, ScratchPool& lasting)
        : Team(rank, size, circumstances, algorithms, nodes) {
        recorder_ = &recorder;
        scratch_ = &lasting;
    }
    /// Of some ranks of another team, which outlives it: memory and record are that one's.
    Team(int rank, int size, Circumstances circumstances, Team& whole)
        : Team(rank, size, circumstances, whole.algorithms()) {
        recorder_ = whole.recorder_;
        scratch_ = whole.scratch_;
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

  private:
    int rank_;
    int size_;
    int divided_at_ = 0;
    bool disagreed_ = false;
    Content content_ = Content::comes;
    Lengths lengths_;
    Circumstances circumstances_;
    Algorithms algorithms_;
    const Nodes* nodes_;
    ScratchPool own_scratch_;
    ScratchPool* scratch_ = &own_scratch_;
    Recorder* recorder_ = nullptr;
    ChoiceWatch* choice_watch_ = nullptr;
    mutable std::array<Choice, collective_count> last_choices_{};
};

/// What is done in place of a direct meeting that was in vain, as long as this lives.
class Otherwise {
  public:
    explicit Otherwise(Team& team) : team_(team) {}
    ~Otherwise() { team_.end_otherwise(); }
    Otherwise(const Otherwise&) = delete;
    Otherwise& operator=(const Otherwise&) = delete;

  private:
    Team& team_;
};

/// A divided team as one group, for as long as this lives.
class Undivided {
  public:
    explicit Undivided(Team& team) : team_(team), divided_at_(team.divided_at()) {
        team_.divide_at(0);
    }
    ~Undivided() { team_.divide_at(divided_at_); }
    Undivided(const Undivided&) = delete;
    Undivided& operator=(const Undivided&) = delete;

  private:
    Team& team_;
    int divided_at_;
};

}  // namespace railyard::mpi
