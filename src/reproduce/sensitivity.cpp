#include "reproduce/sensitivity.hpp"

#include <fmt/format.h>

#include <fnmatch.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <ranges>
#include <set>

#include "base/parse.hpp"
#include "experiments/core/plan.hpp"
#include "launch/job/job.hpp"
#include "launch/job/signals_and_limits.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"

namespace railyard::reproduce {

namespace {

namespace fs = std::filesystem;

/// So many numbers are varied at a time: enough to keep all cores busy, few enough to hear of
/// progress.
constexpr std::size_t batch = 8;

/// A folder that is gone with this object.
class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "railyard-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw Error("cannot make a folder like " + name);
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

/// "0.9 us" in two.
struct Quantity {
    double number = 0;
    std::string unit{};
    bool whole = false;  ///< a plain count
};

std::optional<Quantity> quantity_of(const std::string& value) {
    const std::size_t end = std::min(value.find(' '), value.size());
    const auto number = parse_number<double>(value.substr(0, end));
    if (!number) return {};
    const std::string unit = end < value.size() ? value.substr(end + 1) : "";
    return Quantity{*number, unit, unit.empty() && value.find('.') == value.npos};
}

/// What a unit of size stands for; 0 for other units.
double bytes_in(const std::string& unit) {
    if (unit == "B") return 1;
    if (unit == "KiB") return 1 << 10;
    if (unit == "MiB") return 1 << 20;
    return unit == "GiB" ? 1 << 30 : 0;
}

/// Whole, and never what it was.
double whole(double number, double factor) {
    const double near = std::round(number * factor);
    if (near != number) return near;
    return factor > 1 ? number + 1 : number - 1;
}

/// A number that is fitted or assumed, with a place where it stands.
bool counts(const fabric::Parameter& parameter) {
    const fabric::Evidence evidence = parameter.source.evidence;
    if (evidence != fabric::Evidence::fitted && evidence != fabric::Evidence::assumed) return false;
    const auto quantity = quantity_of(parameter.value);
    return quantity && quantity->number != 0;
}

/// One number changed in one direction, and the profiles that have it so.
struct Variation {
    const Number* number = nullptr;
    Effect* effect = nullptr;
    std::map<std::string, std::string> files{};  ///< the profile's path, by fabric
};

std::vector<results::Row> rows_of(std::span<const results::Row> rows, const Want& want) {
    std::vector<results::Row> out;
    std::ranges::copy_if(rows, std::back_inserter(out), [&](const results::Row& row) {
        return row.experiment == want.experiment && row.fabric == want.fabric;
    });
    return out;
}

/// Whether the number can matter to what this gave. What a library above costs shows above only,
/// and to whom a program talks is the program's alone.
bool reads(const Number& number, const Want& want, std::span<const results::Row> rows) {
    const experiments::Experiment* experiment = experiments::find(want.experiment);
    if (number.section == "mpi" && (experiment == nullptr || !experiment->mpi)) return false;
    return !std::ranges::all_of(rows_of(rows, want), [](const results::Row& row) {
        return row.metric == results::metric::destinations_per_process;
    });
}

class Study {
  public:
    Study(std::span<const Record> chosen, std::span<const Record> all,
          std::span<const Exception> exceptions, const Reproduction& base)
        : tasks_(tasks(chosen, all)),
          wants_(wants(selections(tasks_))),
          bases_(all, {}),
          figures_(all),
          exceptions_(exceptions),
          base_(base) {
        for (const Verdict& verdict : base.verdicts)
            before_.emplace(verdict.record.id, &verdict);
    }

    std::vector<std::string> fabrics() const {
        std::vector<std::string> out;
        for (const Want& want : wants_)
            if (std::ranges::find(out, want.fabric) == out.end()) out.push_back(want.fabric);
        return out;
    }

    /// Measures all of them, on all cores, and says what each does.
    void run(std::span<Variation> variations, const Progress& progress, unsigned jobs) const {
        const auto built = [](const Variation& variation) {
            return variation.effect->failure.empty();
        };
        std::vector<Want> todo;
        for (const Variation& variation : variations | std::views::filter(built))
            for (const Want& want : wanted(variation)) {
                todo.push_back(want);
                todo.back().fabric = variation.files.at(want.fabric);
            }
        const Measured measured = measure(todo, progress, {.jobs = jobs});
        for (Variation& variation : variations | std::views::filter(built))
            judge_one(variation, measured);
    }

