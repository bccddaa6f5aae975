#pragma once
/// What the parts of a simulation did, and when: one lane a part, one slice a piece of work. Kept
/// in memory until it is written out, so that recording costs little and changes nothing.

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/time.hpp"

namespace railyard::sim {

class Trace {
  public:
    using Lane = std::uint32_t;
    /// What a trace is written within.
    struct Frame {
        std::string_view others{};        ///< events of others, with commas between
        std::size_t their_processes = 0;  ///< their numbers go up to that
        Time from{};
        Time to = Time::never();
    };

    /// A new lane, shown under its group ("node 0", "bus read"). Lanes keep their order.
    Lane lane(std::string_view group, std::string_view name);
    /// The part was busy with it from `begin` to `end`. `what` must live as long as the trace.
    void slice(Lane lane, std::string_view what, Time begin, Time end, std::uint64_t id = 0);

    /// In the JSON form that Perfetto and Chrome's tracing open. Slices are sorted by time, so that
    /// the bytes do not depend on the order of recording.
    void write(std::ostream& out) const { write(out, Frame{}); }
    /// The same below others' lanes, and of a part of the time.
    void write(std::ostream& out, const Frame& frame) const;

  private:
    struct LaneName {
        std::string group;
        std::string name;
    };
    struct Slice {
        Lane lane;
        std::string_view what;
        Time begin;
        Time end;
        std::uint64_t id;
    };
    std::vector<const Slice*> sorted() const;

    std::vector<LaneName> lanes_;
    std::vector<Slice> slices_;
};

}  // namespace railyard::sim
