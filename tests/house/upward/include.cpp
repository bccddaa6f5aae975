// Compiled by a test with what layer `base` sees: with UPWARD it must not compile.
#ifdef UPWARD
#include "fabric/nic.hpp"
#else
#include "base/time.hpp"
#endif
