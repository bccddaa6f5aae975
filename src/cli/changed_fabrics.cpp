#include "cli/changed_fabrics.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parse.hpp"
#include "cli/words.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "reproduce/sensitivity.hpp"

namespace railyard::cli {

namespace {

/// "2x", "2×" or "0.5*"; none: it is a value.
std::optional<double> factor_of(std::string_view value) {
    for (const std::string_view sign : {"x", "×", "*"})
        if (value.ends_with(sign))
            return parse_number<double>(value.substr(0, value.size() - sign.size()));
    return std::nullopt;
}

/// Where the fabric has it, and what it is.
reproduce::Number number_of(const std::string& fabric, const fabric::Datasheet& sheet,
                            const Change& change) {
    std::vector<std::string> names;
    for (const fabric::Part& part : sheet.parts)
        for (const fabric::Parameter& parameter : part.parameters) {
            reproduce::Number number{
                .section = part.name, .key = parameter.name, .value = parameter.value};
            if (number.path() == change.key) return number;
            names.push_back(number.path());
        }
    throw UsageError("--with, --sweep: " +
                     unknown("value", change.key, names, "railyard fabrics " + fabric));
}

}  // namespace

Change parse_change(std::string_view option, std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
        throw UsageError(fmt::format(
            "{}: expected a value of a profile, as link.rate=2x, found '{}'", option, text));
    return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::string ChangedFabrics::make(const std::string& fabric, std::span<const Change> changes) {
    if (changes.empty()) return fabric;
    const std::string base = fabric_named(fabric).name;
    const auto sheet = job::datasheet(fabric);
    if (!sheet)
        throw UsageError(
            fmt::format("--with, --sweep: {} has no profile that could be changed", base));
    std::string profile = sheet->profile;
    std::string name = base;
    for (const Change& change : changes) {
        const reproduce::Number number = number_of(base, *sheet, change);
        const auto factor = factor_of(change.value);
        if (factor && *factor <= 0)
            throw UsageError(fmt::format("{}: a factor is more than 0", change.text()));
        try {
            profile = reproduce::with_value(
                profile, number, factor ? reproduce::scaled(number.value, *factor) : change.value);
        } catch (const UsageError&) {
            throw;
        } catch (const Error& error) {
            throw UsageError(fmt::format("{}: {}", change.text(), error.what()));
        }
        name += "+" + change.text();
    }
    // What names may not have.
    for (const std::string_view sign : {"×", "=", "/", " "})
        for (std::size_t at = 0; (at = name.find(sign)) != std::string::npos;)
            name.replace(at, sign.size(), sign == "×" ? "x" : "-");
    std::ranges::replace(name, '*', 'x');
    // Profiles are told apart by what their paths lead to: each has a name of its own.
    Descriptor file(::memfd_create(fmt::format("profile-{}", files_.size()).c_str(), MFD_CLOEXEC));
    const std::string text = fmt::format("name = \"{}\"\n{}", name, profile);
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw system_error("memory for a profile");
    const std::string path = fmt::format("/proc/self/fd/{}", file.get());
    files_.push_back(std::move(file));
    static_cast<void>(fabric_named(path));  // says what is wrong with it
    return path;
}

}  // namespace railyard::cli
