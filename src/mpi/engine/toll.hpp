#pragma once
/// What the library's own code costs in virtual time, where it would otherwise take none: settings
/// say how much (those of a paper's MPI, mostly). For real, code takes its time by itself.

#include <cstdint>

#include "mpi/engine/matcher.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/host.hpp"

namespace railyard::mpi {

class Toll {
  public:
    Toll(fabric::Host& host, const Settings& settings, bool virtual_time)
        : host_(host), settings_(settings), charges_(virtual_time) {}

    void send() { charge(&Settings::send_overhead); }
    void sent() { charge(&Settings::send_rest); }
    void start_receive() { charge(&Settings::receive_start); }
    void receive() { charge(&Settings::receive_overhead); }
    void rendezvous() { charge(&Settings::rendezvous_overhead); }

    void copy(std::uint64_t bytes) { host_.charge(fabric::Work::copied_byte, bytes); }
    void request() { host_.charge(fabric::Work::request); }

    /// What the matcher has looked at since this was last asked (PR-5).
    void search(Matcher& matcher) {
        if (charges_) [[unlikely]]
            charge(matcher.take_visits());
    }

  private:
    void charge(Duration Settings::*cost) {
        if (charges_) [[unlikely]]
            host_.compute(settings_.*cost);
    }
    void charge(const Matcher::Visits& visits) {
        charge(settings_.posted_entry, visits.posted);
        charge(settings_.unexpected_entry, visits.unexpected);
    }
    void charge(Duration entry, std::uint64_t n) {
        if (entry > Duration{})
            host_.compute(entry * static_cast<std::int64_t>(n));
        else
            host_.charge(fabric::Work::match_entry, n);
    }

    fabric::Host& host_;
    const Settings& settings_;
    bool charges_;
};

}  // namespace railyard::mpi
