#pragma once
/// A list of objects that carry their own links: no allocation, and removal without search.

#include "mpi/engine/request.hpp"

namespace railyard::mpi {

template <class Node>
struct LinkedList {
    Node* first = nullptr;
    Node* last = nullptr;

    bool empty() const { return first == nullptr; }
    /// `link` is the node's link for lists of this kind.
    template <class LinkOf>
    void append(Node& node, LinkOf link) {
        Link<Node>& own = link(node);
        own.previous = last;
        own.next = nullptr;
        own.list = this;
        (last != nullptr ? link(*last).next : first) = &node;
        last = &node;
    }
    template <class LinkOf>
    void remove(Node& node, LinkOf link) {
        Link<Node>& own = link(node);
        (own.previous != nullptr ? link(*own.previous).next : first) = own.next;
        (own.next != nullptr ? link(*own.next).previous : last) = own.previous;
        own.list = nullptr;
    }
};

inline Link<Request>& request_link(Request& request) {
    return request.link;
}

}  // namespace railyard::mpi
