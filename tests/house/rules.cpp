#include "house/rules.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "house/pattern.hpp"

namespace railyard::house {

namespace {

/// "src/base/log.hpp" as "base/log.hpp"; empty for what is not in src/.
std::string_view under_src(const File& file) {
    std::string_view path = file.path;
    return path.starts_with("src/") ? path.substr(4) : std::string_view();
}

/// "interconnects/real/shm/nic.hpp" as "real/shm"; empty for what is in no folder of a fabric.
std::string_view room_of(std::string_view path) {
    constexpr std::string_view prefix = "interconnects/";
    if (!path.starts_with(prefix)) return {};
    path.remove_prefix(prefix.size());
    const auto kind = path.find('/');
    const auto slash = kind == std::string_view::npos ? kind : path.find('/', kind + 1);
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

/// Rooms of what all virtual or all real fabrics share, and of what some of them do.
bool is_common(std::string_view room) {
    return room.ends_with("/common") || room == "virtual/hardware";
}

/// Quadrics is one interconnect in five rooms; which stands on which, the layers say.
bool is_quadrics(std::string_view room) {
    return room.starts_with("quadrics/");
}

std::string without_comment(const std::string& line) {
    return line.substr(0, line.find("//"));
}

void complain_about(Complaints& complaints, const File& file, const Pattern& pattern,
                    std::string_view what) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        const std::string code = without_comment(file.lines[i]);
        if (const auto match = pattern.first(code); !match.empty())
            complaints.push_back(at(file, i + 1, match[0] + ": " + std::string(what)));
    }
}

}  // namespace

Complaints check_floors(const std::vector<Layer>& layers) {
    Complaints complaints;
    std::set<std::string> below;
    for (const Layer& layer : layers) {
        for (const std::string& name : layer.dependencies)
            if (!below.contains(name))
                complaints.push_back("layer " + layer.name + " depends on " + name +
                                     ", which is not declared before it");
        below.insert(layer.name);
    }
    return complaints;
}

Complaints check_include_directions(const std::vector<File>& sources,
                                    const std::vector<Layer>& layers) {
    Complaints complaints;
    std::set<std::string_view> known;
    for (const File& file : sources)
        known.insert(file.path);
    for (const File& file : sources) {
        if (!is_source(file)) continue;
        const Layer* from = layer_of(file, layers);
        if (!from) {
            complaints.push_back(at(file, 1, "belongs to no layer of src/CMakeLists.txt"));
            continue;
        }
        for (const auto& [line, name] : includes_of(file)) {
            const Header header = find_header(name, layers);
            if (!header.layer) continue;  // a library's
            if (!known.contains(header.file))
                complaints.push_back(at(file, line, name + " does not exist"));
            else if (header.layer != from && !from->dependencies.contains(header.layer->name))
                complaints.push_back(at(file, line,
                                        "layer " + from->name + " may not include " + name +
                                            " of layer " + header.layer->name));
        }
    }
    return complaints;
}

Complaints check_fabric_privacy(const std::vector<File>& src) {
    Complaints complaints;
    for (const File& file : src) {
        const std::string_view path = under_src(file);
        const bool is_registry = path.starts_with("interconnects/registry") ||
                                 path.starts_with("interconnects/engines.");
        for (const auto& [line, header] : includes_of(file)) {
            const std::string_view to = room_of(header);
            const std::string_view from = room_of(path);
            const bool shared =
                !from.empty() && (is_common(to) || (is_quadrics(from) && is_quadrics(to)));
            if (!to.empty() && to != from && !shared && !is_registry)
                complaints.push_back(
                    at(file, line, "only the registry and the fabric itself include " + header));
            if (header.starts_with("interconnects/registry") && !is_registry &&
                !path.starts_with("launch/"))
                complaints.push_back(at(file, line, "only launch/ asks the registry"));
        }
    }
    return complaints;
}

Complaints check_no_fabric_is_named(const std::vector<File>& src) {
    std::set<std::string> fabrics;
    for (const File& file : src)
        // The rooms of Quadrics are no names of fabrics.
        if (const auto room = room_of(under_src(file));
            !room.empty() && !is_common(room) && !is_quadrics(room))
            fabrics.insert(std::string(room.substr(room.find('/') + 1)));
    fabrics.insert("quadrics");
    Complaints complaints;
    for (const File& file : src) {
        const std::string_view path = under_src(file);
        if (!path.starts_with("experiments/") && !path.starts_with("mpi/")) continue;
        for (const std::string& fabric : fabrics)
            complain_about(complaints, file, Pattern('"' + fabric + '"'), "ask Traits instead");
    }
    return complaints;
}

