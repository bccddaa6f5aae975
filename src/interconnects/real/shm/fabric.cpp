#include "interconnects/real/shm/fabric.hpp"

#include "hosts/real_host.hpp"
#include "interconnects/real/shm/arena.hpp"
#include "interconnects/real/shm/nic.hpp"
#include "interconnects/real/shm/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::shm {

using namespace literals;

const fabric::Traits& traits() {
    static const fabric::Traits traits = [] {
        fabric::Traits t;
        t.name = "shm";
        t.description = "shared memory between the ranks of one host";
        t.clock = fabric::Clock::real;
        t.placement = fabric::Placement::last_byte_last;
        t.progress = fabric::Progress::calls;
        t.bulk = fabric::Bulk::send;
        t.coherent_atomics = true;
        t.maps_allocated = true;
        t.max_message = 1_GiB * 1024;
        t.max_inline = Bytes(max_inline);
        t.max_slices = max_slices;
        t.max_send_depth = 4096;
        t.max_queue_pairs = max_blocks;
        t.bulk_threshold = 4_KiB;
        return t;
    }();
    return traits;
}

namespace {

class ShmAdapter final : public fabric::Adapter {
  public:
    std::unique_ptr<fabric::Nic> open(fabric::Host& host) override {
        auto* real = dynamic_cast<hosts::RealHost*>(&host);
        if (real == nullptr)
            throw UsageError("shm runs in real time; this rank stands on a virtual clock");
        return std::make_unique<Nic>(*real, traits());
    }
};

class ShmFabric final : public fabric::Fabric {
  public:
    const fabric::Traits& traits() const override { return shm::traits(); }
    /// Memory is shared by the whole host, whatever nodes a job pretends to have.
    fabric::Adapter& adapter(fabric::NodeId) override { return adapter_; }

  private:
    ShmAdapter adapter_;
};

}  // namespace

std::unique_ptr<fabric::Fabric> open() {
    return std::make_unique<ShmFabric>();
}

}  // namespace railyard::shm
