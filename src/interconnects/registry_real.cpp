#include "interconnects/registry.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "interconnects/real/iwarp/fabric.hpp"
#include "interconnects/real/ofi/loader/fabric.hpp"
#include "interconnects/real/shm/fabric.hpp"

namespace railyard::interconnects {

namespace {

Entry ofi_entry(std::string_view name) {
    Entry entry{ofi::traits(name), [name = std::string(name)] { return ofi::open(name); }, nullptr,
                nullptr};
    entry.prepare = [name = std::string(name)] { ofi::prepare(name); };
    entry.finds_hardware = ofi::finds_hardware;
    entry.survey = ofi::survey;
    return entry;
}

/// `ofi:PROVIDER`: as many as were asked for so far. Whether there is such a provider shows when it
/// is opened.
const Entry& of_provider(std::string_view name) {
    static std::mutex mutex;
    static std::deque<Entry> entries;  // which stay where they are
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(entries, name, &Entry::name);
    return found != entries.end() ? *found : entries.emplace_back(ofi_entry(name));
}

}  // namespace

std::span<const Entry> real_fabrics() {
    // To add a real fabric, add its line.
    static const std::vector<Entry> entries = {
        {shm::traits(), shm::open, nullptr, nullptr},
        {iwarp::traits(), [] { return iwarp::open(); }, nullptr, nullptr},
        ofi_entry("ofi"),
    };
    return entries;
}

const Entry* find_real(std::string_view name) {
    const auto entries = real_fabrics();
    const auto found = std::ranges::find(entries, name, &Entry::name);
    if (found != entries.end()) return &*found;
    return ofi::is_name(name) ? &of_provider(name) : nullptr;
}

}  // namespace railyard::interconnects
