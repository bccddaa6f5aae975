#pragma once
/// The comment behind a value of a profile, which says where the value comes from:
///     # fitted: liu04.latency.rdma_write.small.vapi, liu04.hotspot.send.7.vapi one choice of many

#include <string_view>

#include "railyard/datasheet.hpp"

namespace railyard::model {

/// What is behind the '#' of a line of TOML, or nothing. A '#' in quotes is no comment.
std::string_view comment_of(std::string_view line);

/// Without file and line.
fabric::Source parse_source(std::string_view comment);

}  // namespace railyard::model
