#pragma once
/// What a paper states, as facts: one record a figure, ratio, relation or parameter, read from
/// data/papers.json; and the exceptions of data/exceptions.toml.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "railyard/results/row.hpp"

namespace railyard::reproduce {

enum class Kind : std::uint8_t {
    measurement,  ///< an absolute result
    ratio,        ///< a percentage or quotient of two
    relation,     ///< a result without a number
    parameter,    ///< a constant of the hardware, the software or the procedure
    context,      ///< a remark
};
std::string_view name(Kind kind);

/// How the paper says its value: "6.0", "about 6.0", "more than 20".
enum class Qualifier : std::uint8_t { equal, about, less, at_most, more, at_least };
std::string_view name(Qualifier qualifier);

/// A relation in a form that can be evaluated. Which members mean something depends on the type;
/// docs/reproduce.md lists them.
struct Relation {
    std::string type{};  ///< "order", "flat", "knee", ...
    std::vector<std::string> order{};
    std::string system{};
    std::string better{};  ///< "lower" or "higher"
    std::string metric{};  ///< instead of the record's
    std::string lhs{}, op{}, rhs{};
    std::string over{};  ///< the parameter that is swept
    std::string direction{}, strength{};
    std::optional<std::pair<double, double>> range{};  ///< of `over`, both included
    std::optional<double> tolerance_percent{}, value{}, low{}, high{}, after{}, at{}, queue{};
    std::string at_name{};       ///< a place without a number: "rendezvous_switch_bytes"
    results::Parameters when{};  ///< limits that hold for this relation only
    // Of our own readings of relations in words only:
    std::string statement{};        ///< what is checked, as people read it
    std::vector<Relation> parts{};  ///< of the type "all"
    std::string systems{};          ///< instead of the record's
};

struct Record {
    std::string id{};          ///< "liu04.latency.rdma_write.small.elan"
    std::string seed{};        ///< the paper: "liu04"
    std::string experiment{};  ///< "latency-uni"; or a mechanism or test bed
    Kind kind = Kind::context;
    std::string system{};  ///< "quadrics/elanlib", "all"
    std::string metric{};
    results::Parameters params{};
    std::optional<double> value{};
    std::string unit{};
    Qualifier qualifier = Qualifier::equal;
    std::optional<Relation> check{};  ///< none: a relation in words, which no program can check
    std::string where{};              ///< figure, table or section of the paper
};

/// All records of a file's text. Throws Error, naming `file`, the place inside and what is wrong.
std::vector<Record> read_records(std::string_view text, const std::string& file);

/// What the five papers state: carried in the program.
const std::vector<Record>& papers();

/// The bytes of data/papers.json; made by the build.
std::string_view papers_json();

/// A parameter of the record, if it has it and it is of that type.
std::optional<std::int64_t> number(const results::Parameters& parameters, const char* name);
std::optional<std::string> word(const results::Parameters& parameters, const char* name);

/// The record; one that the paper states in words only with our check, where the words are exact
/// enough to be checked. docs/reproduce.md has the reasons.
Record with_reading(const Record& record);

/// A record that the models are known not to give or that nothing here measures. The list is kept
/// honest from both sides: what is off or not measured must stand in it, and what has come right
/// must not.
struct Exception {
    std::string id;
    std::string reason;  ///< one of the words below
    std::string text;    ///< why, in a sentence or two
};

namespace reason {
// Of records that are off.
inline constexpr std::string_view contradiction = "contradiction";
inline constexpr std::string_view physics = "physics";
inline constexpr std::string_view not_understood = "not understood";
// Of records that nothing here measures.
inline constexpr std::string_view not_reproducible = "not reproducible";
}  // namespace reason

/// Whether the reason is that nothing measures the record; it does not excuse one that is off.
bool excuses_measuring(std::string_view reason);

/// Reads exceptions.toml, an exception a record: an id may be a pattern, "wu02.table1.sppm.*",
/// which stands for all results that it matches. Throws UsageError, with file and line, for what is
/// no exception or matches nothing in `records`.
std::vector<Exception> read_exceptions(std::string_view text, const std::string& file,
                                       const std::vector<Record>& records);

/// Those that the program carries.
std::vector<Exception> known_exceptions();

/// The bytes of data/exceptions.toml; made by the build.
std::string_view exceptions_toml();

}  // namespace railyard::reproduce
