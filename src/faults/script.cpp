#include "faults/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "profiles/toml_text.hpp"
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
        return railyard::take_number<std::uint64_t>(rest_);
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

namespace {

using profiles::Allowed;
using profiles::Complaints;
using profiles::literal_of;
using profiles::position_of;
using profiles::TextPosition;
using profiles::Unit;
using profiles::Word;
using What = Fault::What;

constexpr std::array<std::string_view, 5> whats{"bit-errors", "link", "switch", "flapping-link",
                                                "adapter-reset"};
constexpr Allowed a_what{.unit = Unit::word, .words = whats};
constexpr std::uint64_t longest = 1'000'000'000'000'000;  // 1000 s, in picoseconds
constexpr Allowed a_time{Unit::time, 0, longest, {}};
constexpr Allowed a_span{Unit::time, 1, longest, {}};
constexpr Allowed a_rate{.unit = Unit::share, .words = {}};
constexpr Allowed a_place{.unit = Unit::text, .words = {}};

/// Which places each kind of fault can strike.
bool suits(What what, Place::Kind place) {
    using Kind = Place::Kind;
    if (what == What::network_switch) return place == Kind::network_switch;
    if (what == What::adapter_reset) return place == Kind::node;
    return place != Kind::network_switch;
}

std::string_view place_for(What what) {
    if (what == What::network_switch) return "a switch";
    return what == What::adapter_reset ? "a node such as 'node 0'" : "links, and no switch";
}

class ScriptReader {
  public:
    ScriptReader(const std::string& file, const Layout& layout) : file_(file), layout_(layout) {}

    Script read(const toml::table& root) {
        for (const auto& [key, node] : root) {
            const TextPosition position = position_of(key.source());
            if (key.str() == "seed")
                read_seed(node, position);
            else if (key.str() == "fault")
                read_faults(node, position);
            else
                complain(position, key.str(),
                         "there is no such key; there are 'seed' and tables [[fault]]");
        }
        complaints_.throw_if_any();
        return std::move(script_);
    }

  private:
    void complain(TextPosition position, std::string_view key, std::string_view what) {
        complaints_.add(file_, position, key, what);
    }

    void read_seed(const toml::node& node, TextPosition position) {
        const auto* whole = node.as_integer();
        if (whole == nullptr || whole->get() < 0)
            return complain(position, "seed", "expected a whole number from 0 up");
        script_.seed = static_cast<std::uint64_t>(whole->get());
    }

    void read_faults(const toml::node& node, TextPosition position) {
        const toml::array* all = node.as_array();
        if (all == nullptr || !all->is_homogeneous<toml::table>())
            return complain(position, "fault",
                            "write [[fault]] on a line for each fault, and its keys below");
        for (const toml::node& one : *all)
            read_fault(*one.as_table(), position_of(one.source()));
    }

    /// The value of that key, if it is there and right.
    template <class T>
    std::optional<T> value(const toml::table& table, std::string_view key, const Allowed& allowed) {
        const toml::node* node = table.get(key);
        if (node == nullptr) return std::nullopt;
        const TextPosition position = position_of(node->source());
        const auto literal = literal_of(*node);
        if (!literal) {
            complain(position, key, fmt::format("expected {}", to_string(allowed)));
            return std::nullopt;
        }
        try {
            return std::get<T>(profiles::read(*literal, allowed));
        } catch (const UsageError& error) {
            complain(position, key, error.what());
            return std::nullopt;
        }
    }

    /// The same, and it must be there.
    template <class T>
    std::optional<T> needed(const toml::table& table, TextPosition position, std::string_view key,
                            const Allowed& allowed) {
        if (table.get(key) == nullptr)
            complain(position, key, fmt::format("it is missing: expected {}", to_string(allowed)));
        return value<T>(table, key, allowed);
    }

    void read_fault(const toml::table& table, TextPosition position) {
        Fault fault;
        const auto what = needed<Word>(table, position, "what", a_what);
        if (!what) return;
        fault.what = static_cast<What>(what->index);
        check_keys(table, fault.what);
        read_where(table, position, fault);
        if (const auto at = value<Duration>(table, "at", a_time)) fault.at = Time::at(*at);
        if (const auto lasts = value<Duration>(table, "for", a_span)) fault.lasts = *lasts;
        if (fault.what == What::bit_errors)
            fault.rate = needed<double>(table, position, "rate", a_rate).value_or(0);
        if (fault.what == What::flapping_link) {
            fault.down = needed<Duration>(table, position, "down", a_span).value_or(Duration());
            fault.up = needed<Duration>(table, position, "up", a_span).value_or(Duration());
        }
        script_.faults.push_back(fault);
    }

