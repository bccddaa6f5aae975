// The module's only symbol, and what it gives: nothing that is called from outside throws.

#include <exception>
#include <utility>

#include "interconnects/real/ofi/loader/module.hpp"
#include "interconnects/real/ofi/module/device.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/provider.hpp"
#include "interconnects/real/ofi/module/survey.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {
namespace {

template <class Make>
auto guarded(Failure& failure, const Make& make) -> decltype(make()) {
    try {
        return make();
    } catch (const UsageError& error) {
        failure = {true, error.what()};
    } catch (const std::exception& error) {
        failure = {false, error.what()};
    }
    return nullptr;
}

/// A member function of a Nic as a function that does not throw.
template <auto Member>
struct Guarded;
template <class Made, class... Arguments, Made (fabric::Nic::*Member)(Arguments...)>
struct Guarded<Member> {
    static Made call(fabric::Nic& nic, Arguments... arguments, Failure& failure) {
        return guarded(failure,
                       [&] { return (nic.*Member)(std::forward<Arguments>(arguments)...); });
    }
};

std::unique_ptr<fabric::Nic> open_nic(hosts::RealHost& host, const fabric::Traits& traits,
                                      std::string_view provider, Failure& failure) {
    return guarded(failure, [&]() -> std::unique_ptr<fabric::Nic> {
        return std::make_unique<Nic>(host, traits, wish_for(provider, traits.tagged, host.place()));
    });
}

std::unique_ptr<std::string> survey_guarded(Failure& failure) {
    return guarded(failure, [] { return std::make_unique<std::string>(survey_providers()); });
}

bool finds_hardware_guarded() {
    Failure failure;
    const auto best = guarded(failure, [] {
        const Device device(std::move(find_domains(wish_for("")).front()), false);
        return std::make_unique<bool>(is_hardware(device.provider()));
    });
    return best != nullptr && *best;
}

}  // namespace
}  // namespace railyard::ofi

extern "C" const railyard::ofi::Module* railyard_ofi_module() {
    using namespace railyard::ofi;
    using railyard::fabric::Nic;
    static const Module module{
        .build = build_name(),
        .set_variables = set_variables,
        .open = open_nic,
        .survey = survey_guarded,
        .finds_hardware = finds_hardware_guarded,
        .register_memory = Guarded<&Nic::register_memory>::call,
        .allocate = Guarded<&Nic::allocate>::call,
        .import_region = Guarded<&Nic::import_region>::call,
        .create_completion_queue = Guarded<&Nic::create_completion_queue>::call,
        .create_receive_queue = Guarded<&Nic::create_receive_queue>::call,
        .create_queue_pair = Guarded<&Nic::create_queue_pair>::call,
        .listen = Guarded<&Nic::listen>::call,
    };
    return &module;
}
