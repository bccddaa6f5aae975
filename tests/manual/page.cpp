#include "manual/page.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

namespace railyard::manual {

namespace {

constexpr std::string_view mark = "```";
constexpr std::string_view prompt = "$ ";
constexpr std::string_view some = "…";

std::string_view trimmed(std::string_view line) {
    while (!line.empty() && line.front() == ' ')
        line.remove_prefix(1);
    while (!line.empty() && line.back() == ' ')
        line.remove_suffix(1);
    return line;
}

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Numbers become '#', with their signs, and any spaces one.
std::string masked(std::string_view line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (is_digit(line[i])) {
            if (!out.empty() && (out.back() == '-' || out.back() == '+') &&
                (out.size() == 1 || out[out.size() - 2] == ' '))
                out.pop_back();
            while (i + 1 < line.size() &&
                   (is_digit(line[i + 1]) ||
                    (line[i + 1] == '.' && i + 2 < line.size() && is_digit(line[i + 2]))))
                ++i;
            out += '#';
        } else if (line[i] != ' ' || (!out.empty() && out.back() != ' ')) {
            out += line[i];
        }
    }
    return std::string(trimmed(out));
}

/// As a glob whose only star is "…".
bool line_matches(std::string_view shown, std::string_view line) {
    const auto star = shown.find(some);
    if (star == shown.npos) return shown == line;
    if (!line.starts_with(shown.substr(0, star))) return false;
    shown.remove_prefix(star + some.size());
    line.remove_prefix(star);
    for (; !line_matches(shown, line); line.remove_prefix(1))
        if (line.empty()) return false;
    return true;
}

bool stands_for_lines(const std::string& line) {
    return trimmed(line) == "..." || trimmed(line) == some;
}

bool match_from(const std::vector<std::string>& shown, std::size_t i,
                const std::vector<std::string>& lines, std::size_t j) {
    if (i == shown.size()) return j == lines.size();
    if (stands_for_lines(shown[i])) {
        for (std::size_t to = j; to <= lines.size(); ++to)
            if (match_from(shown, i + 1, lines, to)) return true;
        return false;
    }
    return j < lines.size() && line_matches(shown[i], lines[j]) &&
           match_from(shown, i + 1, lines, j + 1);
}

bool is_command(std::string_view line) {
    static constexpr std::array programs{"railyard",
                                         "railyard-bench",
                                         "railyard-mpi-suite",
                                         "mpiexec",
                                         "mpirun",
                                         "mpicc",
                                         "mpicxx",
                                         "mpifort",
                                         "mpiexec.hydra",
                                         "mpirun.openmpi",
                                         "srun",
                                         "salloc",
                                         "sbatch",
                                         "make",
                                         "cmake",
                                         "ctest",
                                         "apt",
                                         "apt-get",
                                         "podman",
                                         "docker",
                                         "man",
                                         "git",
                                         "update-alternatives",
                                         "pkg-config",
                                         "gdb",
                                         "source",
                                         "jq"};
    if (line.starts_with(prompt)) return true;
    if (line.starts_with("build/") || line.starts_with("scripts/") || line.starts_with("./"))
        return true;
    const std::string_view first = line.substr(0, line.find(' '));
    return first.size() < line.size() && std::ranges::find(programs, first) != programs.end();
}

}  // namespace

bool Fence::has(std::string_view word) const {
    return std::ranges::find(words, word) != words.end();
}

std::optional<std::string> Fence::file() const {
    if (has_commands() || words.empty()) return std::nullopt;
    return words.front();
}

std::string Fence::not_run() const {
    for (const Reason& reason : reasons())
        if (has(reason.word)) return std::string(reason.word);
    return {};
}

