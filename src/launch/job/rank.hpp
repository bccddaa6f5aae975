#pragma once
/// One member of a job, as its code sees it: who it is, what it stands on, and how it talks to the
/// others before any fabric is up.

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rank_local.hpp"
#include "base/shared_memory.hpp"
#include "launch/job/bootstrap.hpp"
#include "launch/job/standstill.hpp"
#include "railyard/fabric.hpp"

namespace railyard::job {

/// What whoever started a job chose for the software above it, which knows what it means: settings
/// by name, section by section, as in profiles.
class Settings {
  public:
    using Named = std::vector<std::pair<std::string, std::string>>;

    Named& operator[](const std::string& section) { return sections_[section]; }
    /// Empty where nothing was chosen.
    const Named& of(std::string_view section) const {
        static const Named none;
        const auto found = sections_.find(section);
        return found != sections_.end() ? found->second : none;
    }

  private:
    std::map<std::string, Named, std::less<>> sections_;
};

/// Work beside a rank of virtual time, until this goes; see Rank::serve_beside.
class Beside {
  public:
    virtual ~Beside() = default;

    // What the rank and `serve` both work on, one at a time. The rank's fiber calls these: it waits
    // until `serve` has left it.
    virtual void enter() = 0;
    virtual void leave() = 0;
    /// By `serve`: waits until the rank has left it, and then has it for the length of `work`.
    /// False: there is no more time for that.
    virtual bool have_a_turn(const std::function<void()>& work) = 0;
};

class Rank {
  public:
    virtual ~Rank() = default;

    virtual int id() const = 0;
    virtual int size() const = 0;
    virtual fabric::NodeId node_of(int rank) const = 0;
    fabric::NodeId node() const { return node_of(id()); }
    virtual bool is_all_on_one_node() const {
        for (int rank = 0; rank < size(); ++rank)
            if (node_of(rank) != node()) return false;
        return true;
    }
    /// Whether there are more ranks than cores, so that a rank that waits may be in the way.
    virtual bool shares_core() const { return false; }

    /// What whoever started the job chose for the software of that section; empty: nothing.
    const Settings::Named& settings(std::string_view section) const {
        return all_settings().of(section);
    }

    virtual fabric::Host& host() = 0;
    virtual Bootstrap& bootstrap() = 0;

    /// This rank's Nic on the job's (first) fabric, opened at first use and kept.
    virtual fabric::Nic& nic() = 0;
    /// A further Nic, on any fabric of the job's clock; it attaches to the same host.
    virtual std::unique_ptr<fabric::Nic> open(std::string_view fabric) = 0;
    /// The fabric, for open(), that serves ranks on different nodes where the job's own ends at the
    /// node. Empty: the job's fabric serves all ranks.
    virtual std::string_view fabric_between_nodes() const { return {}; }

    /// Where ranks have no threads, in virtual time: has `serve` called beside what the rank does,
    /// as a thread of its own processor would, whenever something has arrived and the rank itself
    /// does not wait for arrivals. Null where ranks are real: they can have threads.
    virtual std::unique_ptr<Beside> serve_beside(std::function<void()> /*serve*/) { return {}; }

    /// Tells whoever started the job what this rank waits for, and has for long; null: it goes on.
    /// Once all do, the job ends with a report. Nothing happens where nobody listens, and in
    /// virtual time, where it is known by itself when nothing moves.
    virtual void say_waiting(const Waiting* /*what*/) {}
    /// In virtual time: what to ask when nothing moves any more, for as long as the rank lives.
    virtual void explain_wait_by(std::function<std::optional<Waiting>()> /*what*/) {}

    /// In virtual time: what the others wait for, a line each, after a line's end; empty: nobody
    /// does.
    virtual std::string waits_of_others() { return {}; }

    /// What is the same for all ranks, by a name: where they are fibers of one process, the first
    /// one that asks makes it and the others share it; elsewhere each makes its own. `make` gives a
    /// std::shared_ptr<const T>, and must not wait.
    template <class T, class Make>
    std::shared_ptr<const T> common(std::string_view name, Make&& make) {
        return std::static_pointer_cast<const T>(
            common_object(name, [&]() -> std::shared_ptr<const void> { return make(); }));
    }

    /// Hands bytes to whoever started the job (Result::delivered).
    virtual void deliver(std::string bytes) = 0;

    /// Memory that whoever started this rank reads when it has ended (kept_memory.hpp); mostly
    /// there is none.
    virtual SharedMemory kept_memory() { return {}; }

    /// See Bootstrap::abort.
    [[noreturn]] void abort(int code, std::string_view why) {
        bootstrap().abort(code, why);
        std::abort();  // Not reached, but compilers do not know that of a virtual function.
    }

  protected:
    using MakeCommon = std::function<std::shared_ptr<const void>()>;

  private:
    virtual const Settings& all_settings() const = 0;
    virtual std::shared_ptr<const void> common_object(std::string_view /*name*/,
                                                      const MakeCommon& make) {
        return make();
    }
};

/// Makes a rank the one that code without arguments finds here (see base/rank_local.hpp), for as
/// long as this lives: in the calling thread, or in the calling fiber.
class BoundRank {
  public:
    explicit BoundRank(Rank& rank) : words_{.rank = &rank}, previous_(rank_local::here) {
        rank_local::here = &words_;
    }
    ~BoundRank() {
        words_.destroy_slots();
        rank_local::here = previous_;
    }
    BoundRank(const BoundRank&) = delete;
    BoundRank& operator=(const BoundRank&) = delete;

  private:
    RankLocal words_;
    RankLocal* previous_;
};

}  // namespace railyard::job
