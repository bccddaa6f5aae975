#pragma once
/// What libfabric has on this host: providers and domains, what they claim, and what was found when
/// one was opened.

#include <string>

namespace railyard::ofi {

std::string survey_providers();

}  // namespace railyard::ofi
