#pragma once
/// A short sleep of a thread that is no rank: one that helps a rank, or waits for its turn with it.
/// Ranks themselves wait through their Host, whose clock may be another.

#include "railyard/base/time.hpp"

namespace railyard {

/// Gives the core to whoever wants it, now and for that long.
void nap(Duration duration);
/// Gives it away only if somebody wants it.
void give_way();

}  // namespace railyard
