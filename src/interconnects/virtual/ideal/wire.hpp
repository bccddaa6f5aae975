#pragma once
/// The timing of the ideal fabric: a message waits until its Nic's way out is free, takes it for
/// size / bandwidth, and arrives one latency later. Acknowledgments neither wait nor take it.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/ideal/fabric.hpp"

namespace railyard::ideal {

class Wire final : public virtual_time::Wire {
  public:
    Wire(sim::Engine& engine, const Parameters& parameters)
        : engine_(engine), parameters_(parameters) {}

    void carry(const virtual_time::Transfer& transfer, sim::Action arrived) override;
    virtual_time::TaggedRules tagged_rules() const override {
        return {.inline_limit = traits().max_inline, .eager_limit = traits().bulk_threshold};
    }

    std::vector<fabric::PartUse> parts() const override;

  private:
    struct WayOut {
        Time free_at;
        Duration busy;  ///< in all, so far
    };
    sim::Engine& engine_;
    Parameters parameters_;
    std::unordered_map<std::uint64_t, WayOut> ways_out_;  ///< by node and Nic
};

}  // namespace railyard::ideal
