#pragma once
/// Rows and machines as JSON values, and a reader that says where a file is wrong. For those who
/// read or write files: the library stays out of sight of everybody else.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "railyard/results/results.hpp"
#include "railyard/results/row.hpp"

namespace railyard::results {

/// Keeps fields in the order in which they are written here.
using Json = nlohmann::ordered_json;

Json to_json_value(const Row& row);
Json to_json_value(const Machine& machine);

/// A JSON value that knows where it comes from, so that a complaint can say so:
/// "out.json: rows[3].value: expected a number, found a string".
class Reader {
  public:
    Reader(const Json& value, std::string file, std::string place = "");
    static Json parse(std::string_view text, const std::string& file);

    /// A field of this object; complains if there is none.
    Reader field(const char* name) const;
    bool has(const char* name) const;
    /// The elements of this array.
    std::vector<Reader> elements() const;
    std::vector<std::pair<std::string, Reader>> members() const;

    std::string text() const;
    double number() const;
    std::uint64_t count() const;
    bool truth() const;
    Value value() const;

    [[noreturn]] void complain(const std::string& what) const;

  private:
    [[noreturn]] void expected(const char* what) const;

    const Json* value_;
    std::string file_;
    std::string place_;
};

Row read_row(const Reader& reader);
Machine read_machine(const Reader& reader);

}  // namespace railyard::results
