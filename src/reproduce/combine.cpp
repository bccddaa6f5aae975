/// From the shape of one curve to a check of many.

#include <fmt/format.h>

#include "reproduce/relations.hpp"

namespace railyard::reproduce {

namespace {

void append(std::string& numbers, const std::string& more) {
    if (!numbers.empty() && !more.empty()) numbers += "; ";
    numbers += more;
}

}  // namespace

Judgement judgement(const Finding& finding) {
    return {
        .right = finding.holds, .ours = {}, .difference_percent = {}, .numbers = finding.numbers};
}

Check each(std::vector<Selection> selections, std::function<Finding(const Series&)> shape) {
    return all_series(std::move(selections), [shape](std::span<const Series> all) {
        Finding out{.holds = !all.empty(), .numbers = {}};
        for (const Series& series : all) {
            const Finding finding = shape(series);
            out.holds &= finding.holds;
            append(out.numbers,
                   (all.size() > 1 ? series.label + ": " : std::string()) + finding.numbers);
        }
        return out;
    });
}

Check all_series(std::vector<Selection> selections,
                 std::function<Finding(std::span<const Series>)> shape) {
    return {std::move(selections),
            [shape](std::span<const Series> all) { return judgement(shape(all)); }};
}

Check in_pairs(std::vector<Selection> selections,
               std::function<Finding(const Series&, const Series&)> shape) {
    return all_series(std::move(selections), [shape](std::span<const Series> all) {
        Finding out{.holds = all.size() >= 2, .numbers = {}};
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
            const Finding finding = shape(all[i], all[i + 1]);
            out.holds &= finding.holds;
            append(out.numbers, finding.numbers);
        }
        return out;
    });
}

Check in_order(std::vector<Selection> selections, std::vector<std::size_t> sizes, Better better) {
    return all_series(std::move(selections), [sizes, better](std::span<const Series> all) {
        std::vector<std::vector<Series>> groups;
        for (const std::size_t size : sizes) {
            groups.emplace_back(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
            all = all.subspan(size);
        }
        return order(groups, better);
    });
}

Check all_of(std::vector<Check> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    Check out;
    for (const Check& part : parts)
        out.selections.insert(out.selections.end(), part.selections.begin(), part.selections.end());
    out.judge = [parts = std::move(parts)](std::span<const Series> all) {
        // Of what fails, all numbers; of what holds, some.
        constexpr std::size_t shown = 4;
        std::string right, wrong;
        std::size_t holding = 0;
        for (const Check& part : parts) {
            const Judgement found = part.judge(all.first(part.selections.size()));
            all = all.subspan(part.selections.size());
            if (!found.right)
                append(wrong, found.numbers);
            else if (++holding <= shown)
                append(right, found.numbers);
        }
        if (holding > shown) append(right, fmt::format("and {} more", holding - shown));
        const bool holds = !parts.empty() && holding == parts.size();
        return judgement({holds, holds ? right : wrong});
    };
    return out;
}

}  // namespace railyard::reproduce