  private:
    std::vector<Want> wanted(const Variation& variation) const {
        std::vector<Want> out;
        for (const Want& want : wants_)
            if (variation.files.contains(want.fabric) && reads(*variation.number, want, base_.rows))
                out.push_back(want);
        return out;
    }

    void judge_one(Variation& variation, const Measured& measured) const {
        Effect& effect = *variation.effect;
        Measured now{base_.rows, {}};
        for (const Want& want : wanted(variation)) {
            Want varied = want;
            varied.fabric = variation.files.at(want.fabric);
            const auto failed = measured.failures.find(std::pair(want.experiment, varied.fabric));
            if (failed != measured.failures.end()) {
                effect.failure = failed->second;
                return;
            }
            const auto before = rows_of(base_.rows, want);
            auto after = rows_of(measured.rows, varied);
            for (results::Row& row : after)
                row.fabric = want.fabric;
            if (before == after) continue;
            effect.moved = true;
            std::erase_if(now.rows, [&](const results::Row& row) {
                return row.experiment == want.experiment && row.fabric == want.fabric;
            });
            std::ranges::move(after, std::back_inserter(now.rows));
        }
        if (effect.moved) compare(effect, touched(variation), now);
    }

    /// The tasks that have something measured on one of its fabrics.
    std::vector<Task> touched(const Variation& variation) const {
        std::vector<Task> out;
        std::ranges::copy_if(tasks_, std::back_inserter(out), [&](const Task& task) {
            const auto* check = std::get_if<Check>(&task.check);
            return check != nullptr &&
                   std::ranges::any_of(check->selections, [&](const Selection& selection) {
                       return variation.files.contains(selection.fabric);
                   });
        });
        return out;
    }

    void compare(Effect& effect, const std::vector<Task>& tasks, const Measured& now) const {
        for (const Verdict& after : judge(tasks, now, bases_, figures_, exceptions_)) {
            const Verdict& before = *before_.at(after.record.id);
            if (after.outcome != before.outcome)
                effect.flips.push_back({after.record.id, before.outcome, after.outcome});
            const auto& was = before.judgement.ours;
            const auto& is = after.judgement.ours;
            if (!was || !is || *was == 0) continue;
            const double change = std::abs(*is / *was - 1);
            if (change <= effect.largest) continue;
            effect.largest = change;
            effect.record = after.record.id;
        }
    }

