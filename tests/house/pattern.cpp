#include "house/pattern.hpp"

#include <regex>

namespace railyard::house {

struct Pattern::Compiled {
    std::regex regex;
};

namespace {

Pattern::Match groups_of(const std::smatch& match) {
    return {match.begin(), match.end()};
}

}  // namespace

Pattern::Pattern(const std::string& expression)
    : compiled_(std::make_unique<Compiled>(std::regex(expression))) {}
Pattern::~Pattern() = default;

Pattern::Match Pattern::whole(const std::string& text) const {
    std::smatch match;
    return std::regex_match(text, match, compiled_->regex) ? groups_of(match) : Match{};
}

Pattern::Match Pattern::first(const std::string& text) const {
    std::smatch match;
    return std::regex_search(text, match, compiled_->regex) ? groups_of(match) : Match{};
}

std::vector<Pattern::Match> Pattern::all(const std::string& text) const {
    std::vector<Match> found;
    for (std::sregex_iterator m(text.begin(), text.end(), compiled_->regex), end; m != end; ++m)
        found.push_back(groups_of(*m));
    return found;
}

}  // namespace railyard::house
