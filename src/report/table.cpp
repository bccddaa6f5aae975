#include "report/table.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace railyard::report {

namespace {

std::string padded(std::string_view cell, std::size_t width, Align align) {
    const std::string space(width > cell.size() ? width - cell.size() : 0, ' ');
    return align == Align::left ? std::string(cell) + space : space + std::string(cell);
}

std::size_t after_point(std::string_view cell) {
    const auto point = cell.find('.');
    return point == std::string_view::npos ? 0 : cell.size() - point;
}

/// Fills cells up on the right so that their decimal points meet when they are set to the right.
void meet_at_point(std::vector<std::string>& cells) {
    std::size_t longest = 0;
    for (const std::string& cell : cells)
        longest = std::max(longest, after_point(cell));
    for (std::string& cell : cells)
        if (!cell.empty()) cell.append(longest - after_point(cell), ' ');
}

/// Header and cells, all of the same width; the header begins with empty lines if it is short.
std::vector<std::string> set_column(std::vector<std::string> header, std::size_t header_lines,
                                    std::vector<std::string> cells, Align align) {
    if (align == Align::point) meet_at_point(cells);
    header.insert(header.begin(), header_lines - header.size(), "");
    std::vector<std::string> lines = std::move(header);
    lines.insert(lines.end(), cells.begin(), cells.end());
    std::size_t width = 0;
    for (const std::string& line : lines)
        width = std::max(width, line.size());
    for (std::string& line : lines)
        line = padded(line, width, align);
    return lines;
}

}  // namespace

void Table::add_column(std::vector<std::string> header, Align align) {
    columns_.push_back({std::move(header), align});
}

void Table::add_row(std::vector<std::string> cells) {
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::size_t header_lines = 0;
    for (const Column& column : columns_)
        header_lines = std::max(header_lines, column.header.size());

    std::vector<std::string> lines(header_lines + rows_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::vector<std::string> cells;
        for (const auto& row : rows_)
            cells.push_back(row[c]);
        const auto column =
            set_column(columns_[c].header, header_lines, std::move(cells), columns_[c].align);
        for (std::size_t i = 0; i < lines.size(); ++i)
            lines[i] += (c == 0 ? "" : "  ") + column[i];
    }

    std::string out;
    for (std::string& line : lines) {
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

}  // namespace railyard::report