    std::vector<Task> tasks_;
    std::vector<Want> wants_;
    Bases bases_;  ///< what is fitted does not matter here
    Figures figures_;
    std::span<const Exception> exceptions_;
    const Reproduction& base_;
    std::map<std::string, const Verdict*> before_;
};

/// Makes models of all fabrics that have this number, with another value. From then on their files
/// are names only.
void make_models(Variation& variation, const fs::path& folder, std::string_view suffix) try {
    for (const std::string& fabric : variation.number->fabrics) {
        const Number& number = *variation.number;
        const fs::path file =
            folder / fmt::format("{}-{}-{}-{}.toml", fabric, number.section, number.key, suffix);
        const auto sheet = job::datasheet(fabric);
        results::write_file(file, with_value(sheet->profile, number, variation.effect->value));
        variation.files[fabric] = file.string();
        job::find_fabric(file.string());
    }
} catch (const Error& error) {
    variation.effect->failure = error.what();
}

/// Each of them made less and more. The folder that their models are called by is gone again.
std::vector<Variation> variations_of(std::span<Sensitivity> some, std::string& folder_name) {
    // A signal that ends this process comes when the folder is gone, or finds none.
    const job::SignalsBlocked blocked;
    const Folder folder;
    folder_name = folder.path().string() + "/";
    std::vector<Variation> out;
    for (Sensitivity& one : some) {
        one.less.value = scaled(one.number.value, 1 - sensitivity_step);
        one.more.value = scaled(one.number.value, 1 + sensitivity_step);
        for (Effect* effect : {&one.less, &one.more}) {
            out.push_back({.number = &one.number, .effect = effect});
            make_models(out.back(), folder.path(), effect == &one.less ? "less" : "more");
        }
    }
    return out;
}

}  // namespace

std::vector<Number> numbers(std::span<const std::string> fabrics) {
    std::vector<Number> out;
    std::map<std::string, std::size_t> places;  // by file and key
    for (const std::string& fabric : fabrics) {
        const auto sheet = job::datasheet(fabric);
        if (!sheet) continue;
        for (const fabric::Part& part : sheet->parts)
            for (const fabric::Parameter& parameter : part.parameters) {
                if (!counts(parameter)) continue;
                const std::string& file = parameter.source.file;
                const auto [place, is_new] = places.emplace(
                    fmt::format("{} {}.{}", file, part.name, parameter.name), out.size());
                if (is_new)
                    out.push_back({.profile = fs::path(file).stem().string(),
                                   .section = part.name,
                                   .key = parameter.name,
                                   .value = parameter.value,
                                   .evidence = parameter.source.evidence});
                out[place->second].fabrics.push_back(fabric);
            }
    }
    return out;
}

std::string scaled(const std::string& value, double factor) {
    const auto quantity = quantity_of(value);
    if (!quantity) throw Error(fmt::format("'{}' is no number", value));
    if (quantity->whole) return fmt::format("{:.0f}", whole(quantity->number, factor));
    if (const double bytes = bytes_in(quantity->unit); bytes > 0)
        return fmt::format("{:.0f} B", whole(quantity->number * bytes, factor));
    // As many digits as profiles have.
    const std::string number = fmt::format("{:.6g}", quantity->number * factor);
    return quantity->unit.empty() ? number : number + " " + quantity->unit;
}

std::string with_value(const std::string& profile, const Number& number, const std::string& value) {
    // Every key and every section begins a line.
    const std::string text = "\n" + profile;
    const std::string key = fmt::format("\n{} = ", number.key);
    const std::size_t section =
        number.section.empty() ? 0 : text.find(fmt::format("\n[{}]\n", number.section));
    const std::size_t begin = section == text.npos ? section : text.find(key, section);
    if (begin == text.npos) throw Error(fmt::format("the profile has no {}", number.name()));
    const std::size_t at = begin + key.size();
    const bool quoted = text[at] == '"';
    const std::size_t end = quoted ? text.find('"', at + 1) + 1 : text.find_first_of(" \n", at);
    return text.substr(1, at - 1) + (quoted ? '"' + value + '"' : value) + text.substr(end);
}

std::vector<Sensitivity> sensitivities(std::span<const Record> chosen, std::span<const Record> all,
                                       std::span<const Exception> exceptions,
                                       const Reproduction& base, const std::string& pattern,
                                       const Progress& progress, unsigned jobs) {
    const Study study(chosen, all, exceptions, base);
    std::vector<Sensitivity> out;
    for (Number& number : numbers(study.fabrics()))
        if (pattern.empty() || ::fnmatch(pattern.c_str(), number.name().c_str(), 0) == 0)
            out.push_back({.number = std::move(number)});
    if (out.empty())
        throw UsageError(fmt::format(
            "--sensitivity: '{}' is no fitted or assumed number of the profiles that are measured "
            "here; they are called as 'quadrics elan.check'",
            pattern));
    for (std::size_t first = 0; first < out.size(); first += batch) {
        const std::size_t last = std::min(first + batch, out.size());
        std::string folder_name;
        std::vector<Variation> variations =
            variations_of(std::span(out).subspan(first, last - first), folder_name);
        study.run(
            variations,
            [&](std::string_view what) {
                std::string text(what);
                if (const auto at = text.find(folder_name); at != text.npos)
                    text.erase(at, folder_name.size());
                if (progress)
                    progress(fmt::format("numbers {} to {} of {}: {}", first + 1, last, out.size(),
                                         text));
            },
            jobs);
    }
    return out;
}

}  // namespace railyard::reproduce
