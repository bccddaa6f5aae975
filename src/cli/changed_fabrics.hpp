#pragma once
/// Fabrics that differ from others in some values of their profiles.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "railyard/traits.hpp"

namespace railyard::cli {

/// One value of a profile.
struct Change {
    std::string key;    ///< "link.rate"
    std::string value;  ///< as a profile has it, or as many times what it was: "2x"

    std::string text() const { return key + "=" + value; }
};

/// "link.rate=2x". Throws UsageError.
Change parse_change(std::string_view option, std::string_view text);

class ChangedFabrics {
  public:
    /// The fabric of that name with these changes, for as long as this lives; itself if there are
    /// none. Throws UsageError for what it does not have, or may not be.
    std::string make(const std::string& fabric, std::span<const Change> changes);

  private:
    std::vector<Descriptor> files_;  ///< without names, so that none is left behind
};

}  // namespace railyard::cli
