#pragma once
/// Which verdicts hang on which numbers: every fitted or assumed number of the profiles is made a
/// tenth smaller and larger, one at a time, and what was measured on the profiles that have it is
/// measured and judged again.

#include <span>
#include <string>
#include <vector>

#include "railyard/datasheet.hpp"
#include "reproduce/verdict.hpp"

namespace railyard::reproduce {

/// A number as one file has it.
struct Number {
    std::string profile{};  ///< the name of that file's
    std::string section{}, key{};
    std::string value{};  ///< "0.9 us"
    fabric::Evidence evidence = fabric::Evidence::none;
    std::vector<std::string> fabrics{};  ///< that have it: by themselves, their base or hosts

    /// "elan.check"
    std::string path() const { return section.empty() ? key : section + "." + key; }
    /// "quadrics elan.check"
    std::string name() const { return profile + " " + path(); }
};

/// Every fitted or assumed number of these fabrics, each once, in the order of fabrics and of
/// their datasheets. Words, switches and what is 0 are none: a tenth of them is nothing.
std::vector<Number> numbers(std::span<const std::string> fabrics);

/// The value times a factor, as a profile would have it: whole bytes, and of counts at least one
/// more or less.
std::string scaled(const std::string& value, double factor);

/// The text of a profile that stands alone (fabric::Datasheet) with another value for one key.
std::string with_value(const std::string& profile, const Number& number, const std::string& value);

struct Flip {
    std::string id{};
    Outcome before = Outcome::right;
    Outcome after = Outcome::right;
};

/// What a number does that is a tenth smaller, or larger.
struct Effect {
    std::string value{};        ///< that it had
    std::string failure{};      ///< why nothing can be said: no such machine
    std::vector<Flip> flips{};  ///< verdicts that are others
    double largest = 0;         ///< change of a figure that is compared with a paper's, as a share
    std::string record{};       ///< of that figure
    bool moved = false;         ///< anything that was measured is not what it was
};

struct Sensitivity {
    Number number{};
    Effect less{};
    Effect more{};

    bool flips() const { return !less.flips.empty() || !more.flips.empty(); }
    bool moves() const { return less.moved || more.moved; }
    bool fails() const { return !less.failure.empty() && !more.failure.empty(); }
};

/// How much smaller and larger.
inline constexpr double sensitivity_step = 0.1;

/// Of those numbers whose name matches the pattern ("quadrics*", "* host.*"), all if it is empty,
/// and that the chosen records are measured with. `base` is what reproduce() gave for the same
/// records. Throws UsageError if there is no such number, and experiments::Stopped where a signal
/// ended the work.
std::vector<Sensitivity> sensitivities(std::span<const Record> chosen, std::span<const Record> all,
                                       std::span<const Exception> exceptions,
                                       const Reproduction& base, const std::string& pattern,
                                       const Progress& progress, unsigned jobs = 0);

/// As people read them: what flips, what only moves figures, and what matters to nothing.
std::string tables(std::span<const Sensitivity> sensitivities);
/// As programs do: an array of JSON, a line a number.
std::string to_json(std::span<const Sensitivity> sensitivities);

}  // namespace railyard::reproduce
