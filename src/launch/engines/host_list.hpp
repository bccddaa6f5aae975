#pragma once
/// The hosts of a job: as people write them (`a:2,b:2`, or a file of them, one a line), and which
/// rank is on which.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::engines {

struct HostSlots {
    std::string name;
    int slots = 1;  ///< how many ranks it takes before it is the next one's turn

    friend bool operator==(const HostSlots&, const HostSlots&) = default;
};

/// The host of each rank: host by host as they are listed, and again from the first when all slots
/// are taken.
std::vector<std::string> place_ranks(const std::vector<HostSlots>& hosts, int ranks);

/// Whether that is a name of this host.
bool is_here(const std::string& host);

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

}  // namespace railyard::engines
