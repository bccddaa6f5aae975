#pragma once
/// Runs what the papers state on the models of their interconnects, and says what became of each
/// record: right, off, or why nobody can say.

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "railyard/results/row.hpp"
#include "reproduce/check.hpp"
#include "reproduce/record.hpp"
#include "reproduce/selection.hpp"

namespace railyard::reproduce {

enum class Outcome : unsigned char {
    right,             ///< the value is within its tolerance, the relation holds
    marginal,          ///< a relation that holds by less than a tenth of the paper's margin
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

/// What kind of statement a record is, and so what it is worth when it comes out.
enum class Class : unsigned char {
    performance,  ///< a time, a rate or a quotient of such, off on either side
    bound,        ///< one that is only not to be passed
    structure,    ///< a count of connections or partners: nothing of it takes time
    relation,     ///< no number at all
};
inline constexpr std::size_t classes = 4;
std::string_view name(Class of);
Class class_of(const Record& record);

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
    /// Of a relation between quantities that the paper gives as figures: by how much it holds
    /// there.
    std::optional<double> paper_margin{};
    std::string reason{};         ///< of an exception, or why it is not available
    results::Parameters place{};  ///< of a value: with which parameters ours was measured
    bool steady = true;           ///< false: one of the rates that it rests on is not
};

/// The records that a fabric's parameters name as their evidence, by fabric.
using Cited = std::map<std::string, std::set<std::string>>;

/// A record, with our reading of it if it is in words only, and what is to be done with it.
struct Task {
    Record record{};
    std::variant<Check, Unchecked> check{};
};
std::vector<Task> tasks(std::span<const Record> records, std::span<const Record> all);
/// Of all checks.
std::vector<Selection> selections(std::span<const Task> tasks);

/// Whether a record is fitted: a parameter of a fabric that it is measured on cites it, or cites
/// the same fact as a parameter of the paper, or every series that it rests on is that of a record
/// which is cited.
class Bases {
  public:
    Bases(std::span<const Record> all, Cited cited);
    Basis of(const Record& record, const Check& check) const;

  private:
    bool cited(const Record& record, const Check& check) const;

    std::vector<Record> parameters_;  ///< of the papers
    Cited cited_;
    std::vector<Selection> cited_selections_;
};

/// The papers' own figures, to be asked what our rows are asked.
class Figures {
  public:
    explicit Figures(std::span<const Record> all);
    /// By how much a relation holds among them; none if one of those that it speaks of is not
    /// there.
    std::optional<double> margin(const Check& check) const;

  private:
    std::vector<std::pair<Selection, double>> values_;
};

/// Compares what was measured with what the papers say.
std::vector<Verdict> judge(std::span<const Task> tasks, const Measured& measured,
                           const Bases& bases, const Figures& figures,
                           std::span<const Exception> exceptions);

struct Counts {
    struct Share {
        std::size_t right = 0;
        std::size_t checked = 0;  ///< exceptions and all that is off included
    };
    std::size_t records = 0;
    std::array<std::array<Share, 2>, classes> shares{};  ///< by Class and Basis
    double mean_difference = 0;  ///< of right performance predictions, without sign, in percent
    std::size_t vacuous = 0;     ///< bounds that would be kept by a system without the effect
    std::size_t marginal = 0;    ///< relations; not counted among the right ones
    std::size_t exceptions = 0;
    std::size_t off = 0, come_right = 0, not_available = 0;
    std::size_t not_checkable = 0, not_reproducible = 0, not_results = 0;

    const Share& of(Class what, Basis basis) const {
        return shares[static_cast<std::size_t>(what)][static_cast<std::size_t>(basis)];
    }
    /// Fitted or predicted.
    Share of(Class what) const;
    /// Nothing is off, has come right, or could not be measured.
    bool good() const { return off == 0 && come_right == 0 && not_available == 0; }
};
Counts count(std::span<const Verdict> verdicts);

/// A bound that was kept without effort: ours is 1 where the paper has a quotient, or 0 where it
/// has a change, so that what it bounds is not there at all.
bool is_vacuous(const Verdict& verdict);

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
                       const experiments::Carrying& how = {});

// Verdicts as people read them, and as programs do (docs/results-format.md describes the JSON).

/// A table an experiment of each paper, of all records that were to be checked.
std::string tables(std::span<const Verdict> verdicts);

/// The records and where they would be measured, a line each.
std::string list(std::span<const Task> tasks);
/// The same for programs.
std::string list_as_json(std::span<const Task> tasks);

/// The last lines: performance predictions first, then all else by class; what is off, and what is
/// not checked.
std::string summary(const Counts& counts);

/// Raised when a field changes its meaning or goes away.
inline constexpr int verdict_schema = 3;
/// All verdicts, and the rows that they rest on; and what was found of the numbers behind them, as
/// JSON, if anything was.
std::string to_json(std::span<const Verdict> verdicts, std::span<const results::Row> rows,
                    const std::string& sensitivity = {});

/// "~ 831 MB/s", "= 6.0 us"; of a relation, its description.
std::string stated(const Record& record);

}  // namespace railyard::reproduce
