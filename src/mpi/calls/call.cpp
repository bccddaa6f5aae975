#include "mpi/calls/call.hpp"

namespace railyard::mpi::calls {

void CallWatches::began(const HandleResolver& resolver) {
    for (CallWatch* const watch : watches_)
        watch->began(resolver);
}

MessageWatch* CallWatches::messages() {
    for (CallWatch* const watch : watches_)
        if (MessageWatch* const messages = watch->messages()) return messages;
    return nullptr;
}

void CallWatches::entered(Function function, std::span<const Word> arguments) {
    for (CallWatch* const watch : watches_)
        watch->entered(function, arguments);
}

void CallWatches::left(Function function) {
    for (auto watch = watches_.rbegin(); watch != watches_.rend(); ++watch)
        (*watch)->left(function);
}

void CallWatches::finalised(const Counters& counters) {
    for (CallWatch* const watch : watches_)
        watch->finalised(counters);
}

void Call::enter(const Around& around, Function function, std::span<const Word> arguments) {
    if (around.lock != nullptr) {
        around.lock->lock();
        ++around.lock->calls;
    }
    if (around.watch == nullptr) return;
    try {
        around.watch->entered(function, arguments);
    } catch (...) {  // it waited, and the rank was given up
        rank_local::pass_on();
    }
}

void Call::leave(const Around& around, Function function) {
    if (around.watch != nullptr) around.watch->left(function);
    if (around.lock != nullptr) {
        --around.lock->calls;
        around.lock->unlock();
    }
}

}  // namespace railyard::mpi::calls