    void check_keys(const toml::table& table, What what) {
        std::vector<std::string> names{"what", "where", "at", "for"};
        if (what == What::bit_errors) names.emplace_back("rate");
        if (what == What::flapping_link) names.insert(names.end(), {"down", "up"});
        for (const auto& [key, node] : table) {
            if (std::ranges::find(names, key.str()) != names.end()) continue;
            complain(position_of(key.source()), key.str(),
                     fmt::format("a fault '{}' has no such key; {}",
                                 whats[static_cast<std::size_t>(what)],
                                 advice(key.str(), names, "it has")));
        }
    }

    void read_where(const toml::table& table, TextPosition position, Fault& fault) {
        if (table.get("where") == nullptr)
            return complain(position, "where", "it is missing; there are: " + places_of(layout_));
        const auto where = value<std::string>(table, "where", a_place);
        if (!where) return;
        const TextPosition at = position_of(table.get("where")->source());
        try {
            fault.where = parse_place(*where, layout_);
        } catch (const UsageError& error) {
            return complain(at, "where", error.what());
        }
        if (!suits(fault.what, fault.where.kind))
            complain(at, "where",
                     fmt::format("a fault '{}' strikes {}, not '{}'; there are: {}",
                                 whats[static_cast<std::size_t>(fault.what)], place_for(fault.what),
                                 *where, places_of(layout_)));
    }

    const std::string& file_;
    const Layout& layout_;
    Script script_;
    Complaints complaints_;
};

}  // namespace

bool Fault::is_on(Time now) const {
    if (now < at || now >= end()) return false;
    if (what != What::flapping_link) return true;
    const std::int64_t period = (down + up).picoseconds();
    return (now - at).picoseconds() % period < down.picoseconds();
}

Script parse_script(std::string_view text, const std::string& file, const Layout& layout) {
    return ScriptReader(file, layout).read(profiles::parse_toml(text, file));
}

Script load_script(const std::string& path, const Layout& layout) {
    // A device or a pipe may have no end.
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        throw UsageError(fmt::format("{}: there is no such file of faults", path));
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in) throw UsageError(fmt::format("{}: it cannot be read", path));
    return parse_script(text, path, layout);
}

std::string to_string(const Fault& fault, const Layout& layout) {
    std::string text = fmt::format("{}, {}", whats[static_cast<std::size_t>(fault.what)],
                                   to_string(fault.where, layout));
    if (fault.what == What::bit_errors) text += fmt::format(", {} of all bits", fault.rate);
    if (fault.what == What::flapping_link)
        text += fmt::format(", down {} and up {}", railyard::to_string(fault.down),
                            railyard::to_string(fault.up));
    text += fmt::format(", from {}", railyard::to_string(fault.at.since_start()));
    return fault.lasts == Duration::forever()
               ? text + " on"
               : text + fmt::format(" for {}", railyard::to_string(fault.lasts));
}

std::string to_toml(const Script& script, const Layout& layout) {
    std::string text = fmt::format("seed = {}\n", script.seed);
    for (const Fault& fault : script.faults) {
        text +=
            fmt::format("\n[[fault]]\nwhat = \"{}\"\nwhere = \"{}\"\nat = \"{}\"\n",
                        whats[static_cast<std::size_t>(fault.what)], to_string(fault.where, layout),
                        railyard::to_string(fault.at.since_start()));
        if (fault.lasts != Duration::forever())
            text += fmt::format("for = \"{}\"\n", railyard::to_string(fault.lasts));
        if (fault.what == What::bit_errors) text += fmt::format("rate = {}\n", fault.rate);
        if (fault.what == What::flapping_link)
            text += fmt::format("down = \"{}\"\nup = \"{}\"\n", railyard::to_string(fault.down),
                                railyard::to_string(fault.up));
    }
    return text;
}

}  // namespace railyard::faults
