#pragma once
/// A page of what runs came to: `railyard run --report FILE`.

#include <span>
#include <string>

#include "programs/runs/run.hpp"

namespace railyard::cli {

/// So many lanes are asked of a run that a page is made of.
int lanes_of_page();

/// Writes it. The runs were recorded with time lines. Throws Error.
void write_run_page(const std::string& path, std::span<const runs::Summary> runs);

}  // namespace railyard::cli
