#pragma once
/// The Host of a rank that runs for real: the machine's clock, spinning, and sleeping in the kernel
/// until a peer rings the bell or a socket has something.

#include <cstdint>
#include <vector>

#include "hosts/bell.hpp"
#include "hosts/source.hpp"
#include "railyard/host.hpp"

namespace railyard::hosts {

class RealHost final : public fabric::Host {
  public:
    struct Options {
        bool shares_core = false;  ///< more ranks than cores: spinning would only be in the way
    };
    explicit RealHost(Options options);
    ~RealHost() override;

    Time now() override;
    void compute(Duration duration) override;
    void progress() override;

    Ticket prepare_wait() override;
    void cancel_wait() override;
    bool wait(Ticket ticket, Time deadline, fabric::Wait how) override;

    /// For Nics: attach when opened, detach when closed.
    void attach(Source& source);
    void detach(Source& source);
    /// How peers wake this rank.
    const Bell& bell() const { return bell_; }

  private:
    bool progress_all();
    bool tick_all();
    Time earliest_timer(Time deadline) const;
    enum class Woken : std::uint8_t { by_bell_or_time, by_descriptor };
    Woken sleep(Ticket ticket, Time until);

    Bell bell_;
    std::vector<Source*> sources_;
    std::int64_t start_ns_;
    unsigned rounds_ = 0;
    bool shares_core_;
};

}  // namespace railyard::hosts
