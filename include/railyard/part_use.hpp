#pragma once
/// A part of a modelled interconnect and for how long it was busy, for those who ask where the time
/// went.

#include <cstdint>
#include <string>
#include <string_view>

#include "railyard/base/time.hpp"

namespace railyard::fabric {

enum class PartKind : std::uint8_t {
    link,     ///< one way of a cable, or a switch's output
    bus,      ///< between memory and adapter
    adapter,  ///< an engine of an adapter, or what it moves data with
};

std::string_view name(PartKind kind);

struct PartUse {
    PartKind kind = PartKind::link;
    std::string name;  ///< "node 3, bus"
    Duration busy;
};

}  // namespace railyard::fabric
