#pragma once
/// Runs what the papers state on the models of their interconnects, and says what became of each
/// record: right, off, or why nobody can say.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/check.hpp"
#include "reproduce/record.hpp"
#include "reproduce/selection.hpp"
#include "results/row.hpp"

namespace railyard::reproduce {

enum class Outcome : unsigned char {
    right,             ///< the value is within its tolerance, the relation holds
    off,               ///< it is not, and nobody knew
    exception,         ///< it is not, and exceptions.toml says why
    come_right,        ///< it is, though exceptions.toml says that it is not
    not_available,     ///< the experiment or the fabric is not there, or failed
    not_reproducible,  ///< from here on, not checked at all; exceptions.toml says why
    not_checkable,
    not_a_result,
};
std::string_view name(Outcome outcome);
/// Whether the record was to be checked.
bool checked(Outcome outcome);

enum class Basis : unsigned char {
    predicted,
    fitted,  ///< a parameter was chosen so that this comes out: it proves nothing
};
std::string_view name(Basis basis);

struct Verdict {
    Record record{};
    std::vector<std::string> fabrics{};  ///< that it was measured on
    Outcome outcome = Outcome::not_a_result;
    Basis basis = Basis::predicted;
    Judgement judgement{};
    std::string reason{};         ///< of an exception, or why it is not available
    results::Parameters place{};  ///< of a value: with which parameters ours was measured
};

/// The records that a fabric's parameters were fitted to, by fabric.
using Fitted = std::map<std::string, std::set<std::string>>;

/// A record, with our reading of it if it is in words only, and what is to be done with it.
struct Task {
    Record record{};
    std::variant<Check, Unchecked> check{};
};
std::vector<Task> tasks(std::span<const Record> records, std::span<const Record> all);
/// Of all checks.
std::vector<Selection> selections(std::span<const Task> tasks);

/// Whether a record is fitted: a fabric's profile names it, or every series that it rests on is
/// that of a record which is named.
class Bases {
  public:
    Bases(std::span<const Record> all, Fitted fitted);
    Basis of(const Record& record, const Check& check) const;

  private:
    bool named(const Record& record, const Check& check) const;

    Fitted fitted_;
    std::vector<Selection> fitted_selections_;
};

/// Compares what was measured with what the papers say.
std::vector<Verdict> judge(std::span<const Task> tasks, const Measured& measured,
                           const Bases& bases, std::span<const Exception> exceptions);

struct Counts {
    std::size_t records = 0;
    std::size_t fitted = 0, predicted = 0;  ///< values within their tolerance
    std::size_t relations = 0;              ///< that hold
    std::size_t exceptions = 0;
    std::size_t off = 0, come_right = 0, not_available = 0;
    std::size_t not_checkable = 0, not_reproducible = 0, not_results = 0;

    /// Nothing is off, has come right, or could not be measured.
    bool good() const { return off == 0 && come_right == 0 && not_available == 0; }
};
Counts count(std::span<const Verdict> verdicts);

/// Records by paper and by a pattern such as "liu04.latency.*" or "hotspot-*" for id or experiment;
/// an empty word takes all. Throws UsageError for a paper that is not there, or when nothing is
/// left.
std::vector<Record> choose(std::span<const Record> records, const std::string& paper,
                           const std::string& only);

struct Reproduction {
    std::vector<Verdict> verdicts{};
    std::vector<results::Row> rows{};  ///< all that was measured
};

/// `chosen` are among `all`.
Reproduction reproduce(std::span<const Record> chosen, std::span<const Record> all,
                       std::span<const Exception> exceptions, const Progress& progress,
                       unsigned jobs = 0);

// Verdicts as people read them, and as programs do (docs/results-format.md describes the JSON).

/// A table an experiment of each paper, of all records that were to be checked.
std::string tables(std::span<const Verdict> verdicts);

/// The records and where they would be measured, a line each.
std::string list(std::span<const Task> tasks);

/// The last line: how many are right, off, and not checked.
std::string summary(const Counts& counts);

/// Raised when a field changes its meaning or goes away.
inline constexpr int verdict_schema = 2;
/// All verdicts, and the rows that they rest on.
std::string to_json(std::span<const Verdict> verdicts, std::span<const results::Row> rows);

/// "~ 831 MB/s", "= 6.0 us"; of a relation, its description.
std::string stated(const Record& record);

}  // namespace railyard::reproduce
