#pragma once
/// Lays out cells in columns, for a terminal or a file: numbers with their decimal points one under
/// the other, words to the left or to the right. Knows nothing of what the cells mean.

#include <string>
#include <vector>

namespace railyard::report {

enum class Align : unsigned char {
    left,
    right,
    point,  ///< on the decimal point, or on the end of a cell without one
};

class Table {
  public:
    /// A column; its header may have several lines, the lowest next to the cells.
    void add_column(std::vector<std::string> header, Align align);
    /// A line of cells, one a column; those missing at the end are empty.
    void add_row(std::vector<std::string> cells);

    /// Lines ending in '\n', without trailing spaces. Columns stand two spaces apart.
    std::string text() const;

  private:
    struct Column {
        std::vector<std::string> header;
        Align align;
    };
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace railyard::report
