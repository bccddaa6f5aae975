#include "sim/context.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <utility>

namespace railyard::sim {

namespace context = boost::context::detail;

Context::Context(Stack stack, Entry entry, void* argument)
    : stack_(std::move(stack)), entry_(entry), argument_(argument) {
    inside_ = context::make_fcontext(stack_.top(), stack_.size(), &Context::start);
#if defined(RAILYARD_TSAN)
    inside_tsan_ = __tsan_create_fiber(0);
#endif
}

Context::~Context() {
#if defined(RAILYARD_TSAN)
    __tsan_destroy_fiber(inside_tsan_);
#endif
}

Stack Context::release() {
    stack_.forget();
    return std::move(stack_);
}

void Context::enter() {
    // Looked up once: whoever enters is on the same thread when it comes back.
    auto& thrown = *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
    std::swap(thrown, exceptions_);
#if defined(RAILYARD_ASAN)
    __sanitizer_start_switch_fiber(&outside_fake_, stack_.bottom(), stack_.size());
#endif
#if defined(RAILYARD_TSAN)
    outside_tsan_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_tsan_, 0);
#endif
    inside_ = context::jump_fcontext(inside_, this).fctx;
#if defined(RAILYARD_ASAN)
    __sanitizer_finish_switch_fiber(outside_fake_, nullptr, nullptr);
#endif
    std::swap(thrown, exceptions_);
}

void Context::leave([[maybe_unused]] bool for_good) {
#if defined(RAILYARD_ASAN)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &inside_fake_, outside_bottom_,
                                   outside_size_);
#endif
#if defined(RAILYARD_TSAN)
    __tsan_switch_to_fiber(outside_tsan_, 0);
#endif
    outside_ = context::jump_fcontext(outside_, nullptr).fctx;
#if defined(RAILYARD_ASAN)
    __sanitizer_finish_switch_fiber(inside_fake_, &outside_bottom_, &outside_size_);
#endif
}

void Context::start(context::transfer_t from) {
    auto* self = static_cast<Context*>(from.data);
    self->outside_ = from.fctx;
#if defined(RAILYARD_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &self->outside_bottom_, &self->outside_size_);
#endif
    self->entry_(self->argument_);
    self->finished_ = true;
    self->leave(true);
    std::abort();  // nobody enters a finished context
}

}  // namespace railyard::sim
