#pragma once
/// The processors and caches of this machine, and how threads are bound to cores.
///
/// A "core" here is a place where one thread runs, named by the number the operating system gives
/// it: with simultaneous multithreading a physical core is several of them.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/bytes.hpp"

namespace railyard {

/// The cores that the calling thread may run on, in ascending order. A system call, nothing more.
std::vector<int> allowed_cores();

/// The same cores in the order in which they should be given out: one of each physical core first,
/// neighbours side by side, then their siblings. The first call looks at the machine, which may
/// take tens of milliseconds. Ask before pinning: a pinned thread may use one core only.
std::vector<int> usable_cores();

/// A core for each of that many ranks, no core twice; empty if there are fewer cores than ranks.
std::vector<int> spread(int ranks);

/// Binds the calling thread, and the threads and processes it starts later, to one core. Needs no
/// look at the machine. Throws Error, naming the core and those that are allowed.
void pin_to(int core);
/// The same to several, any of them: what allowed_cores() gave undoes a pin_to.
void pin_to(std::span<const int> cores);

/// What is known of this machine; 0 or empty where the system does not tell.
struct Machine {
    std::string cpu;  ///< the processor's model name
    int cores = 0;    ///< physical cores
    int threads = 0;  ///< hardware threads, siblings included
    Bytes l1d;        ///< of one core
    Bytes l2;         ///< of one core, or of the cluster that shares it
    Bytes l3;         ///< as one core sees it, shared
    Bytes memory;
};

/// Looked at once, at the first call; any thread may ask.
const Machine& machine();

/// Kinds of parts that a machine has several of, by hwloc's names, the largest first.
inline constexpr std::array<std::string_view, 7> hardware_kinds = {
    "Package", "NUMANode", "L3Cache", "L2Cache", "L1Cache", "Core", "PU"};

/// The parts of a machine, kind by kind in the order of hardware_kinds: the cores of each.
struct Hardware {
    std::array<std::vector<std::vector<int>>, hardware_kinds.size()> parts;

    /// Of each kind, the number of the part that has all of these cores; -1: none, or unknown.
    /// Numbers are hwloc's, from one end of its tree to the other: near parts have near numbers.
    std::array<int, hardware_kinds.size()> holding(std::span<const int> cores) const;
};

/// Of this machine; looked at once. Kinds that hwloc does not know have no parts.
const Hardware& hardware();
/// Of a machine that hwloc makes up ("package:2 l3:2 core:4 pu:1"), for tests. Throws Error if it
/// cannot.
Hardware made_up_hardware(const std::string& description);

/// The order of usable_cores(), of physical cores given as the list of their threads. Threads that
/// are not allowed are left out; allowed ones that no physical core has come last.
std::vector<int> one_of_each_first(std::span<const std::vector<int>> physical,
                                   std::span<const int> allowed);

/// The processor's name from the text of /proc/cpuinfo; empty if it is not there.
std::string cpu_name(const std::string& cpuinfo);

}  // namespace railyard
