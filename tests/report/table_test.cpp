#include "report/table.hpp"

#include <gtest/gtest.h>

namespace railyard::report {
namespace {

TEST(Table, SetsWordsLeftAndNumbersRight) {
    Table table;
    table.add_column({"name"}, Align::left);
    table.add_column({"n"}, Align::right);
    table.add_row({"a", "1"});
    table.add_row({"longer", "100"});
    EXPECT_EQ(table.text(),
              "name      n\n"
              "a         1\n"
              "longer  100\n");
}

TEST(Table, LetsDecimalPointsMeet) {
    Table table;
    table.add_column({"us"}, Align::point);
    table.add_column({"end"}, Align::right);
    table.add_row({"0.125", "x"});
    table.add_row({"1234", "x"});
    table.add_row({"12.5", "x"});
    table.add_row({"", "x"});
    EXPECT_EQ(table.text(),
              "      us  end\n"
              "   0.125    x\n"
              "1234        x\n"
              "  12.5      x\n"
              "            x\n");
}

TEST(Table, SetsShortHeadersNextToTheCells) {
    Table table;
    table.add_column({"size"}, Align::right);
    table.add_column({"rdma_write", "queue 8"}, Align::point);
    table.add_row({"8", "1.5"});
    EXPECT_EQ(table.text(),
              "      rdma_write\n"
              "size     queue 8\n"
              "   8         1.5\n");
}

TEST(Table, LeavesNoSpacesAtTheEndOfALine) {
    Table table;
    table.add_column({"a"}, Align::left);
    table.add_column({"b"}, Align::left);
    table.add_row({"1"});
    table.add_row({"1", "long"});
    EXPECT_EQ(table.text(), "a  b\n1\n1  long\n");
}

TEST(Table, WithoutHeadersHasNoLineForThem) {
    Table table;
    table.add_column({}, Align::left);
    table.add_column({}, Align::left);
    table.add_row({"time", "real"});
    EXPECT_EQ(table.text(), "time  real\n");
}

}  // namespace
}  // namespace railyard::report
