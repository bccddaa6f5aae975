#include "interconnects/virtual/model/health.hpp"

#include <cmath>

namespace railyard::model {

namespace {

/// That at least one of so many bits is wrong.
double damaged(double rate, Bytes size) {
    if (rate >= 1) return 1;
    return -std::expm1(8 * static_cast<double>(size.count()) * std::log1p(-rate));
}

}  // namespace

bool Health::lets_through(Time now, Bytes size) {
    for (const Cause& cause : causes_) {
        if (!cause.fault->is_on(now)) continue;
        if (cause.fault->what == Fault::What::bit_errors &&
            random_.fraction() >= damaged(cause.fault->rate, size))
            continue;
        ++*cause.taken;
        return false;
    }
    return true;
}

}  // namespace railyard::model
