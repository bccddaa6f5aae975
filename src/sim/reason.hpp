#pragma once
/// What a fiber waits for, in words that are made only when somebody asks: in the report of a
/// deadlock. Refers to a text, or to a callable that gives one; either must live as long as the
/// wait.

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace railyard::sim {

class Reason {
  public:
    Reason() : Reason(std::string_view()) {}
    template <class Text>
    requires std::convertible_to<const Text&, std::string_view> Reason(const Text& text)  // NOLINT
        : Reason(std::string_view(text), 0) {}
    template <class Tell>
    requires std::is_invocable_r_v<std::string, const Tell&> Reason(const Tell& tell)  // NOLINT
        : object_(&tell), tell_([](const void* object, std::size_t) -> std::string {
              return (*static_cast<const Tell*>(object))();
          }) {}

    std::string text() const { return tell_(object_, size_); }

  private:
    Reason(std::string_view text, int)
        : object_(text.data()), size_(text.size()), tell_([](const void* data, std::size_t size) {
              return std::string(static_cast<const char*>(data), size);
          }) {}

    const void* object_;
    std::size_t size_ = 0;
    std::string (*tell_)(const void* object, std::size_t size);
};

}  // namespace railyard::sim
