#pragma once
/// The fabrics of a job on several hosts as one word: the one inside a host, and the one between
/// them where the first does not cross hosts ("shm+iwarp").

#include <string>
#include <string_view>

namespace railyard::interconnects {
struct Entry;
}

namespace railyard::job {

struct FabricPair {
    const interconnects::Entry* inside = nullptr;
    const interconnects::Entry* between = nullptr;  ///< null: the first serves all, or none can

    std::string text() const;
    /// Throws UsageError for names that nobody has.
    static FabricPair parse(std::string_view text);
    /// The first fabric that crosses hosts joins one that does not.
    static FabricPair for_hosts(std::string_view inside);
};

}  // namespace railyard::job
