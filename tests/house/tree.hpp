#pragma once
/// The source tree as the house tests see it: files as lines of text, and the floor plan that the
/// build wrote down.

#include <filesystem>
#include <istream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::house {

struct File {
    std::string path;  ///< from the root of the tree, e.g. "include/railyard/base/time.hpp"
    std::vector<std::string> lines;
};

/// A folder of the tree, and how files include its headers: "src/base" is "base",
/// "include/railyard/base" is "railyard/base".
struct Place {
    std::string folder;
    std::string prefix;
};

/// What the build's layers.txt says of a layer, a line a place.
struct Layer {
    std::string name;
    std::vector<Place> places;
    std::set<std::string> dependencies;  ///< names
};

struct Include {
    std::size_t line;  ///< counted from 1
    std::string header;
};

/// "src/a.hpp:7: what is wrong": one a line, so that a failing test is a list of things to do.
using Complaints = std::vector<std::string>;
std::string at(const File& file, std::size_t line, std::string_view what);

File make_file(std::string path, std::string_view text);
/// Every text file under `folders` of `root`, in the order of paths. A folder may also be a file.
std::vector<File> read_files(const std::filesystem::path& root,
                             const std::vector<std::string>& folders);
/// Everything that belongs to the project: the root's folders and files, without what is built.
std::vector<File> read_project(const std::filesystem::path& root);

std::vector<Layer> read_layers(std::istream& in);
std::vector<Include> includes_of(const File& file);

/// The layer that a file belongs to, or null: that with the longest folder that holds it.
const Layer* layer_of(const File& file, const std::vector<Layer>& layers);
/// The layer that owns a header by the name under which it is included, or null. `file` is then
/// where the header must be.
struct Header {
    const Layer* layer = nullptr;
    std::string file;
};
Header find_header(std::string_view name, const std::vector<Layer>& layers);

bool is_source(const File& file);
bool is_header(const File& file);

}  // namespace railyard::house
