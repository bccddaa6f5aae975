#pragma once
/// What an example measures, as rows that `railyard report` plots beside those of the experiments:
/// a program that is given a file name writes them there.

#include <string>
#include <vector>

#include "railyard/results/results.hpp"
#include "results/file.hpp"

class Rows {
  public:
    /// In virtual time there is nothing to repeat: a value is the only sample.
    void add(const std::string& experiment, const railyard::results::Parameters& parameters,
             std::string_view metric, double value, std::string_view unit) {
        rows_.push_back({experiment, "quadrics", parameters, std::string(metric), value,
                         std::string(unit), railyard::results::single(value)});
    }

    /// To the file that the first argument names, if there is one.
    void write(int arguments, char** argument) const {
        if (arguments < 2) return;
        railyard::results::write_file(
            argument[1], railyard::results::to_json({railyard::results::this_machine(), rows_}));
    }

  private:
    std::vector<railyard::results::Row> rows_;
};
