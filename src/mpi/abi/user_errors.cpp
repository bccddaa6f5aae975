#include "mpi/abi/user_errors.hpp"

#include "mpi/abi/errors.hpp"

namespace railyard::mpi::abi {

const UserErrors::Entry* UserErrors::find(int code) const {
    const long index = static_cast<long>(code) - first;
    if (index < 0 || index >= static_cast<long>(added_.size())) return nullptr;
    return &added_[static_cast<std::size_t>(index)];
}

int UserErrors::add_class() {
    last_used_ = first + static_cast<int>(added_.size());
    added_.push_back({last_used_, {}});
    return last_used_;
}

int UserErrors::add_code(int error_class) {
    last_used_ = first + static_cast<int>(added_.size());
    added_.push_back({error_class, {}});
    return last_used_;
}

bool UserErrors::set_text(int code, std::string text) {
    if (find(code) == nullptr) return false;
    added_[static_cast<std::size_t>(code - first)].text = std::move(text);
    return true;
}

int UserErrors::class_of(int code) const {
    const Entry* entry = find(code);
    return entry != nullptr ? entry->error_class : code;
}

std::string UserErrors::text(int code) const {
    if (const Entry* entry = find(code)) return entry->text;
    const std::string_view meaning = meaning_of(code);
    return meaning.empty() ? "error code " + std::to_string(code) : std::string(meaning);
}

std::string UserErrors::explanation(int code) const {
    const auto cause = causes_.find(code);
    if (cause == causes_.end() || find(code) != nullptr) return text(code);
    return text(code) + " (" + cause->second + ")";
}

}  // namespace railyard::mpi::abi
