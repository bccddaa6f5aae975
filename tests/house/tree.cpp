#include "house/tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "house/pattern.hpp"

namespace railyard::house {

namespace fs = std::filesystem;

std::string at(const File& file, std::size_t line, std::string_view what) {
    return file.path + ":" + std::to_string(line) + ": " + std::string(what);
}

File make_file(std::string path, std::string_view text) {
    File file{std::move(path), {}};
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);)
        file.lines.push_back(line);
    return file;
}

namespace {

void read_into(std::vector<File>& files, const fs::path& root, const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const bool binary = text.find('\0') != std::string::npos;
    if (!binary) files.push_back(make_file(fs::relative(path, root).string(), text));
}

}  // namespace

std::vector<File> read_files(const fs::path& root, const std::vector<std::string>& folders) {
    std::vector<File> files;
    for (const auto& folder : folders) {
        const fs::path start = root / folder;
        if (fs::is_regular_file(start)) {
            read_into(files, root, start);
        } else {
            for (const auto& entry : fs::recursive_directory_iterator(start))
                if (entry.is_regular_file()) read_into(files, root, entry.path());
        }
    }
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.path < b.path; });
    return files;
}

std::vector<File> read_project(const fs::path& root) {
    const std::set<std::string> not_ours = {".git", ".cache", "build", "out"};
    std::vector<std::string> folders;
    for (const auto& entry : fs::directory_iterator(root)) {
        const std::string name = entry.path().filename().string();
        if (!not_ours.contains(name)) folders.push_back(name);
    }
    return read_files(root, folders);
}

std::vector<Layer> read_layers(std::istream& in) {
    std::vector<Layer> layers;
    for (std::string line; std::getline(in, line);) {
        // CMake separates the dependencies by semicolons.
        std::replace(line.begin(), line.end(), ';', ' ');
        std::istringstream words(line);
        Place place;
        std::string name;
        if (!(words >> place.folder >> place.prefix >> name)) continue;
        if (layers.empty() || layers.back().name != name) layers.push_back({name, {}, {}});
        layers.back().places.push_back(std::move(place));
        for (std::string word; words >> word;)
            layers.back().dependencies.insert(word);
    }
    return layers;
}

std::vector<Include> includes_of(const File& file) {
    static const Pattern pattern(R"re(\s*#\s*include\s*["<]([^">]+)[">].*)re");
    std::vector<Include> found;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (const auto match = pattern.whole(file.lines[i]); !match.empty())
            found.push_back({i + 1, match[1]});
    }
    return found;
}

namespace {

/// The place whose folder or prefix holds `path` and is the longest to do so, and its layer.
std::pair<const Layer*, const Place*> holder(std::string_view path,
                                             const std::vector<Layer>& layers,
                                             std::string Place::*part) {
    std::pair<const Layer*, const Place*> best;
    for (const Layer& layer : layers)
        for (const Place& place : layer.places) {
            const bool inside = path.starts_with(place.*part + "/");
            if (inside && (!best.second || (place.*part).size() > (best.second->*part).size()))
                best = {&layer, &place};
        }
    return best;
}

}  // namespace

const Layer* layer_of(const File& file, const std::vector<Layer>& layers) {
    return holder(file.path, layers, &Place::folder).first;
}

Header find_header(std::string_view name, const std::vector<Layer>& layers) {
    const auto [layer, place] = holder(name, layers, &Place::prefix);
    if (!layer) return {};
    return {layer, place->folder + std::string(name.substr(place->prefix.size()))};
}

bool is_header(const File& file) {
    return file.path.ends_with(".hpp") || file.path.ends_with(".h");
}
bool is_source(const File& file) {
    return is_header(file) || file.path.ends_with(".cpp") || file.path.ends_with(".c");
}

}  // namespace railyard::house
