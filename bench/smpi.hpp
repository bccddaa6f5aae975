#pragma once
/// SimGrid's SMPI, where it is installed: the same source of a program, and a cluster as SMPI wants
/// it described.

#include <filesystem>
#include <string>

namespace railyard::bench {

class Exchanges {
  public:
    /// Compiles bench/mpi/exchanges.c by our wrapper, and by SMPI's if it is there; a cluster of
    /// `most` hosts.
    explicit Exchanges(int most);

    bool has_smpi() const { return !theirs_.empty(); }
    /// Command lines that run it in virtual time. `what`: its words, "halo 400".
    std::string ours(int ranks, const std::string& what) const;
    std::string smpi(int ranks, const std::string& what) const;

  private:
    std::filesystem::path folder_;
    std::string ours_;
    std::string theirs_;
};

}  // namespace railyard::bench
