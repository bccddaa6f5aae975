#pragma once
/// The processor time that the calling thread has used: how long something took to compute, whoever
/// else ran on the machine meanwhile.

#include "railyard/base/time.hpp"

namespace railyard::thread_clock {

/// Since the thread began.
Duration now();

/// What a reading takes of what it measures: the shortest span between two that follow each other.
Duration cost();

}  // namespace railyard::thread_clock
