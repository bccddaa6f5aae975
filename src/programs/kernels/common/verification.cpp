#include "kernels/common/verification.hpp"

#include <cmath>
#include <cstdio>

namespace railyard::kernels {

namespace {

template <class... Values>
std::string line(const char* format, Values... values) {
    char text[200];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

}  // namespace

void Verification::compare(std::string_view what, double got, double reference) {
    const std::string name(what);
    if (!performed_) {
        lines_ += line(" %-18s %21.14e\n", name.c_str(), got);
        return;
    }
    const double error = std::fabs((got - reference) / reference);
    lines_ += line(" %-18s %21.14e   reference %21.14e   error %.2e\n", name.c_str(), got,
                   reference, error);
    judge(error);
}

void Verification::compare(std::string_view what, std::complex<double> got,
                           std::complex<double> reference) {
    const std::string name(what);
    if (!performed_) {
        lines_ += line(" %-12s %20.13e %20.13e\n", name.c_str(), got.real(), got.imag());
        return;
    }
    const double error = std::abs(got - reference) / std::abs(reference);
    lines_ += line(" %-12s %20.13e %20.13e   reference %19.12e %19.12e   error %.2e\n",
                   name.c_str(), got.real(), got.imag(), reference.real(), reference.imag(), error);
    judge(error);
}

void Verification::check(std::string_view what, bool right) {
    const std::string name(what);
    lines_ += line(" %-60s %s\n", name.c_str(), right ? "yes" : "NO");
    failed_ = failed_ || !right;
}

/// Written so that what is not a number fails.
void Verification::judge(double error) {
    if (!(error <= tolerance_)) failed_ = true;
}

const char* Verification::verdict() const {
    if (failed_) return "UNSUCCESSFUL";
    return performed_ ? "SUCCESSFUL" : "NOT PERFORMED";
}

}  // namespace railyard::kernels
