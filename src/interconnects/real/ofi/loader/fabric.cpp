#include "interconnects/real/ofi/loader/fabric.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "interconnects/real/common/nic.hpp"
#include "interconnects/real/ofi/loader/domains.hpp"
#include "interconnects/real/ofi/loader/module.hpp"
#include "interconnects/real/ofi/loader/nic.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

using namespace literals;

namespace {

constexpr std::string_view plain = "ofi";
constexpr std::string_view with_provider = "ofi:";
constexpr const char* file_name = "librailyard-ofi.so";

std::string_view provider_of(std::string_view name) {
    return name.starts_with(with_provider) ? name.substr(with_provider.size()) : "";
}

/// The folder of the program, or of the library of MPI, that this code is part of, with links
/// followed; empty if nobody knows.
std::string own_folder() {
    Dl_info self{};
    std::array<char, PATH_MAX> path;
    const bool known = dladdr(reinterpret_cast<const void*>(&own_folder), &self) != 0 &&
                       self.dli_fname != nullptr &&
                       ::realpath(self.dli_fname, path.data()) != nullptr;
    // A program's own name may be a word that the shell looked up.
    if (!known && ::realpath("/proc/self/exe", path.data()) == nullptr) return "";
    const std::string object = path.data();
    return object.substr(0, object.rfind('/'));
}

/// Beside it, and in the library folder of the installation that it is in.
std::vector<std::string> places() {
    const std::string folder = own_folder();
    std::vector<std::string> all;
    for (const char* library : {"", "/../lib", "/../" RAILYARD_LIBDIR}) {
        std::string place = fmt::format("{}{}/{}", folder, library, file_name);
        if (std::ranges::find(all, place) == all.end()) all.push_back(std::move(place));
    }
    return all;
}

const Module& find_module() {
    std::string tried;
    for (const std::string& place : places()) {
        if (::access(place.c_str(), F_OK) != 0) {
            tried += fmt::format("{}{}", tried.empty() ? "" : ", ", place);
            continue;
        }
        // A library that libfabric brings along would take over what we do in a crash.
        ::setenv("IPATH_NO_BACKTRACE", "1", 0);
        // It stays until the program ends, as what it made may.
        void* const module = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (module == nullptr)
            throw Error(
                fmt::format("ofi: the module does not load: {}; is the package libfabric1 "
                            "installed?",
                            dlerror()));
        const auto entry = reinterpret_cast<ModuleFunction>(dlsym(module, module_symbol));
        if (entry == nullptr || entry()->build != build_name())
            throw Error(
                fmt::format("ofi: {} is of another build ({}; this one: {}); install "
                            "Railyard anew",
                            place, entry != nullptr ? entry()->build : "unknown", build_name()));
        return *entry();
    }
    throw Error(
        fmt::format("ofi: there is no module {} (looked for {}); it is built where libfabric's "
                    "headers are installed (the package libfabric-dev)",
                    file_name, tried));
}

const Module& module() {
    static const Module& loaded = find_module();
    return loaded;
}

/// Whether the provider is to match messages: some are slower at it than we are.
bool wants_tags() {
    const char* const value = std::getenv("RAILYARD_OFI_TAGGED");
    const std::string_view text = value != nullptr ? value : "";
    if (text == "1" || text == "on" || text == "yes") return true;
    if (text.empty() || text == "0" || text == "off" || text == "no") return false;
    throw UsageError(fmt::format("RAILYARD_OFI_TAGGED: expected on or off, found '{}'", text));
}

/// Whether it is known before anything is opened that connections are sockets, where bytes are
/// copied anyhow: then a question before a message takes as long as many of them.
bool is_on_sockets(std::string_view provider) {
    const char* const value = std::getenv("RAILYARD_OFI_PROVIDER");
    if (provider.empty() && value != nullptr) provider = value;
    return provider == "tcp" || provider == "net" || provider == "tcp:msg" || provider == "net:msg";
}

}  // namespace

bool is_name(std::string_view name) {
    return name == plain || (name.starts_with(with_provider) && !provider_of(name).empty());
}

fabric::Traits traits(std::string_view name) {
    fabric::Traits t;
    t.name = name;
    const std::string_view provider = provider_of(name);
    t.description = provider.empty() ? "the best provider of libfabric on this host"
                                     : fmt::format("libfabric's provider {}", provider);
    t.clock = fabric::Clock::real;
    t.placement = fabric::Placement::last_byte_last;
    t.progress = fabric::Progress::calls;
    t.bulk = fabric::Bulk::read;
    t.coherent_atomics = true;  // the owner's processor does them
    t.crosses_nodes = true;
    t.tagged = wants_tags();
    t.ports = domains_wished().count;
    t.max_message = 1_GiB * 1024;
    t.max_inline = 256_B;
    t.max_slices = 16;
    t.max_send_depth = 4096;
    t.max_queue_pairs = 8192;
    t.bulk_threshold = is_on_sockets(provider) && !t.tagged ? 64_KiB : 16_KiB;
    return t;
}

void prepare(std::string_view name) {
    module().set_variables(provider_of(name));
}

bool has_adapters(const std::string& classes) {
    // InfiniBand, RoCE, iWARP, EFA and Omni-Path are all under the first name.
    for (const char* kind : {"infiniband", "cxi"}) {
        std::error_code none;
        if (std::filesystem::directory_iterator(classes + "/" + kind, none) !=
            std::filesystem::directory_iterator())
            return true;
    }
    return false;
}

bool finds_hardware() {
    if (!has_adapters("/sys/class")) return false;
    try {
        return module().finds_hardware();
    } catch (const Error& error) {
        log_debug("{}: the adapter of this host is not used", error.what());
        return false;
    }
}

std::unique_ptr<fabric::Fabric> open(std::string_view name) {
    return real::make_fabric(
        traits(name), [provider = std::string(provider_of(name))](hosts::RealHost& host,
                                                                  const fabric::Traits& of_fabric) {
            Failure failure;
            auto nic = module().open(host, of_fabric, provider, failure);
            if (nic == nullptr) throw_failure(failure);
            return std::make_unique<LoadedNic>(module(), std::move(nic));
        });
}

std::string survey() {
    Failure failure;
    const auto text = module().survey(failure);
    if (text == nullptr) throw_failure(failure);
    return *text;
}

void throw_failure(const Failure& failure) {
    if (failure.is_usage) throw UsageError(failure.text);
    throw Error(failure.text);
}

std::string_view build_name() {
    static const std::string name = fmt::format("{}, {}, {}, {}", RAILYARD_VERSION, sizeof(Module),
                                                sizeof(fabric::Traits), sizeof(hosts::RealHost));
    return name;
}

}  // namespace railyard::ofi
