#pragma once
/// A run as an archive of OTF2, the Open Trace Format, for Vampir and Scalasca.

#include <filesystem>

#include "mpi/traces/perfetto.hpp"
#include "mpi/traces/run_record.hpp"

namespace railyard::mpi::traces {

/// Whether a file of this name is one.
bool is_otf2(const std::filesystem::path& path);

/// A folder at `path`, with `traces.otf2` in it, takes the place of one that was there. Throws
/// UsageError if Railyard was built without OTF2, and Error if it cannot be written.
void write_otf2(const RunRecord& run, const Span& span, const std::filesystem::path& path);

/// The same complaint beforehand.
void expect_otf2();

}  // namespace railyard::mpi::traces
