#pragma once
/// How a process of a job reaches another that waits behind a Door.

#include <string>
#include <vector>

#include "launch/links/link.hpp"
#include "launch/links/secret.hpp"
#include "railyard/base/time.hpp"

namespace railyard::links {

/// Tries all addresses ("host:port"), in order and again, until one of them belongs to somebody who
/// knows the secret. Throws Error, which says what came of the last try at each.
Link call(const std::vector<std::string>& addresses, const Secret& secret, Duration heartbeat,
          Duration patience);

}  // namespace railyard::links
