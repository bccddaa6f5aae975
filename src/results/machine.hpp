#pragma once
/// The machine and the build that results come from: what one must know to compare two files.

#include <string>
#include <string_view>

#include "railyard/base/bytes.hpp"

namespace railyard::results {

/// 0, or "unknown", where the system does not tell.
struct Machine {
    std::string cpu;
    unsigned cores = 0;    ///< physical
    unsigned threads = 0;  ///< hardware threads, siblings included
    Bytes l1d;             ///< data caches, as one core sees them
    Bytes l2;
    Bytes l3;
    Bytes memory;
    std::string kernel;    ///< "Linux 6.1.0-18-arm64 aarch64"
    std::string governor;  ///< of the cores' frequency
    std::string version;   ///< of Railyard
    std::string revision;  ///< of its source, as git describes it
    std::string compiler;  ///< with what the build is for: "GCC 12.2.0, optimized"
    std::string date;      ///< when it was asked, UTC: "2026-11-15T03:35:42Z"

    friend bool operator==(const Machine&, const Machine&) = default;
};

/// The machine that this runs on, now.
Machine this_machine();

/// Railyard's version: "0.1.0".
std::string_view version();
/// The source that this was built from, as git describes it; "unknown" outside a repository.
std::string_view revision();
/// The compiler that built this, and how.
std::string compiler();

}  // namespace railyard::results
