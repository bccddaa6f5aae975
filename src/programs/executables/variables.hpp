#pragma once
/// Variables of the C library of which every rank has its own.

#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>

namespace railyard::executables {

struct Variables {
    std::FILE* input = nullptr;
    std::FILE* output = nullptr;
    std::FILE* errors = nullptr;
    char** environment = nullptr;
    char* option_argument = nullptr;
    int option_index = 1;
    int option_errors = 1;
    int unknown_option = '?';
    char* program_name = nullptr;
    char* short_program_name = nullptr;
};

struct Variable {
    std::string_view name;  ///< the C library's
    std::size_t offset;     ///< among the rank's Variables
    std::size_t size;
};

std::span<const Variable> variables();

}  // namespace railyard::executables
