#pragma once
/// A page in half a minute: what `railyard report --quick` measures here and runs on the models.

#include "report/page.hpp"

namespace railyard::cli {

/// Adds what it measures as a source. Throws Error.
void measure_quickly(report::PageInput& input);

}  // namespace railyard::cli
