#pragma once
/// All that profiles may say, for people to read: sections and keys, whatever a profile sets.

#include <string>
#include <vector>

namespace railyard::fabric {

/// A key that profiles may have.
struct ProfileKey {
    std::string name;
    std::string kind;      ///< "time", "count, from 1 to 8", "half or full"
    std::string standard;  ///< its value where no profile sets it
    std::string explanation;
    bool required = false;
};

/// A section of profiles, and who reads it.
struct ProfileSection {
    std::string name;  ///< empty: what stands before all sections
    std::string explanation;
    std::vector<std::string> engines;  ///< none: it is for software above
    std::vector<ProfileKey> keys;
};

}  // namespace railyard::fabric
