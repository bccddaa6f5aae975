#pragma once
/// What an event does: a callable of up to six words, kept in place, so that scheduling allocates
/// nothing. Move-only; a lambda that captures more does not compile.

#include <concepts>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace railyard::sim {

class Action {
  public:
    static constexpr std::size_t capacity = 48;

    Action() = default;
    template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Action> &&
             std::invocable<std::remove_cvref_t<F>&>)
        Action(F&& callable) {  // NOLINT: any callable is an action
        emplace(std::forward<F>(callable));
    }
    Action(Action&& other) noexcept { take(other); }
    Action& operator=(Action&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    ~Action() { reset(); }

    /// Makes it in place: this action must be none.
    template <class F>
    void emplace(F&& callable) {
        using Held = std::remove_cvref_t<F>;
        static_assert(sizeof(Held) <= capacity, "capture less: an action holds six words");
        static_assert(alignof(Held) <= alignof(void*));
        static_assert(std::is_nothrow_move_constructible_v<Held>);
        ::new (static_cast<void*>(held_)) Held(std::forward<F>(callable));
        type_ = &type_of<Held>;
    }

    explicit operator bool() const { return type_ != nullptr; }
    void operator()() { type_->run(held_); }

    /// Fetches what its first words point to, if they are pointers, into the cache.
    void fetch() const {
        const void* words[4];
        std::memcpy(words, held_, sizeof words);
        for (const void* word : words)
            __builtin_prefetch(word);
    }

    void reset() {
        if (type_ && type_->destroy) type_->destroy(held_);
        type_ = nullptr;
    }

  private:
    struct Type {
        void (*run)(void*);
        void (*move)(void* from, void* to);  ///< null: plain bytes
        void (*destroy)(void*);              ///< null: nothing to do
    };

    template <class Held>
    static constexpr Type make_type() {
        Type type{[](void* held) { (*static_cast<Held*>(held))(); }, nullptr, nullptr};
        if constexpr (!std::is_trivially_copyable_v<Held>) {
            type.move = [](void* from, void* to) {
                ::new (to) Held(std::move(*static_cast<Held*>(from)));
                static_cast<Held*>(from)->~Held();
            };
            type.destroy = [](void* held) { static_cast<Held*>(held)->~Held(); };
        }
        return type;
    }
    template <class Held>
    static constexpr Type type_of = make_type<Held>();

    void take(Action& other) {
        type_ = std::exchange(other.type_, nullptr);
        if (!type_) return;
        if (type_->move)
            type_->move(other.held_, held_);
        else
            std::memcpy(held_, other.held_, capacity);
    }

    // Of a word: with its type and one word more, an action fills a cache line (EventQueue).
    alignas(void*) std::byte held_[capacity];
    const Type* type_ = nullptr;
};

}  // namespace railyard::sim
