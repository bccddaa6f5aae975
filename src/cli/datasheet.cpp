#include "cli/datasheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace railyard::cli {

namespace {

struct Widths {
    std::size_t name = 0;
    std::size_t value = 0;
};

/// The name and the description have been said already.
bool shown(const fabric::Part& part, const fabric::Parameter& parameter) {
    return !part.name.empty() || (parameter.name != "name" && parameter.name != "description");
}

Widths widths(const fabric::Datasheet& sheet) {
    Widths out;
    for (const auto& part : sheet.parts)
        for (const auto& parameter : part.parameters) {
            if (!shown(part, parameter)) continue;
            out.name = std::max(out.name, parameter.name.size());
            out.value = std::max(out.value, parameter.value.size());
        }
    return out;
}

std::string source(const fabric::Source& source, const std::string& own_file) {
    std::string out = source.evidence == fabric::Evidence::none
                          ? "no source"
                          : fmt::format("{}:", name(source.evidence));
    if (!source.records.empty()) out += fmt::format(" {}", fmt::join(source.records, ", "));
    if (!source.text.empty())
        out += fmt::format("{} {}", source.records.empty() ? "" : ";", source.text);
    if (source.file != own_file) out += fmt::format(" ({}:{})", source.file, source.line);
    return out;
}

std::string chain(const std::vector<std::string>& files) {
    std::string out;
    for (std::size_t i = 0; i < files.size(); ++i)
        out += fmt::format("{}{}", i == 0 ? "Parameters of " : ",\nwhich extends ", files[i]);
    return out + ":\n";
}

}  // namespace

std::string text(const fabric::Datasheet& sheet) {
    const Widths width = widths(sheet);
    const std::string own_file = sheet.files.empty() ? "" : sheet.files.front();
    std::string out = chain(sheet.files);
    for (const auto& part : sheet.parts) {
        out += part.name.empty() ? "\n" : fmt::format("\n[{}] {}\n", part.name, part.explanation);
        for (const auto& parameter : part.parameters) {
            if (!shown(part, parameter)) continue;
            out +=
                fmt::format("  {:<{}}  {:<{}}  {}{}\n", parameter.name, width.name, parameter.value,
                            width.value, parameter.explanation, parameter.set ? "" : " (default)");
            if (parameter.set)
                out += fmt::format("{:{}}{}\n", "", width.name + width.value + 8,
                                   source(parameter.source, own_file));
        }
    }
    return out;
}

}  // namespace railyard::cli
