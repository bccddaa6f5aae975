#pragma once
/// What the module offers to who loads it. Both are of one build, so types of C++ cross between
/// them. Exceptions do not: the library of MPI has a C++ runtime of its own, which knows nothing of
/// what is thrown in the module. So what can fail says why in a Failure.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hosts/real_host.hpp"
#include "railyard/nic.hpp"
#include "railyard/traits.hpp"

namespace railyard::ofi {

struct Failure {
    bool is_usage = false;
    std::string text;
};

/// Of each function that returns a pointer: null if it failed.
struct Module {
    /// Of who was built: a module of another build is not called.
    std::string_view build;

    /// `provider`: empty for the best, here and below.
    void (*set_variables)(std::string_view provider);

    /// The Traits outlive the Nic.
    std::unique_ptr<fabric::Nic> (*open)(hosts::RealHost& host, const fabric::Traits& traits,
                                         std::string_view provider, Failure& failure);
    std::unique_ptr<std::string> (*survey)(Failure& failure);
    /// Whether the best provider is one of hardware, and opens.
    bool (*finds_hardware)();

    // Of the Nic, what may throw.

    std::unique_ptr<fabric::Region> (*register_memory)(fabric::Nic& nic,
                                                       std::span<std::byte> memory,
                                                       fabric::Access access, Failure& failure);
    std::unique_ptr<fabric::Region> (*allocate)(fabric::Nic& nic, Bytes size, fabric::Access access,
                                                fabric::Home home, Failure& failure);
    std::unique_ptr<fabric::RemoteRegion> (*import_region)(fabric::Nic& nic,
                                                           const fabric::RegionBlob& blob,
                                                           Failure& failure);
    std::unique_ptr<fabric::CompletionQueue> (*create_completion_queue)(fabric::Nic& nic,
                                                                        std::uint32_t depth,
                                                                        Failure& failure);
    std::unique_ptr<fabric::ReceiveQueue> (*create_receive_queue)(
        fabric::Nic& nic, std::uint32_t depth, fabric::ReceiveQueue::Sharing sharing,
        Failure& failure);
    std::unique_ptr<fabric::QueuePair> (*create_queue_pair)(fabric::Nic& nic,
                                                            const fabric::QueuePairOptions& options,
                                                            Failure& failure);
    std::unique_ptr<fabric::Listener> (*listen)(fabric::Nic& nic, fabric::Service service,
                                                Failure& failure);
};

/// The only symbol of the module.
inline constexpr const char* module_symbol = "railyard_ofi_module";
using ModuleFunction = const Module* (*)();

/// The release, and what of the layout of shared types is easily seen.
std::string_view build_name();

}  // namespace railyard::ofi
