#pragma once
/// One member of a job, as its code sees it: who it is, what it stands on, and how it talks to the
/// others before any fabric is up.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "railyard/base/error.hpp"
#include "railyard/fabric.hpp"

namespace railyard::job {

/// How Rank::abort ends a rank that is no process of its own. To be caught by the job alone.
class AbortCalled : public Error {
  public:
    AbortCalled(int code, std::string_view why) : Error(std::string(why)), code_(code) {}
    int code() const { return code_; }

  private:
    int code_;
};

/// What whoever started a job chose for the software above it, which knows what it means: settings
/// by name, section by section, as in profiles.
class Settings {
  public:
    using Named = std::vector<std::pair<std::string, std::string>>;

    Named& operator[](const std::string& section) { return sections_[section]; }
    /// Empty where nothing was chosen.
    const Named& of(std::string_view section) const {
        static const Named none;
        const auto found = sections_.find(section);
        return found != sections_.end() ? found->second : none;
    }

  private:
    std::map<std::string, Named, std::less<>> sections_;
};

/// The exchange that needs no network: small values under (rank, key). No server but the launcher.
class Bootstrap {
  public:
    virtual ~Bootstrap() = default;
    /// Publishes a value of this rank's. A key is put once.
    virtual void put(std::string_view key, std::span<const std::byte> value) = 0;
    /// The value that `rank` put under `key`; waits until it is there.
    virtual std::vector<std::byte> get(int rank, std::string_view key) = 0;
    /// Returns once every rank has entered.
    virtual void fence() = 0;
};

class Rank {
  public:
    virtual ~Rank() = default;

    virtual int id() const = 0;
    virtual int size() const = 0;
    virtual fabric::NodeId node_of(int rank) const = 0;
    fabric::NodeId node() const { return node_of(id()); }
    /// Whether there are more ranks than cores, so that a rank that waits may be in the way.
    virtual bool shares_core() const { return false; }

    /// What whoever started the job chose for the software of that section; empty: nothing.
    const Settings::Named& settings(std::string_view section) const {
        return all_settings().of(section);
    }

    virtual fabric::Host& host() = 0;
    virtual Bootstrap& bootstrap() = 0;

    /// This rank's Nic on the job's (first) fabric, opened at first use and kept.
    virtual fabric::Nic& nic() = 0;
    /// A further Nic, on any fabric of the job's clock; it attaches to the same host.
    virtual std::unique_ptr<fabric::Nic> open(std::string_view fabric) = 0;

    /// Hands bytes to whoever started the job (Result::delivered).
    virtual void deliver(std::string bytes) = 0;

    /// Ends the whole job, with that exit code. A process ends here and now, without destructors;
    /// other kinds of ranks throw AbortCalled.
    [[noreturn]] virtual void abort(int code, std::string_view why) = 0;

  private:
    virtual const Settings& all_settings() const = 0;
};

}  // namespace railyard::job
