// The table of docs/models.md that counts each profile's numbers and what they are held against.

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>

#include "launch/job/job.hpp"
#include "reproduce/verdict.hpp"
#include "reproduce/wanted.hpp"
#include "results/file.hpp"

namespace railyard::reproduce {
namespace {

struct ModelCounts {
    std::size_t numbers = 0, own = 0, fitted = 0, assumed = 0;
    std::size_t figures_fitted = 0, figures_predicted = 0, relations_predicted = 0;
};

/// Words and switches are none.
bool is_number(const fabric::Parameter& parameter) {
    return parameter.set && std::isdigit(static_cast<unsigned char>(parameter.value[0])) != 0;
}

ModelCounts count_numbers(const std::string& fabric) {
    ModelCounts counts;
    const auto sheet = job::datasheet(fabric);
    for (const fabric::Part& part : sheet->parts)
        for (const fabric::Parameter& parameter : part.parameters) {
            if (!is_number(parameter)) continue;
            ++counts.numbers;
            const fabric::Source& source = parameter.source;
            if (std::filesystem::path(source.file).stem() == fabric) ++counts.own;
            if (source.evidence == fabric::Evidence::fitted) ++counts.fitted;
            if (source.evidence == fabric::Evidence::assumed) ++counts.assumed;
        }
    return counts;
}

std::map<std::string, ModelCounts> count_models() {
    std::map<std::string, ModelCounts> models;
    Cited cited;
    for (const System& system : systems()) {
        const std::string fabric(system.fabric);
        if (!models.emplace(fabric, ModelCounts{}).second) continue;
        models[fabric] = count_numbers(fabric);
        cited[fabric] = job::cited_records(fabric);
    }
    const Bases bases(papers(), cited);
    for (const Task& task : tasks(papers(), papers())) {
        const auto* check = std::get_if<Check>(&task.check);
        if (check == nullptr) continue;
        const bool fitted = bases.of(task.record, *check) == Basis::fitted;
        const Class what = class_of(task.record);
        std::set<std::string> fabrics;
        for (const Selection& selection : check->selections)
            fabrics.insert(selection.fabric);
        for (const std::string& fabric : fabrics) {
            ModelCounts& counts = models.at(fabric);
            if (what == Class::performance)
                ++(fitted ? counts.figures_fitted : counts.figures_predicted);
            if (what == Class::relation && !fitted) ++counts.relations_predicted;
        }
    }
    return models;
}

TEST(Models, AreCountedAsTheirPageSays) {
    const std::string page = results::read_file(RAILYARD_SOURCE_DIR "/docs/models.md");
    for (const auto& [fabric, c] : count_models()) {
        const std::string line = fmt::format(
            "| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", fabric, c.numbers, c.own, c.fitted,
            c.assumed, c.figures_fitted, c.figures_predicted, c.relations_predicted);
        EXPECT_NE(page.find("\n" + line), page.npos) << "docs/models.md has no line\n" << line;
    }
}

}  // namespace
}  // namespace railyard::reproduce
