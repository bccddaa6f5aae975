#include "sim/trace.hpp"

namespace railyard::sim {

Trace::Lane Trace::lane(std::string_view group, std::string_view name) {
    lanes_.push_back({std::string(group), std::string(name)});
    return static_cast<Lane>(lanes_.size() - 1);
}

void Trace::slice(Lane lane, std::string_view what, Time begin, Time end, std::uint64_t id) {
    slices_.push_back({lane, what, begin, end, id});
}

}  // namespace railyard::sim
