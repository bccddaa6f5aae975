#include "interconnects/real/iwarp/fabric.hpp"

#include "hosts/real_host.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/settings.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {

using namespace literals;

namespace {

fabric::Traits traits_for(const Settings& settings) {
    fabric::Traits t;
    t.name = "iwarp";
    t.description = "RDMA over TCP in user space, on the wire as RFC 5040 to 5044 have it";
    t.clock = fabric::Clock::real;
    t.placement = fabric::Placement::last_byte_last;
    t.progress = settings.progress_thread ? fabric::Progress::thread : fabric::Progress::calls;
    // Answers to Reads leave from where they lie, but with a CRC they are copied first.
    t.bulk = settings.crc ? fabric::Bulk::write : fabric::Bulk::read;
    t.coherent_atomics = true;
    t.crosses_nodes = true;
    t.max_message = 4_GiB - 1_B;  // DDP counts a message's bytes in 32 bits
    t.max_inline = Bytes(max_inline);
    t.max_slices = max_slices;
    t.max_send_depth = 4096;
    t.max_queue_pairs = 8192;
    t.bulk_threshold = 64_KiB;
    return t;
}

class IwarpFabric final : public fabric::Fabric, public fabric::Adapter {
  public:
    explicit IwarpFabric(const Settings& settings)
        : settings_(settings), traits_(traits_for(settings)) {}

    const fabric::Traits& traits() const override { return traits_; }
    /// Any two hosts reach each other, whatever nodes a job pretends to have.
    fabric::Adapter& adapter(fabric::NodeId) override { return *this; }

    std::unique_ptr<fabric::Nic> open(fabric::Host& host) override {
        auto* real = dynamic_cast<hosts::RealHost*>(&host);
        if (real == nullptr)
            throw UsageError("iwarp runs in real time; this rank stands on a virtual clock");
        return std::make_unique<Nic>(*real, traits_, settings_);
    }

  private:
    Settings settings_;
    fabric::Traits traits_;
};

}  // namespace

const fabric::Traits& traits() {
    static const fabric::Traits traits = traits_for(settings_from_environment());
    return traits;
}

std::unique_ptr<fabric::Fabric> open() {
    return open(settings_from_environment());
}

std::unique_ptr<fabric::Fabric> open(const Settings& settings) {
    return std::make_unique<IwarpFabric>(settings);
}

}  // namespace railyard::iwarp
