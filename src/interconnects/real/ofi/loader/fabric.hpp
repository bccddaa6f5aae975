#pragma once
/// libfabric's providers as fabrics: `ofi` is the best that this host has, `ofi:PROVIDER` a
/// certain one. All that needs libfabric is in a module, which is loaded when one of them is opened
/// or asked about, and which nobody else pays for.

#include <memory>
#include <string>
#include <string_view>

#include "railyard/fabric.hpp"

namespace railyard::ofi {

/// `ofi` or `ofi:PROVIDER`.
bool is_name(std::string_view name);

/// Those of all providers are the same: what one lacks is made of what it has.
fabric::Traits traits(std::string_view name);

/// Throws Error, which says what was looked for and what there is, if the module or libfabric is
/// not installed, or no provider of that name can be used.
std::unique_ptr<fabric::Fabric> open(std::string_view name);

/// Loads the module, if it is not there yet, and sets the variables that libraries below look at.
/// Threads that read variables meanwhile would be in danger: it is for before there are any. Throws
/// Error as open() does.
void prepare(std::string_view name);

/// Whether `ofi` would take a network adapter that does more than TCP. Loads the module only where
/// the kernel knows of such an adapter. Does not throw: what cannot be opened is not there.
bool finds_hardware();

/// Whether the kernel knows of one; `classes` is where it tells (/sys/class).
bool has_adapters(const std::string& classes);

/// What providers and domains this host has, what they claim and what was found, for people to
/// read. Throws Error as open() does.
std::string survey();

}  // namespace railyard::ofi
