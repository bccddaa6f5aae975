#pragma once
/// A script of faults: what breaks, where, when and for how long, as a small TOML file
/// (docs/faults.md). Read against the network that it is for, so that a place which is not there is
/// refused with those that are.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faults/place.hpp"
#include "railyard/base/time.hpp"

namespace railyard::faults {

struct Fault {
    enum class What : std::uint8_t {
        bit_errors,
        link,
        network_switch,
        flapping_link,
        adapter_reset
    };

    What what = What::link;
    Place where;
    Time at;
    Duration lasts = Duration::forever();
    double rate = 0;  ///< bit errors: of each bit
    Duration down;    ///< a flapping link: so long dead ...
    Duration up;      ///< ... then so long alive, and again
    friend bool operator==(const Fault&, const Fault&) = default;

    /// Time at which it is over, if ever.
    Time end() const { return lasts == Duration::forever() ? Time::never() : at + lasts; }
    /// Does it strike then? Of bit errors: can it?
    bool is_on(Time now) const;
};

struct Script {
    std::uint64_t seed = 1;  ///< of the bit errors
    std::vector<Fault> faults;
    friend bool operator==(const Script&, const Script&) = default;
};

/// Throws UsageError, with a line of text for each mistake: file, line, column, key, and what is
/// allowed.
Script parse_script(std::string_view text, const std::string& file, const Layout& layout);
Script load_script(const std::string& path, const Layout& layout);

/// "link, node 3, link 0, from 1 ms for 200 us"
std::string to_string(const Fault& fault, const Layout& layout);
/// Reads back as the same.
std::string to_toml(const Script& script, const Layout& layout);

}  // namespace railyard::faults
