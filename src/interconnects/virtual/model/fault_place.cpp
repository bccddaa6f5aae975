#include "interconnects/virtual/model/fault_place.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "railyard/base/error.hpp"

namespace railyard::model {

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

FaultPlace::Way take_way(Words& words, std::string_view away, std::string_view back) {
    if (words.take(away)) return FaultPlace::Way::away;
    if (words.take(back)) return FaultPlace::Way::back;
    return FaultPlace::Way::both;
}

std::optional<FaultPlace> of_node(Words& words, const Ground& ground) {
    const auto node = words.take_number();
    if (!node || *node >= ground.nodes) return std::nullopt;
    if (words.at_end()) return FaultPlace{FaultPlace::Kind::node, *node};
    if (!words.take(", link ")) return std::nullopt;
    const auto port = words.take_number();
    if (!port || *port >= ground.ports) return std::nullopt;
    return FaultPlace{FaultPlace::Kind::node_link, *node, static_cast<unsigned>(*port),
                      take_way(words, " out", " in")};
}

/// " of level 2"; no level that there is not.
std::optional<unsigned> take_level(Words& words, unsigned most) {
    if (!words.take(" of level ")) return std::nullopt;
    const auto level = words.take_number();
    if (!level || *level < 1 || *level > most) return std::nullopt;
    return static_cast<unsigned>(*level);
}

std::optional<FaultPlace> of_switch_link(Words& words, const Ground& ground) {
    const auto number = words.take_number();
    const auto level = take_level(words, ground.dimension - 1);
    if (!number || !level || *number >= ground.links()) return std::nullopt;
    return FaultPlace{FaultPlace::Kind::switch_link, *number, *level,
                      take_way(words, ", up", ", down")};
}

std::optional<FaultPlace> of_switch(Words& words, const Ground& ground) {
    const auto number = words.take_number();
    if (!number) return std::nullopt;
    if (ground.topology == Topology::crossbar)
        return *number == 0 ? std::optional(FaultPlace{FaultPlace::Kind::network_switch, 0, 1})
                            : std::nullopt;
    const auto level = take_level(words, ground.dimension);
    if (!level || *number >= ground.switches()) return std::nullopt;
    return FaultPlace{FaultPlace::Kind::network_switch, *number, *level};
}

std::optional<FaultPlace> find(Words& words, const Ground& ground) {
    if (words.take("all links")) return FaultPlace{};
    if (words.take("node ")) return of_node(words, ground);
    if (words.take("switches, link ")) return of_switch_link(words, ground);
    if (words.take("switch ")) return of_switch(words, ground);
    return std::nullopt;
}

/// "node 0 to node 15", or just the one.
std::string range(std::string_view what, std::uint64_t many, std::string_view behind = "") {
    if (many == 1) return fmt::format("{} 0{}", what, behind);
    return fmt::format("{} 0{} to {} {}{}", what, behind, what, many - 1, behind);
}

}  // namespace

FaultPlace parse_place(std::string_view text, const Ground& ground) {
    Words words(text);
    const auto place = find(words, ground);
    if (place && words.at_end()) return *place;
    throw UsageError(fmt::format("there is no place '{}'; there are: {}", text, places_of(ground)));
}

std::string places_of(const Ground& ground) {
    std::string text = "'all links'; " + range("node", ground.nodes) +
                       fmt::format(
                           " (all its links), or one of them: 'node 0, {}', '... out' or "
                           "'... in' for one way",
                           ground.ports == 1 ? "link 0" : range("link", ground.ports));
    if (ground.topology == Topology::crossbar) return text + "; 'switch 0'";
    for (unsigned level = 1; level <= ground.dimension; ++level)
        text += "; " + range("switch", ground.switches(), fmt::format(" of level {}", level));
    for (unsigned level = 1; level < ground.dimension; ++level)
        text += "; " + range("switches, link", ground.links(), fmt::format(" of level {}", level));
    return text;
}

std::string to_string(const FaultPlace& place, const Ground& ground) {
    switch (place.kind) {
        case FaultPlace::Kind::all_links:
            return "all links";
        case FaultPlace::Kind::node:
            return fmt::format("node {}", place.number);
        case FaultPlace::Kind::node_link:
            return fmt::format("node {}, link {}{}", place.number, place.level,
                               place.way == FaultPlace::Way::both   ? ""
                               : place.way == FaultPlace::Way::away ? " out"
                                                                    : " in");
        case FaultPlace::Kind::switch_link:
            return fmt::format("switches, link {} of level {}{}", place.number, place.level,
                               place.way == FaultPlace::Way::both   ? ""
                               : place.way == FaultPlace::Way::away ? ", up"
                                                                    : ", down");
        case FaultPlace::Kind::network_switch:
            break;
    }
    if (ground.topology == Topology::crossbar) return fmt::format("switch {}", place.number);
    return fmt::format("switch {} of level {}", place.number, place.level);
}

}  // namespace railyard::model
