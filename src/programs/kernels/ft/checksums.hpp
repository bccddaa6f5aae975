#pragma once
/// The published checksums of FT: class by class, step by step.

#include <complex>
#include <span>

namespace railyard::kernels::spectral {

/// By the place of the class: S is 0.
std::span<const std::complex<double>> checksums(std::size_t class_index);

}  // namespace railyard::kernels::spectral
