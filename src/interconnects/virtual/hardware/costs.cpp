// What the software of hosts costs on such hardware.

#include "interconnects/virtual/hardware/parameters.hpp"

namespace railyard::hardware {

using virtual_time::HostStep;

Duration host_cost(const Parameters& parameters, HostStep step, Bytes size) {
    const Host& host = parameters.host;
    const auto pages = [&] {
        const std::uint64_t page = parameters.translation.page.count();
        return static_cast<std::int64_t>((size.count() + page - 1) / page);
    };
    switch (step) {
        case HostStep::post_send:
        case HostStep::tagged_send:
            return host.post;
        case HostStep::post_receive:
        case HostStep::tagged_receive:
            return host.post_receive;
        case HostStep::poll_empty:
            return host.poll_empty;
        case HostStep::reap_send:
            return host.reap_send;
        case HostStep::reap_receive:
        case HostStep::tagged_reap:
            return host.reap_receive;
        case HostStep::register_memory:
            return host.register_memory + host.register_page * pages();
        case HostStep::deregister_memory:
            return host.deregister_memory + host.deregister_page * pages();
        case HostStep::create_queue_pair:
            return host.create_queue_pair;
        case HostStep::connect:
            return parameters.connection.connectionless ? Duration{} : host.connect;
        case HostStep::disconnect:
            return parameters.connection.connectionless ? Duration{} : host.disconnect;
        case HostStep::destroy_queue_pair:
            return host.destroy_queue_pair;
    }
    return {};
}

hosts::VirtualHost::Costs host_costs(const Parameters& parameters) {
    const Host& host = parameters.host;
    return {.match_entry = host.match_entry,
            .request = host.request,
            .copied_byte = host.copy == Rate{} ? Duration{} : Bytes(1) / host.copy,
            .memory = {.cache = parameters.cache.size,
                       .miss = parameters.cache.miss,
                       .rate = parameters.cache.rate,
                       .fills = parameters.cache.fills,
                       .entries = parameters.tlb.entries,
                       .walk = parameters.tlb.walk},
            .detect = host.detect,
            .interrupt = host.interrupt};
}

virtual_time::TaggedRules tagged_rules(const Parameters& parameters) {
    const Tagged& tagged = parameters.tagged;
    virtual_time::TaggedRules rules;
    rules.inline_limit = tagged.inline_limit;
    rules.eager_limit = tagged.eager_limit;
    if (tagged.copied_from > Bytes()) rules.copied_from = tagged.copied_from;
    if (tagged.piece > Bytes()) rules.piece = tagged.piece;
    rules.implicit_registration = tagged.implicit_registration;
    rules.registration_cache = tagged.registration_cache;
    return rules;
}

}  // namespace railyard::hardware
