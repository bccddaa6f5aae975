#include "faults/place.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "railyard/base/error.hpp"

namespace railyard::faults {

namespace {

/// Takes a text apart from its beginning.
class Words {
  public:
    explicit Words(std::string_view text) : rest_(text) {}

    bool take(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    std::optional<std::uint64_t> take_number() {
        std::uint64_t number = 0;
        const auto [end, error] =
            std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
        if (error != std::errc()) return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return number;
    }
    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

Place::Way take_way(Words& words, std::string_view away, std::string_view back) {
    if (words.take(away)) return Place::Way::away;
    if (words.take(back)) return Place::Way::back;
    return Place::Way::both;
}

std::optional<Place> of_node(Words& words, const Layout& layout) {
    const auto node = words.take_number();
    if (!node || *node >= layout.nodes) return std::nullopt;
    if (words.at_end()) return Place{Place::Kind::node, *node};
    if (!words.take(", link ")) return std::nullopt;
    const auto port = words.take_number();
    if (!port || *port >= layout.ports) return std::nullopt;
    return Place{Place::Kind::node_link, *node, static_cast<unsigned>(*port),
                 take_way(words, " out", " in")};
}

/// " of level 2"; no level that there is not.
std::optional<unsigned> take_level(Words& words, unsigned most) {
    if (!words.take(" of level ")) return std::nullopt;
    const auto level = words.take_number();
    if (!level || *level < 1 || *level > most) return std::nullopt;
    return static_cast<unsigned>(*level);
}

std::optional<Place> of_switch_link(Words& words, const Layout& layout) {
    const auto number = words.take_number();
    const auto level = take_level(words, layout.is_tree() ? layout.levels - 1 : 0);
    if (!number || !level || *number >= layout.links()) return std::nullopt;
    return Place{Place::Kind::switch_link, *number, *level, take_way(words, ", up", ", down")};
}

std::optional<Place> of_switch(Words& words, const Layout& layout) {
    const auto number = words.take_number();
    if (!number) return std::nullopt;
    if (!layout.is_tree())
        return *number == 0 ? std::optional(Place{Place::Kind::network_switch, 0, 1})
                            : std::nullopt;
    const auto level = take_level(words, layout.levels);
    if (!level || *number >= layout.switches()) return std::nullopt;
    return Place{Place::Kind::network_switch, *number, *level};
}

std::optional<Place> find(Words& words, const Layout& layout) {
    if (words.take("all links")) return Place{};
    if (words.take("node ")) return of_node(words, layout);
    if (words.take("switches, link ")) return of_switch_link(words, layout);
    if (words.take("switch ")) return of_switch(words, layout);
    return std::nullopt;
}

/// "node 0 to node 15", or just the one.
std::string range(std::string_view what, std::uint64_t many, std::string_view behind = "") {
    if (many == 1) return fmt::format("{} 0{}", what, behind);
    return fmt::format("{} 0{} to {} {}{}", what, behind, what, many - 1, behind);
}

}  // namespace

Place parse_place(std::string_view text, const Layout& layout) {
    Words words(text);
    const auto place = find(words, layout);
    if (place && words.at_end()) return *place;
    throw UsageError(fmt::format("there is no place '{}'; there are: {}", text, places_of(layout)));
}

std::string places_of(const Layout& layout) {
    std::string text = "'all links'; " + range("node", layout.nodes) +
                       fmt::format(
                           " (all its links), or one of them: 'node 0, {}', '... out' or "
                           "'... in' for one way",
                           layout.ports == 1 ? "link 0" : range("link", layout.ports));
    if (!layout.is_tree()) return text + "; 'switch 0'";
    for (unsigned level = 1; level <= layout.levels; ++level)
        text += "; " + range("switch", layout.switches(), fmt::format(" of level {}", level));
    for (unsigned level = 1; level < layout.levels; ++level)
        text += "; " + range("switches, link", layout.links(), fmt::format(" of level {}", level));
    return text;
}

std::string to_string(const Place& place, const Layout& layout) {
    switch (place.kind) {
        case Place::Kind::all_links:
            return "all links";
        case Place::Kind::node:
            return fmt::format("node {}", place.number);
        case Place::Kind::node_link:
            return fmt::format("node {}, link {}{}", place.number, place.level,
                               place.way == Place::Way::both   ? ""
                               : place.way == Place::Way::away ? " out"
                                                               : " in");
        case Place::Kind::switch_link:
            return fmt::format("switches, link {} of level {}{}", place.number, place.level,
                               place.way == Place::Way::both   ? ""
                               : place.way == Place::Way::away ? ", up"
                                                               : ", down");
        case Place::Kind::network_switch:
            break;
    }
    if (!layout.is_tree()) return fmt::format("switch {}", place.number);
    return fmt::format("switch {} of level {}", place.number, place.level);
}

}  // namespace railyard::faults
