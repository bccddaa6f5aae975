#pragma once
/// The locale of one rank's program: "C" until it chooses another.

#include <locale.h>

#include <array>
#include <string>

namespace railyard::executables {

class Locale {
  public:
    Locale() = default;
    ~Locale();
    Locale(const Locale&) = delete;
    Locale& operator=(const Locale&) = delete;

    /// setlocale: the name of a category; null if there is no such.
    const char* set(int category, const char* name);
    /// The calling thread has it from now on.
    void use() const {
        if (chosen_ != nullptr) ::uselocale(chosen_);
    }
    void leave() const {
        if (chosen_ != nullptr) ::uselocale(LC_GLOBAL_LOCALE);
    }

  private:
    struct Category {
        int number;
        int mask;
        const char* label;
    };
    static constexpr Category categories[] = {{LC_CTYPE, LC_CTYPE_MASK, "LC_CTYPE"},
                                              {LC_NUMERIC, LC_NUMERIC_MASK, "LC_NUMERIC"},
                                              {LC_TIME, LC_TIME_MASK, "LC_TIME"},
                                              {LC_COLLATE, LC_COLLATE_MASK, "LC_COLLATE"},
                                              {LC_MONETARY, LC_MONETARY_MASK, "LC_MONETARY"},
                                              {LC_MESSAGES, LC_MESSAGES_MASK, "LC_MESSAGES"}};

    const char* name_of_all();

    locale_t chosen_ = nullptr;
    std::array<std::string, std::size(categories)> names_{"C", "C", "C", "C", "C", "C"};
    std::string all_;
};

}  // namespace railyard::executables
