// Compiled by a test with what layer `base` sees: with UPWARD it must not compile.
#ifdef UPWARD
#include "railyard/nic.hpp"
#else
#include "railyard/base/time.hpp"
#endif
