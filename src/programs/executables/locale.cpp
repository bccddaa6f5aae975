#include "programs/executables/locale.hpp"

#include <algorithm>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"

namespace railyard::executables {

Locale::~Locale() {
    if (chosen_ != nullptr) ::freelocale(chosen_);
}

const char* Locale::name_of_all() {
    if (std::ranges::all_of(names_, [&](const std::string& name) { return name == names_[0]; }))
        return names_[0].c_str();
    all_.clear();
    for (std::size_t i = 0; i < names_.size(); ++i)
        all_ += (i > 0 ? ";" : "") + std::string(categories[i].label) + "=" + names_[i];
    return all_.c_str();
}

const char* Locale::set(int category, const char* name) {
    const auto is_meant = [&](const Category& one) {
        return category == LC_ALL || category == one.number;
    };
    int mask = 0;
    for (const Category& one : categories)
        if (is_meant(one)) mask |= one.mask;
    if (mask == 0) return nullptr;
    if (name != nullptr) {
        const locale_t base = chosen_ != nullptr ? ::duplocale(chosen_) : nullptr;
        const locale_t made = ::newlocale(mask, name, base);
        if (made == nullptr) {
            if (base != nullptr) ::freelocale(base);
            return nullptr;
        }
        ::uselocale(made);
        if (chosen_ != nullptr) ::freelocale(chosen_);
        chosen_ = made;
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (is_meant(categories[i])) names_[i] = name;
    }
    if (category == LC_ALL) return name_of_all();
    for (std::size_t i = 0; i < names_.size(); ++i)
        if (is_meant(categories[i])) return names_[i].c_str();
    return nullptr;
}

namespace {

char* imported_setlocale(int category, const char* name) {
    return const_cast<char*>(Process::here()->locale().set(category, name));
}

}  // namespace

std::span<const Import> imports_of_locale() {
    static const Import all[] = {import("setlocale", imported_setlocale)};
    return all;
}

}  // namespace railyard::executables
