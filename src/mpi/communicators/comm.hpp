#pragma once
/// A communicator as users hold it: the engine's, and what users attach to it: attributes, hints,
/// an error handler, a topology.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/communicators/topology.hpp"
#include "mpi/engine/communicator.hpp"
#include "mpi/engine/process.hpp"

namespace railyard::mpi {

/// What an attribute holds: C sets pointers, Fortran integers of either width.
struct AttributeValue {
    enum class Kind { pointer = 0, address = 1, integer = 3 };  ///< the ABI's numbers
    void* bits = nullptr;
    Kind kind = Kind::pointer;

    /// What C is told: where the integer is that Fortran has set.
    void* for_c() const { return kind == Kind::pointer ? bits : const_cast<void**>(&bits); }
};

/// A key. Lives as long as somebody holds an attribute under it, also after the user freed it.
struct Keyval {
    int handle = 0;  ///< what the user knows it by
    /// The value for the copy of the object with this handle; none: the copy has no such attribute.
    /// Null: never copied. Throws MpiError if the user's function fails.
    std::function<std::optional<AttributeValue>(int object, const AttributeValue& value)> copy;
    /// Null: nothing to do. Throws MpiError if the user's function fails: the value stays then.
    std::function<void(int object, const AttributeValue& value)> erase;
};

using KeyvalRef = std::shared_ptr<const Keyval>;

/// What users attach to communicators and datatypes: a value under a key, with functions that are
/// called when the object is copied and when the value is removed. Such a function may change
/// attributes of the same object, and other threads may meanwhile: no value is removed twice.
class Attributes {
  public:
    /// A value that is there already is erased first. `object` is the owner's handle, here and
    /// below, for the user's functions.
    void set(int object, const KeyvalRef& key, AttributeValue value);
    /// Null if there is none. It stays where it is until it is set anew or removed.
    const AttributeValue* get(const Keyval& key) const;
    /// False if there was none.
    bool erase(int object, const Keyval& key);
    /// Those of a copied object, as the keys' functions have it, in the order of setting.
    Attributes copied(int object) const;
    /// The last one first, as MPI asks for at the end.
    void erase_all(int object);

  private:
    struct Entry {
        KeyvalRef key;
        std::shared_ptr<const AttributeValue> value;  ///< apart: C may hold its address
        std::uint64_t number;
        bool leaving = false;  ///< the user's function for its removal is running
    };
    Entry* find(const Keyval& key);
    Entry* find(std::uint64_t number);

    std::vector<Entry> entries_;
    std::uint64_t numbers_ = 0;
};

/// Hints as pairs of key and value, in the order in which the keys were first set.
class Info {
  public:
    void set(std::string_view key, std::string_view value) {
        if (std::string* old = find(key))
            *old = value;
        else
            pairs_.emplace_back(key, value);
    }
    /// Null if there is none.
    std::string* find(std::string_view key) {
        for (auto& [name, value] : pairs_)
            if (name == key) return &value;
        return nullptr;
    }
    /// False if there was none.
    bool erase(std::string_view key) {
        return std::erase_if(pairs_, [&](const auto& pair) { return pair.first == key; }) != 0;
    }
    const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }

  private:
    std::vector<std::pair<std::string, std::string>> pairs_;
};

/// What happens when a call on a communicator or a window fails.
struct ErrorHandler {
    enum class Kind : std::uint8_t {
        fatal,    ///< a message, and the job ends
        abort,    ///< the same, for the communicator's ranks, which end the job as well
        returns,  ///< the call returns the error's code
        user,     ///< the user's function is called, then the call returns
    };

    Kind kind = Kind::fatal;
    int handle = 0;  ///< of a predefined one: what users know it by
    /// Of a user's: takes the object's handle and the error's code.
    std::function<void(int, int)> call;
};

using ErrorHandlerRef = std::shared_ptr<const ErrorHandler>;

/// An object that calls are made on: who hears of those that fail, and what is said of it then.
struct ErrorScope {
    const char* what = "communicator";
    int handle = 0;  ///< what the user knows it by
    std::string name;
    ErrorHandlerRef error_handler;
};

class AttachedBuffer;

class Comm : public Communicator, public ErrorScope {
  public:
    using Communicator::Communicator;

    /// For collectives; made when first asked for. Of an inter-communicator: both groups, divided.
    Team& team() {
        if (!team_) [[unlikely]]
            make_team();
        return *team_;
    }
    /// The ranks that team() is of, and where it is divided, for teams that others make of them.
    Communicator& collective_ranks() {
        if (!is_inter()) return *this;
        team();
        return *both_;
    }
    int divided_at() const { return !is_inter() ? 0 : comes_first() ? size() : peer_count(); }
    /// Of an inter-communicator's two groups, which comes first where both are one: both sides know
    /// it alike.
    bool comes_first() const { return group().world_rank(0) < peers().world_rank(0); }

    Attributes attributes;
    Info hints;
    int duplications = 0;  ///< that were started without waiting
    /// Where its buffered messages are kept: its own, or else that of the session it comes from;
    /// where there is none, or nothing is attached to it, the rank's.
    std::shared_ptr<AttachedBuffer> own_buffer;
    std::shared_ptr<AttachedBuffer> session_buffer;
    // At most one of these.
    std::unique_ptr<Cartesian> cartesian;
    std::unique_ptr<Graph> graph;
    std::unique_ptr<DistributedGraph> distributed_graph;

  private:
    void make_team();

    std::unique_ptr<Communicator> both_;  ///< of an inter-communicator: the team's ranks
    std::unique_ptr<Team> team_;
};

}  // namespace railyard::mpi
