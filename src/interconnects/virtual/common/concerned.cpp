#include "interconnects/virtual/common/concerned.hpp"

#include <algorithm>
#include <utility>

#include "interconnects/virtual/common/endpoint.hpp"
#include "interconnects/virtual/common/tagged_port.hpp"

namespace railyard::virtual_time {

namespace {

template <class T, class Gone>
void add_to(std::vector<std::weak_ptr<T>>& all, std::size_t& limit, std::weak_ptr<T> one,
            Gone gone) {
    if (all.size() == limit) {
        std::erase_if(all, gone);
        limit = std::max<std::size_t>(64, 2 * all.size());
    }
    all.push_back(std::move(one));
}

}  // namespace

void Concerned::add(std::weak_ptr<Endpoint> endpoint) {
    add_to(endpoints_, endpoints_limit_, std::move(endpoint),
           [](const std::weak_ptr<Endpoint>& one) { return one.expired(); });
}

void Concerned::add(const std::shared_ptr<TaggedMessage>& message) {
    add_to(messages_, messages_limit_, std::weak_ptr(message),
           [](const std::weak_ptr<TaggedMessage>& one) {
               const std::shared_ptr<TaggedMessage> held = one.lock();
               return !held || held->told;
           });
}

void Concerned::give_up(fabric::NodeId from, fabric::NodeId to) {
    // Copies, of those that are there now: who hears of it may add others, which moves the lists.
    const std::vector<std::weak_ptr<Endpoint>> endpoints = endpoints_;
    for (const std::weak_ptr<Endpoint>& held : endpoints)
        if (const std::shared_ptr<Endpoint> one = held.lock()) {
            one->given_up(from, to, true);
            one->given_up(to, from, false);
        }
    const std::vector<std::weak_ptr<TaggedMessage>> messages = messages_;
    for (const std::weak_ptr<TaggedMessage>& one : messages)
        if (const std::shared_ptr<TaggedMessage> message = one.lock())
            TaggedPort::give_up(message, from, to);
}

}  // namespace railyard::virtual_time
