#pragma once
/// SP's changes of variables: from the unknowns to the characteristic variables of x, from one
/// axis' to the next one's, and back. Each replaces b at every point inside.

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd::sp {

/// The speed of sound, wherever derive() has been.
void set_sound(const Flow& flow, Field& sound);

void to_x(Flow& flow, const Field& sound);
void from_x_to_y(Flow& flow);
void from_y_to_z(Flow& flow);
void from_z(Flow& flow, const Field& sound);

}  // namespace railyard::kernels::cfd::sp
