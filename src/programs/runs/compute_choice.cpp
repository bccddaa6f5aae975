#include "programs/runs/compute_choice.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <optional>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::runs {

using From = ComputeChoice::From;

namespace {

constexpr double largest_factor = 1e6;

/// What stands behind one of the signs for "times"; nothing if none stands there.
std::optional<double> parse_factor(std::string_view text) {
    for (const std::string_view sign : {"\u00d7", "x", "*"}) {
        if (!text.starts_with(sign)) continue;
        text.remove_prefix(sign.size());
        if (const auto factor = parse_number<double>(text);
            factor && *factor > 0 && *factor <= largest_factor)
            return factor;
    }
    return std::nullopt;
}

std::optional<ComputeChoice> parse(std::string_view text) {
    if (text == "none") return ComputeChoice{};
    struct Word {
        std::string_view name;
        From from;
        bool has_file;
        bool has_factor;
    };
    for (const Word& word :
         {Word{"measured", From::measurement, false, true},
          Word{"record-medians", From::medians, true, false},
          Word{"record", From::recording, true, false}, Word{"replay", From::file, true, true}}) {
        if (!text.starts_with(word.name)) continue;
        ComputeChoice choice{.from = word.from, .factor = 1, .file = {}};
        std::string_view rest = text.substr(word.name.size());
        if (word.has_file) {
            const auto colon = rest.find(':');
            if (colon == std::string_view::npos || colon + 1 == rest.size()) return std::nullopt;
            choice.file = rest.substr(colon + 1);
            rest = rest.substr(0, colon);
        }
        if (rest.empty()) return choice;
        const auto factor = word.has_factor ? parse_factor(rest) : std::nullopt;
        if (!factor) return std::nullopt;
        choice.factor = *factor;
        return choice;
    }
    return std::nullopt;
}

}  // namespace

ComputeChoice parse_compute(std::string_view option, std::string_view text) {
    if (const auto choice = parse(text)) return *choice;
    throw UsageError(
        fmt::format("{}: expected none, measured, measured×FACTOR, record:FILE, "
                    "record-medians:FILE, replay:FILE or replay×FACTOR:FILE, found '{}'; a factor "
                    "is a number over 0 and up to {:.0f}, "
                    "and x or * stand for ×",
                    option, text, largest_factor));
}

std::string to_string(const ComputeChoice& choice) {
    const std::string times = choice.factor == 1 ? "" : fmt::format("×{}", choice.factor);
    switch (choice.from) {
        case From::nowhere:
            return "none";
        case From::measurement:
            return "measured" + times;
        case From::recording:
            return "record:" + choice.file.string();
        case From::medians:
            return "record-medians:" + choice.file.string();
        case From::file:
            return "replay" + times + ":" + choice.file.string();
    }
    return "?";
}

}  // namespace railyard::runs