Complaints check_time_belongs_to_host(const std::vector<File>& src) {
    static const Pattern machine_time(
        R"(std::chrono|this_thread|\bticks::|)"
        R"(\b(clock_gettime|clock_nanoseconds|gettimeofday|usleep|nanosleep)\b)");
    static const Pattern machine_chance(R"(\b(random_device|getpid|getrandom)\b)");
    Complaints complaints;
    for (const File& file : src) {
        const std::string_view path = under_src(file);
        const bool in_virtual_time = path.starts_with("sim/") ||
                                     path.starts_with("interconnects/virtual/") ||
                                     path.starts_with("interconnects/quadrics/");
        // The physical limits are measured by raw code, with no Host under it.
        const bool raw = path.starts_with("experiments/raw/");
        // What is read at every call must cost less than a Host's clock; in virtual time the
        // recorder asks the Host like everybody.
        const bool recorder = path == "mpi/recording/recorder.cpp";
        const bool above =
            (path.starts_with("experiments/") && !raw) || (path.starts_with("mpi/") && !recorder);
        if (in_virtual_time || above)
            complain_about(complaints, file, machine_time, "time belongs to the Host");
        if (in_virtual_time)
            complain_about(complaints, file, machine_chance, "a simulation must repeat itself");
    }
    return complaints;
}

Complaints check_headers(const std::vector<File>& src) {
    Complaints complaints;
    for (const File& file : src) {
        if (!is_header(file)) continue;
        if (file.lines.empty() || file.lines[0] != "#pragma once")
            complaints.push_back(at(file, 1, "a header starts with #pragma once"));
        else if (file.lines.size() < 2 || !file.lines[1].starts_with("/// "))
            complaints.push_back(at(file, 2, "expected '/// ' and what the header is for"));
    }
    return complaints;
}

Complaints check_length(const std::vector<File>& src, std::size_t most_lines) {
    Complaints complaints;
    for (const File& file : src)
        if (is_source(file) && file.lines.size() > most_lines)
            complaints.push_back(at(file, file.lines.size(),
                                    "over " + std::to_string(most_lines) +
                                        " lines: it holds two ideas; give each a file"));
    return complaints;
}

Complaints check_tests_are_built(const std::vector<File>& tests) {
    static const Pattern program(R"re(^\s*railyard_test\((\w+)(?:\s+FOLDER\s+([\w/]+))?)re");
    std::set<std::string> built;
    for (const File& file : tests) {
        if (file.path != "tests/CMakeLists.txt") continue;
        for (const std::string& line : file.lines) {
            if (const auto match = program.first(line); !match.empty())
                built.insert("tests/" + (match[2].empty() ? match[1] : match[2]));
        }
    }
    Complaints complaints;
    for (const File& file : tests) {
        if (!file.path.ends_with("_test.cpp")) continue;
        if (!built.contains(file.path.substr(0, file.path.rfind('/'))))
            complaints.push_back(
                at(file, 1, "no railyard_test() in tests/CMakeLists.txt builds it"));
    }
    return complaints;
}

Complaints check_leftovers(const std::vector<File>& project) {
    // Written in pieces, so that this file does not complain about itself.
    static const Pattern note(R"(\b(TO)"
                              R"(DO|FIX)"
                              R"(ME|XX)"
                              R"(X)\b)");
    static const Pattern machine_path(R"((^|[^A-Za-z0-9_.$}*/-])/(ho)"
                                      R"(me|ro)"
                                      R"(ot|Us)"
                                      R"(ers|wo)"
                                      R"(rk)/)");
    Complaints complaints;
    for (const File& file : project) {
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            if (!note.first(file.lines[i]).empty())
                complaints.push_back(at(file, i + 1, "a note to self: do it, or open an issue"));
            if (!machine_path.first(file.lines[i]).empty())
                complaints.push_back(at(file, i + 1, "a path of one machine"));
        }
    }
    return complaints;
}

Complaints check_links(const std::vector<File>& project, const std::filesystem::path& root) {
    static const Pattern link(R"re(\]\(([^)#\s]+)(#[^)]*)?\))re");
    Complaints complaints;
    for (const File& file : project) {
        if (!file.path.ends_with(".md")) continue;
        const auto folder = (root / file.path).parent_path();
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::string& line = file.lines[i];
            for (const Pattern::Match& m : link.all(line)) {
                const std::string target = m[1];
                if (target.find("://") != std::string::npos) continue;
                if (!std::filesystem::exists(folder / target))
                    complaints.push_back(at(file, i + 1, target + " does not exist"));
            }
        }
    }
    return complaints;
}

namespace {

/// "Suite.Name" of every test in the files, whichever macro makes it.
std::set<std::string> tests_in(const std::vector<File>& files) {
    static const Pattern macro(R"re(\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)\s*\))re");
    static const Pattern from_cmake(R"re(\badd_test\(NAME (\w+)\.(\w+))re");
    std::set<std::string> names;
    for (const File& file : files) {
        std::string text;
        for (const auto& line : file.lines)
            text += line + "\n";
        for (const Pattern* pattern : {&macro, &from_cmake})
            for (const Pattern::Match& m : pattern->all(text))
                names.insert(m[1] + "." + m[2]);
    }
    return names;
}

}  // namespace

Complaints check_named_tests(const std::vector<File>& project, const std::vector<File>& tests) {
    static const Pattern named(R"re(`([A-Z]\w*\.(?!md|txt)\w+)`)re");
    const std::set<std::string> known = tests_in(tests);
    Complaints complaints;
    for (const File& file : project) {
        if (!file.path.ends_with(".md")) continue;
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::string& line = file.lines[i];
            for (const Pattern::Match& m : named.all(line))
                if (const std::string name = m[1]; !known.contains(name))
                    complaints.push_back(at(file, i + 1, "there is no test " + name));
        }
    }
    return complaints;
}

}  // namespace railyard::house
