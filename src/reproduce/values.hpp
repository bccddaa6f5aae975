#pragma once
/// Whether our value is the paper's: within the tolerance, or on the right side of a bound.

#include <string_view>

#include "reproduce/record.hpp"

namespace railyard::reproduce {

/// How a value is compared with the paper's.
enum class Scale : unsigned char {
    plain,
    gain,  ///< percent more: compared as the factor that it stands for, 1.24 for 24 %
};

/// (ours - paper) / paper, in percent; of a gain, that of the factors. For a paper's value of
/// nought: nought if ours is near enough, else 100.
double difference_percent(double paper, double ours, Scale scale = Scale::plain);

/// Whether ours, printed with two digits behind the point, is the paper's: how wu02 prints shares.
bool prints_as(double paper, double ours);

/// Within 5 % for "=" and "~"; a bound is met as it stands, ours being read with as many digits as
/// the paper prints, since a bound "at most 75" is not missed by 75.2.
bool agrees(double paper, Qualifier qualifier, double ours, Scale scale = Scale::plain);

}  // namespace railyard::reproduce