const std::vector<Reason>& reasons() {
    static const std::vector<Reason> all{
        {"project", "builds, tests or packages the project itself, as other tests do"},
        {"cluster", "needs Slurm, another launcher or further hosts"},
        {"system", "changes the system that it runs on"},
        {"tools", "needs a program that nothing else here needs"},
        {"long", "takes minutes"},
    };
    return all;
}

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::vector<Fence> fences_of(const std::string& text) {
    std::vector<Fence> fences;
    bool inside = false;
    std::size_t indent = 0;
    std::size_t number = 0;
    for (const std::string& line : split_lines(text)) {
        ++number;
        const std::string_view bare = trimmed(line);
        if (inside && bare == mark) {
            inside = false;
        } else if (inside) {
            const std::size_t spaces = std::min(line.find_first_not_of(' '), indent);
            fences.back().lines.push_back(line.substr(std::min(spaces, line.size())));
        } else if (bare.starts_with(mark)) {
            inside = true;
            indent = line.find('`');
            Fence fence{.line = number + 1, .language = {}, .words = {}, .lines = {}};
            fence.words = words_of(std::string(bare.substr(mark.size())));
            if (!fence.words.empty()) {
                fence.language = fence.words.front();
                fence.words.erase(fence.words.begin());
            }
            fences.push_back(std::move(fence));
        }
    }
    return fences;
}

std::vector<Step> steps_of(const Fence& fence) {
    std::vector<Step> steps;
    bool goes_on = false;
    for (std::size_t i = 0; i < fence.lines.size(); ++i) {
        const std::string& line = fence.lines[i];
        if (goes_on) {
            steps.back().command += "\n" + line;
            steps.back().first = i + 1;
        } else if (line.starts_with(prompt)) {
            steps.push_back({line.substr(prompt.size()), i + 1, {}});
        } else if (!steps.empty()) {
            steps.back().output.push_back(line);
            continue;
        } else {
            continue;
        }
        goes_on = line.ends_with("\\");
    }
    return steps;
}

std::vector<std::string> commands_of(const Fence& fence) {
    std::vector<std::string> commands;
    if (fence.language == "console") {
        for (const Step& step : steps_of(fence))
            commands.push_back(step.command);
        return commands;
    }
    bool goes_on = false;
    for (const std::string& line : fence.lines) {
        const std::string_view bare = trimmed(line);
        if (goes_on)
            commands.back() += "\n" + line;
        else if (!bare.empty() && !bare.starts_with('#'))
            commands.push_back(line);
        else
            continue;
        goes_on = line.ends_with("\\");
    }
    return commands;
}

std::vector<std::string> loose_commands(const std::string& text) {
    std::vector<std::string> found;
    std::vector<std::pair<std::size_t, std::size_t>> fenced;  // without the marks
    for (const Fence& fence : fences_of(text)) {
        fenced.emplace_back(fence.line, fence.line + fence.lines.size());
        if (fence.has_commands()) continue;
        for (std::size_t i = 0; i < fence.lines.size(); ++i)
            if (fence.lines[i].starts_with(prompt))
                found.push_back(std::to_string(fence.line + i) + ": " + fence.lines[i]);
    }
    std::size_t number = 0;
    for (const std::string& line : split_lines(text)) {
        ++number;
        const bool is_fenced = std::ranges::any_of(fenced, [&](const auto& lines) {
            return number >= lines.first && number < lines.second;
        });
        if (!is_fenced && line.starts_with("    ") && is_command(trimmed(line)))
            found.push_back(std::to_string(number) + ": " + std::string(trimmed(line)));
    }
    return found;
}

bool is_as_shown(const std::vector<std::string>& shown, const std::vector<std::string>& lines,
                 bool varies) {
    if (!varies) return match_from(shown, 0, lines, 0);
    const auto masked_lines = [](std::vector<std::string> all) {
        for (std::string& line : all)
            if (!stands_for_lines(line)) line = masked(line);
        return all;
    };
    return match_from(masked_lines(shown), 0, masked_lines(lines), 0);
}

bool leaves_out(const std::vector<std::string>& shown) {
    return std::ranges::any_of(shown, [](const std::string& line) {
        return stands_for_lines(line) || line.find(some) != line.npos;
    });
}

}  // namespace railyard::manual
