#pragma once
/// The fabrics that jobs find by name: which there are, what they are made of, and how to add
/// interconnects of your own, in virtual time (network.hpp) or real ones.

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "railyard/datasheet.hpp"
#include "railyard/fabric.hpp"
#include "railyard/host.hpp"
#include "railyard/network.hpp"
#include "railyard/traits.hpp"

namespace railyard {

/// Every fabric there is, those that were added at the end.
std::vector<fabric::Traits> fabrics();
/// Null if there is none. Throws UsageError for a profile that is wrong.
const fabric::Traits* find_fabric(std::string_view name);
/// What a modelled fabric is made of, with the source of every number; none for others.
std::optional<fabric::Datasheet> datasheet(std::string_view fabric);

/// Adds a network in virtual time: jobs find it by `traits.name`. `make` is told the number of
/// nodes. The clock and who makes progress are the library's to say in the traits; sizes and depths
/// that are 0 become generous ones. Throws UsageError for a name that is taken.
void add_network(fabric::Traits traits,
                 std::function<std::unique_ptr<fabric::Network>(fabric::NodeId nodes)> make);

/// Adds a fabric that moves bytes. `open` is called once in each process of a job.
void add_fabric(const fabric::Traits& traits,
                std::function<std::unique_ptr<fabric::Fabric>()> open);

/// What a Nic of such a fabric is to the Host of its rank: given the floor while the rank waits,
/// for whatever it waits, and perhaps a descriptor to sleep on.
class ProgressSource {
  public:
    virtual ~ProgressSource() = default;
    /// Does what can be done now. True if anything happened that a waiter may care about.
    virtual bool make_progress() = 0;
    /// Readable when there is something to do; -1: there is none, and a sleep lasts a millisecond
    /// at most.
    virtual int descriptor() const { return -1; }
};

/// Attaches it for as long as what is returned lives. Throws UsageError for a Host in virtual time.
std::shared_ptr<void> attach(fabric::Host& host, ProgressSource& source);

}  // namespace railyard
