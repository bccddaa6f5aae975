#include "interconnects/real/ofi/module/buffers.hpp"

#include <fmt/format.h>

#include "interconnects/real/ofi/module/wire.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {
constexpr std::size_t cache_line = 64;

Owned<fid_mr> register_as(Device& device, std::span<std::byte> memory, std::uint64_t access,
                          std::uint64_t key) {
    fid_mr* region = nullptr;
    const int error = fi_mr_reg(&device.domain(), memory.data(), memory.size(), access, 0, key, 0,
                                &region, nullptr);
    if (error != 0)
        throw Error(fmt::format("ofi: provider {} does not register {} B of memory: {}{}",
                                device.provider(), memory.size(), error_text(error),
                                error == -FI_ENOMEM ? "; raise the limit with ulimit -l" : ""));
    Owned<fid_mr> registered(region);
    if (device.requires_mode(FI_MR_ENDPOINT)) {
        int bound = fi_mr_bind(region, &device.endpoint()->fid, 0);
        if (bound == 0) bound = fi_mr_enable(region);
        if (bound != 0)
            throw Error(fmt::format("ofi: provider {} does not bind memory to its endpoint: {}",
                                    device.provider(), error_text(bound)));
    }
    return registered;
}

}  // namespace

Owned<fid_mr> register_with(Device& device, std::span<std::byte> memory, bool remote) {
    if (memory.empty()) return nullptr;  // nobody can touch it
    std::uint64_t access = FI_SEND | FI_RECV | FI_READ | FI_WRITE;
    if (remote) access |= FI_REMOTE_READ | FI_REMOTE_WRITE;
    return register_as(device, memory, access,
                       device.requires_mode(FI_MR_PROV_KEY) ? 0 : device.next_key());
}

Owned<fid_mr> register_for_writes(Device& device, std::span<std::byte> memory, std::uint64_t key) {
    return register_as(device, memory, FI_REMOTE_WRITE, key);
}

void Buffers::grow() {
    const std::size_t room = (device_.longest_message() + cache_line - 1) / cache_line * cache_line;
    Slab slab;
    slab.memory.reset(new std::byte[at_once * room]);  // not zeroed: pages come when they are used
    if (device_.requires_mode(FI_MR_LOCAL))
        slab.registered = register_with(device_, {slab.memory.get(), at_once * room}, false);
    slab.operations.reset(new Operation[at_once]);
    for (std::size_t i = 0; i < at_once; ++i) {
        Operation& operation = slab.operations[i];
        operation.data = slab.memory.get() + i * room;
        if (slab.registered) operation.descriptor = fi_mr_desc(slab.registered.get());
        give_back(operation);
    }
    slabs_.push_back(std::move(slab));
}

Operation& Buffers::take() {
    if (free_ == nullptr) grow();
    Operation& operation = *free_;
    free_ = operation.next;
    return operation;
}

Operation& Buffers::take_move() {
    if (free_moves_ == nullptr) {
        moves_.push_back(std::make_unique<Operation[]>(at_once));
        for (std::size_t i = 0; i < at_once; ++i)
            give_back(moves_.back()[i]);
    }
    Operation& operation = *free_moves_;
    free_moves_ = operation.next;
    operation.type = Operation::Type::move;
    operation.fetch = 0;
    return operation;
}

void Buffers::give_back(Operation& operation) {
    operation.link = nullptr;
    operation.request = nullptr;
    operation.inbound = nullptr;
    operation.memory = {};
    operation.region = 0;
    operation.tells = false;
    Operation*& list = operation.data != nullptr ? free_ : free_moves_;
    operation.next = list;
    list = &operation;
}

}  // namespace railyard::ofi
