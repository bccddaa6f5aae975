#pragma once
/// What a modelled fabric is made of, for people to read: its parts, every parameter of them, and
/// where each value comes from. Nothing runs by it.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::fabric {

/// What stands behind a value.
enum class Evidence : std::uint8_t {
    none,     ///< nobody says
    stated,   ///< a document gives it
    fitted,   ///< chosen so that published results come out: those prove nothing about the model
    assumed,  ///< a guess
    derived,  ///< by arithmetic from other values
};

std::string_view name(Evidence evidence);

struct Source {
    Evidence evidence = Evidence::none;
    std::vector<std::string> records;  ///< published results, by id
    std::string text;                  ///< what else the comment says
    std::string file;
    unsigned line = 0;
};

struct Parameter {
    std::string name;
    std::string value;
    std::string explanation;
    bool set = false;  ///< by the profile, or by one that it extends; else the default
    Source source;     ///< of a value that is set
};

struct Part {
    std::string name;
    std::string explanation;
    std::vector<Parameter> parameters;
};

struct Datasheet {
    std::vector<std::string> files;  ///< the profile, the one that it extends, and so on
    std::vector<Part> parts;         ///< the first, without a name, is the fabric as a whole
    std::string profile;             ///< all of it as a profile that stands alone
    /// The published records that some parameter names as its evidence, by id.
    std::set<std::string> cited_records;
};

}  // namespace railyard::fabric
