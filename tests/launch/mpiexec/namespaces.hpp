#pragma once
/// Hosts for tests: network namespaces with a cable each to this one. Where they cannot be made,
/// `missing()` says why.

#include <string>
#include <vector>

namespace railyard::mpiexec::testing {

class Namespaces {
  public:
    /// That many, with names that no other test has.
    explicit Namespaces(int hosts);
    ~Namespaces();
    Namespaces(const Namespaces&) = delete;
    Namespaces& operator=(const Namespaces&) = delete;

    /// Empty: all are there.
    const std::string& missing() const { return missing_; }
    const std::string& operator[](std::size_t host) const { return names_.at(host); }
    /// "a:2,b:2"
    std::string list(int ranks_each) const;
    /// The interface by which this machine reaches them.
    const std::string& bridge() const { return bridge_; }
    /// Pulls the cable of that host.
    void unplug(std::size_t host) const;

  private:
    std::string bridge_;
    std::vector<std::string> names_;
    std::string missing_;
};

}  // namespace railyard::mpiexec::testing
