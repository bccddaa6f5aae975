#pragma once
/// The hosts of a job: as people write them (`a:2,b:2`, or a file of them, one a line), and which
/// rank is on which.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"

namespace railyard::agents {

struct HostSlots {
    std::string name;
    int slots = 1;  ///< how many ranks it takes before it is the next one's turn

    friend bool operator==(const HostSlots&, const HostSlots&) = default;
};

struct HostOptions {
    std::vector<HostSlots> list{};  ///< empty: this host alone
    /// What starts a command on another host: these words, the host's name, and the command's.
    /// "fork": all hosts are this one.
    std::vector<std::string> launcher{"ssh"};
    /// The command that becomes the agent of a host (run_agent); no word of it needs quotes.
    std::vector<std::string> agent{};
    std::string listen{};  ///< the address where agents call; empty: all, and any port
    Duration heartbeat = Duration::s(5);  ///< after how long a silent host is lost
};

/// The hosts that have ranks, and where each rank is, by its number in that list.
struct Placement {
    std::vector<std::string> hosts;
    std::vector<fabric::NodeId> nodes;  ///< one a rank

    std::vector<int> ranks_on(fabric::NodeId node) const;
};
/// Host by host as they are listed, and again from the first when all slots are taken. A host that
/// is named twice is one host.
Placement place_ranks(const std::vector<HostSlots>& hosts, int ranks);

/// Whether that is a name of this host.
bool is_here(const std::string& host);

/// Fabrics between hosts take that address of this one, unless the user has chosen another.
void choose_address(const std::string& address);

/// A host as it was written; without a number it takes as many ranks as others say.
struct WrittenHost {
    std::string name;
    std::optional<int> slots{};

    friend bool operator==(const WrittenHost&, const WrittenHost&) = default;
};

/// "a", "a:2", "[2001:db8::7]:2". Throws UsageError.
WrittenHost parse_host(std::string_view text);
/// With commas between them. Throws UsageError.
std::vector<WrittenHost> parse_hosts(std::string_view text);
/// "a", "a:2" or "a slots=2" a line, and comments behind '#'. Throws UsageError.
std::vector<WrittenHost> read_hosts(const std::filesystem::path& file);

/// With the number that counts for those that have none.
std::vector<HostSlots> with_slots(const std::vector<WrittenHost>& hosts, int slots);

/// The words between blanks.
std::vector<std::string> split_words(std::string_view text);

}  // namespace railyard::agents
