// What a Nic reads of its ports: completions, and events of connections.

#include <rdma/fi_errno.h>

#include <array>
#include <type_traits>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"

namespace railyard::ofi {

namespace {

constexpr std::size_t at_once = 16;

}  // namespace

/// False if there were none.
bool Nic::read_completions() {
    bool any = false;
    for (const auto& port : ports_) {
        Device& device = port->device();
        if (device.is_tagged())
            any |= read_tagged_completions(*port);
        else
            any |= read_untagged_completions(*port, device.completions());
        fid_cq* const crowded = device.crowded_completions();
        if (crowded != nullptr) any |= read_untagged_completions(*port, *crowded);
    }
    return any;
}

/// Of the Device's format: `Entry`.
template <class Entry>
bool Nic::read_completions(Port& port, fid_cq& queue) {
    std::array<Entry, at_once> entries;
    const ssize_t count = fi_cq_read(&queue, entries.data(), entries.size());
    if (count == -FI_EAGAIN) return false;
    if (count == -FI_EAVAIL) {
        read_error(port, queue);
        return true;
    }
    port.device().silence();
    for (ssize_t i = 0; i < count; ++i) {
        const Entry& entry = entries[static_cast<std::size_t>(i)];
        if constexpr (std::is_same_v<Entry, fi_cq_data_entry>)
            if ((entry.flags & FI_REMOTE_WRITE) != 0) {
                word_came(entry.data);
                continue;
            }
        auto& operation = *static_cast<Operation*>(entry.op_context);
        const std::size_t length = entry.len;
        if (operation.link != nullptr)
            operation.link->completed(operation, length);
        else
            port.shared().received(operation, length);
    }
    return count > 0;
}

bool Nic::read_untagged_completions(Port& port, fid_cq& queue) {
    return port.device().brings_words() ? read_completions<fi_cq_data_entry>(port, queue)
                                        : read_completions<fi_cq_msg_entry>(port, queue);
}

/// With data that a peer has written. Of a link that has ended nobody wants to know.
void Nic::word_came(std::uint64_t word) {
    const auto link = by_mark_.find(static_cast<std::uint32_t>(word >> 32));
    if (link != by_mark_.end()) link->second->read_done(static_cast<std::uint32_t>(word));
}

/// The same where completions have tags.
bool Nic::read_tagged_completions(Port& port) {
    std::array<fi_cq_tagged_entry, at_once> entries;
    const ssize_t count = fi_cq_read(&port.device().completions(), entries.data(), entries.size());
    if (count == -FI_EAVAIL) {
        read_error(port, port.device().completions());
        return true;
    }
    for (ssize_t i = 0; i < count; ++i) {
        const fi_cq_tagged_entry& entry = entries[static_cast<std::size_t>(i)];
        auto& operation = *static_cast<Operation*>(entry.op_context);
        if (operation.link != nullptr)
            operation.link->completed(operation, entry.len);
        else if (operation.is_tagged())
            tagged_->completed(operation, entry.len, entry.tag);
        else
            port.shared().received(operation, entry.len);
    }
    return count > 0;
}

void Nic::read_now() {
    read_completions();
    post_receives();
}

/// Whatever an operation fails of, its link is over: after a failure nothing on it is certain.
void Nic::read_error(Port& port, fid_cq& queue) {
    fi_cq_err_entry entry{};
    if (fi_cq_readerr(&queue, &entry, 0) < 0 || entry.op_context == nullptr) return;
    auto& operation = *static_cast<Operation*>(entry.op_context);
    if (operation.link == nullptr && operation.is_tagged())
        return tagged_->failed(operation, entry.err);
    if (operation.link == nullptr) {
        log_debug("ofi: a receive fails: {}", error_text(entry.err));
        return port.shared().failed(operation);
    }
    Link& link = *operation.link;
    if (!link.is_down() && !link.doomed && log_on(LogLevel::debug))
        log_debug("ofi: an operation fails: {} ({})", error_text(entry.err),
                  fi_cq_strerror(&queue, entry.prov_errno, entry.err_data, nullptr, 0));
    link.failed(operation);
    found_down(link);
}

void Nic::read_events() {
    for (const auto& port : ports_)
        if (port->device().events() != nullptr) read_events(*port);
}

void Nic::read_events(Port& port) {
    alignas(fi_eq_cm_entry) std::array<std::byte, 512> event;
    for (;;) {
        std::uint32_t kind = 0;
        const ssize_t size =
            fi_eq_read(port.device().events(), &kind, event.data(), event.size(), 0);
        if (size == -FI_EAVAIL) {
            if (!read_event_error(port)) return;
            continue;
        }
        if (size < static_cast<ssize_t>(sizeof(fi_eq_cm_entry))) return;
        handle_event(port, kind, *reinterpret_cast<const fi_eq_cm_entry*>(event.data()),
                     static_cast<std::size_t>(size));
    }
}

void Nic::handle_event(Port& port, std::uint32_t event, const fi_eq_cm_entry& entry,
                       std::size_t size) {
    if (event == FI_CONNREQ) {
        const auto* const data = reinterpret_cast<const std::byte*>(&entry) + sizeof entry;
        dialling_.push_back({&port, InfoList(entry.info), {data, data + size - sizeof entry}});
        return;
    }
    const auto found = by_endpoint_.find(entry.fid);
    if (found == by_endpoint_.end()) return;
    if (event == FI_CONNECTED) found->second->up();
    if (event == FI_SHUTDOWN) found_down(*found->second);
}

/// False if there was none.
bool Nic::read_event_error(Port& port) {
    fi_eq_err_entry entry{};
    if (fi_eq_readerr(port.device().events(), &entry, 0) < 0) return false;
    log_debug("ofi: a connection fails: {}", error_text(entry.err));
    const auto found = by_endpoint_.find(entry.fid);
    if (found != by_endpoint_.end()) found_down(*found->second);
    return true;
}

}  // namespace railyard::ofi
