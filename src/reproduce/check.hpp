#pragma once
/// What must be measured for a record, and how the answer is judged; and the parts of which the
/// checks of relations are made.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reproduce/record.hpp"
#include "reproduce/selection.hpp"
#include "reproduce/wanted.hpp"

namespace railyard::reproduce {

struct Judgement {
    bool right = false;
    std::optional<double> ours{};                ///< for values: the one furthest from the paper's
    std::optional<double> difference_percent{};  ///< likewise, for "=" and "~"
    std::string numbers{};                       ///< what a relation's answer rests on
    std::optional<double> margin{};              ///< of a relation: see Finding
};

struct Check {
    std::vector<Selection> selections{};
    /// Is given the points of each selection, in their order.
    std::function<Judgement(std::span<const Series>)> judge{};
};

/// Why a record is not checked.
enum class Unchecked : unsigned char {
    not_measured,  ///< a result of no experiment that there is
    in_words,      ///< a relation without a form that can be evaluated
    not_a_result,  ///< a parameter or a remark
};
std::string_view name(Unchecked why);

/// The check of a record. `all` are the records among which it stands: some relations are between
/// systems that have a record each.
std::variant<Check, Unchecked> check_of(const Record& record, std::span<const Record> all);

/// A relation in a few words: "best: quadrics/elanlib", "flat over slaves".
std::string describe(const Relation& relation);

// The two halves of check_of().
Check value_check(const Record& record);
std::optional<Check> relation_check(const Record& record, std::span<const Record> all);

/// How a value is compared with the paper's.
enum class Scale : unsigned char {
    plain,
    gain,  ///< percent more: compared as the factor that it stands for, 1.24 for 24 %
};

/// (ours - paper) / paper, in percent; of a gain, that of the factors. For a paper's value of
/// 0: 0 if ours is near enough, else 100.
double difference_percent(double paper, double ours, Scale scale = Scale::plain);

/// Whether ours, printed with two digits behind the point, is the paper's: how wu02 prints shares.
bool prints_as(double paper, double ours);

/// Within 5 % for "=" and "~"; a bound is met as it stands, ours being read with as many digits as
/// the paper prints, since a bound "at most 75" is not missed by 75.2.
bool agrees(double paper, Qualifier qualifier, double ours, Scale scale = Scale::plain);

// From shapes of curves to checks.

Judgement judgement(const Finding& finding);
/// The shape is asked of every series, and every one must have it.
Check each(std::vector<Selection> selections, std::function<Finding(const Series&)> shape);
/// The shape is asked of all series together.
Check all_series(std::vector<Selection> selections,
                 std::function<Finding(std::span<const Series>)> shape);
/// Selections two by two; the shape is asked of each pair, and all must have it.
Check in_pairs(std::vector<Selection> selections,
               std::function<Finding(const Series&, const Series&)> shape);
/// As many selections a group as `sizes` has it; best group first.
Check in_order(std::vector<Selection> selections, std::vector<std::size_t> sizes, Better better);
/// All of them must hold.
Check all_of(std::vector<Check> parts);

/// A system's rows along the parameter that the relation sweeps: one selection a size.
std::vector<Selection> along(const Record& record, const System& system);
/// The same of all systems that the record names, and of all that it leaves open.
std::vector<Selection> along_all(const Record& record);

Check order_check(const Record& record);
Check best_check(const Record& record);
Check compare_check(const Record& record);

/// Of a record whose relation only our reading of its words has.
std::optional<Check> sentence_check(const Record& record);
/// Of a record that speaks of MPI libraries.
std::optional<Check> mpi_relation_check(const Record& record);

}  // namespace railyard::reproduce
