#pragma once
/// Tables of numbers in a text, line by line, for those who read other programs' output.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/results/row.hpp"
#include "report/foreign.hpp"

namespace railyard::report {

/// The lines of a text, each with its number.
class Lines {
  public:
    Lines(std::string_view text, const Foreign& from) : rest_(text), from_(from) {}

    /// The next one, without spaces around it; none: that was all.
    std::optional<std::string_view> next();
    /// The one that next() gave comes again.
    void again() { is_again_ = true; }
    [[noreturn]] void complain(const std::string& what) const;

  private:
    std::string_view rest_;
    const Foreign& from_;
    std::string_view line_;
    std::size_t number_ = 0;
    bool is_again_ = false;
};

/// What stands between two spaces or more, or tabs: headings have single spaces in them.
std::vector<std::string_view> headings_of(std::string_view line);
std::vector<std::string_view> words_of(std::string_view line);

/// Begins like a line of a table.
bool is_numbers(std::string_view line);
/// The line's numbers, as many as there are headings. Complains.
std::vector<double> numbers_of(const Lines& lines, std::string_view line,
                               const std::vector<std::string_view>& headings);
/// A size, or how often: a whole number. Complains.
std::int64_t whole(const Lines& lines, double value, std::string_view what);

/// "Reduce_scatter" is "reduce-scatter".
std::string slug(std::string_view name);

}  // namespace railyard::report
