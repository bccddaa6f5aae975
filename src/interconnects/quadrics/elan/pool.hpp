#pragma once
/// Objects that are used again: what a packet needs on its way through an adapter is made once, and
/// passed on by counted handles. Everything is on one thread, so a count is a plain number.

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace railyard::elan {

/// Base of what a Pool makes.
class Pooled {
  public:
    Pooled(const Pooled&) = delete;
    Pooled& operator=(const Pooled&) = delete;
    virtual ~Pooled() = default;

  protected:
    Pooled() = default;

  private:
    template <class T>
    friend class Handle;
    template <class T>
    friend class Pool;

    /// Nobody uses it any more: it lets go of what it holds, and is as new.
    virtual void clear() = 0;

    std::vector<Pooled*>* home_ = nullptr;  ///< where it waits to be used again
    std::uint32_t users_ = 0;
};

/// Keeps an object in use.
template <class T>
class Handle {
  public:
    Handle() = default;
    Handle(std::nullptr_t) {}  // NOLINT: as a pointer
    explicit Handle(T* object) : object_(object) { hold(); }
    Handle(const Handle& other) noexcept : object_(other.object_) { hold(); }
    Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    template <class Other>
    requires std::is_base_of_v<T, Other> Handle(const Handle<Other>& other)
    noexcept  // NOLINT
        : object_(other.get()) {
        hold();
    }
    Handle& operator=(Handle other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Handle() {
        if (object_) release(*object_);
    }

    T* get() const { return object_; }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }
    friend bool operator==(const Handle&, const Handle&) = default;

  private:
    void hold() {
        if (object_) ++static_cast<Pooled*>(object_)->users_;
    }
    static void release(Pooled& object) {
        if (--object.users_ > 0) return;
        object.clear();
        object.home_->push_back(&object);
    }

    T* object_ = nullptr;
};

/// Must outlive all handles to what it has made.
template <class T>
class Pool {
  public:
    Handle<T> take() {
        if (free_.empty()) {
            made_.push_back(std::make_unique<T>());
            made_.back()->home_ = &free_;
            free_.push_back(made_.back().get());
        }
        T* const object = static_cast<T*>(free_.back());
        free_.pop_back();
        return Handle<T>(object);
    }
    /// Nothing comes back any more, and what is in use holds nothing: before pools go whose objects
    /// hold each other.
    void close() {
        for (const auto& object : made_)
            ++static_cast<Pooled&>(*object).users_;
        for (const auto& object : made_)
            static_cast<Pooled&>(*object).clear();
    }

  private:
    std::vector<std::unique_ptr<T>> made_;
    std::vector<Pooled*> free_;
};

}  // namespace railyard::elan
