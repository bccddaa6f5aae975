#include "interconnects/virtual/model/complaints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "railyard/base/error.hpp"

namespace railyard::model {

std::string complaint(const std::string& file, TextPosition place, std::string_view key,
                      std::string_view what) {
    return fmt::format("{}:{}:{}: {}{}{}", file, place.line, place.column, key,
                       key.empty() ? "" : ": ", what);
}

void Complaints::add(const std::string& file, TextPosition place, std::string_view key,
                     std::string_view what) {
    all_.push_back({place.line, complaint(file, place, key, what)});
}

void Complaints::throw_if_any() {
    if (all_.empty()) return;
    // Tables come in the order of the alphabet; a reader goes by lines.
    std::ranges::stable_sort(all_, {}, &Complaint::line);
    std::vector<std::string> texts;
    for (const Complaint& one : all_)
        texts.push_back(one.text);
    throw UsageError(fmt::format("{}", fmt::join(texts, "\n")));
}

}  // namespace railyard::model
