#pragma once
/// The fabrics of a job: by the name that somebody typed, as a pair where one joins hosts and the
/// other does not, and those that ranks have opened.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/fabric.hpp"

namespace railyard::interconnects {
struct Entry;
}
namespace railyard::sim {
class Engine;
}

namespace railyard::job {

/// One of the two below.
using FindEntry = const interconnects::Entry& (*)(std::string_view name);

/// Any fabric. Throws UsageError, with the name that was probably meant.
const interconnects::Entry& find_entry(std::string_view name);

/// One that moves bytes. Knows of no others, and so needs none of their code. Throws UsageError.
const interconnects::Entry& find_real_entry(std::string_view name);

/// The fabrics of a job on several hosts as one word: the one inside a host, and the one between
/// them where the first does not cross hosts ("shm+iwarp").
struct FabricPair {
    const interconnects::Entry* inside = nullptr;
    const interconnects::Entry* between = nullptr;  ///< null: the first serves all, or none can

    std::string text() const;
    /// Throws UsageError for names that nobody has.
    static FabricPair parse(std::string_view text);
    /// One that does not cross hosts is joined by the first that does and finds hardware here; else
    /// by the first that needs none.
    static FabricPair for_hosts(std::string_view inside);
};

/// The fabrics that ranks of one clock have opened so far: each is opened once, at first use, and
/// kept until the end.
class FabricSet {
  public:
    /// Real fabrics.
    explicit FabricSet(FindEntry find) : find_(find) {}
    /// Virtual ones between so many nodes, all on the time of this engine, which outlives the set.
    FabricSet(FindEntry find, sim::Engine& engine, fabric::NodeId nodes)
        : find_(find), engine_(&engine), nodes_(nodes) {}

    /// A virtual one that is there already, under that name.
    void add(std::string_view name, std::unique_ptr<fabric::Fabric> fabric) {
        fabrics_.emplace(name, std::move(fabric));
    }
    /// Throws UsageError for a name that is unknown or of the other clock.
    std::unique_ptr<fabric::Nic> open_nic(std::string_view name, fabric::NodeId node,
                                          fabric::Host& host);
    /// Of all fabrics, in the order of their names.
    std::vector<fabric::PartUse> parts() const;
    /// Of all fabrics together.
    std::uint64_t receiver_not_ready() const;

  private:
    FindEntry find_;
    sim::Engine* engine_ = nullptr;
    fabric::NodeId nodes_ = 0;
    std::map<std::string, std::unique_ptr<fabric::Fabric>, std::less<>> fabrics_;
};

}  // namespace railyard::job
