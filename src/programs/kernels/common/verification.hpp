#pragma once
/// The results of a kernel beside those that are published for its class: whether they agree, and
/// lines that show both.

#include <complex>
#include <string>
#include <string_view>

namespace railyard::kernels {

class Verification {
  public:
    /// Errors are relative. Where the result is not known (`performed` is false), values are shown
    /// and not compared.
    explicit Verification(double tolerance, bool performed = true)
        : tolerance_(tolerance), performed_(performed) {}

    void compare(std::string_view what, double got, double reference);
    void compare(std::string_view what, std::complex<double> got, std::complex<double> reference);
    /// What is right or wrong in itself, such as an order.
    void check(std::string_view what, bool right);

    bool failed() const { return failed_; }
    /// "SUCCESSFUL", "UNSUCCESSFUL" or "NOT PERFORMED".
    const char* verdict() const;
    /// One for each value.
    const std::string& lines() const { return lines_; }

  private:
    void judge(double error);

    double tolerance_;
    bool performed_;
    bool failed_ = false;
    std::string lines_;
};

}  // namespace railyard::kernels
