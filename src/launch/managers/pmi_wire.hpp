#pragma once
/// The text that ranks and servers of PMI-1 send each other: lines of `key=value`, values that are
/// any bytes, and the list of nodes.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "railyard/fabric.hpp"

namespace railyard::managers {

/// One line: words `key=value` with blanks between them. Servers differ in their order.
class PmiLine {
  public:
    explicit PmiLine(std::string text) : text_(std::move(text)) {}

    const std::string& text() const { return text_; }
    /// The first of that key.
    std::optional<std::string_view> find(std::string_view key) const;
    bool is(std::string_view command) const { return find("cmd") == command; }
    /// A server says rc=0 where all is well, or nothing.
    bool succeeded() const { return find("rc").value_or("0") == "0"; }

  private:
    std::string text_;
};

/// Any bytes as words that a line can carry whole: servers end a value at the first blank, and cut
/// lines that are too long. At least one word; the first says how many there are.
std::vector<std::string> as_words(std::span<const std::byte> value);
/// How many words there are, by the first.
std::optional<std::size_t> count_words(std::string_view first);
/// None: these are not all words of one value.
std::optional<std::vector<std::byte>> from_words(std::span<const std::string> words);

/// The nodes of so many ranks by the value of PMI_process_mapping, "(vector,(0,2,4))": blocks of
/// first node, nodes and ranks on each, walked again and again until all ranks have a node. They
/// are numbered from 0 in the order of ranks. None: it says nothing, or makes no sense.
std::optional<std::vector<fabric::NodeId>> parse_process_mapping(std::string_view text, int ranks);

/// Numbers names from 0 in the order in which they first appear.
std::vector<fabric::NodeId> number_nodes(std::span<const std::string> names);

}  // namespace railyard::managers
