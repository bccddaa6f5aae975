#pragma once
/// What has been run so far, a line a run, so that counts add up over days.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "driver/run.hpp"

namespace railyard::soak {

class Ledger {
  public:
    struct Sum {
        std::uint64_t runs = 0;
        std::uint64_t failed = 0;
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
    };

    explicit Ledger(std::filesystem::path file) : file_(std::move(file)) {}

    /// Throws Error if it cannot be written.
    void add(const Case& one, const Outcome& outcome) const;
    /// By fabric, of all runs that are in the file. Lines that are none of ours are passed over.
    std::map<std::string, Sum> sums() const;

  private:
    std::filesystem::path file_;
};

/// As a table, with a line for all.
std::string to_text(const std::map<std::string, Ledger::Sum>& sums);

}  // namespace railyard::soak
