#pragma once
/// How people write the hosts of a job: `a:2,b:2`, or a file of them, one a line.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/agents/host_list.hpp"

namespace railyard::launcher {

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
std::vector<cluster::HostSlots> with_slots(const std::vector<WrittenHost>& hosts, int slots);

/// The words between blanks.
std::vector<std::string> split_words(std::string_view text);

}  // namespace railyard::launcher
