#include "programs/executables/options_parser.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"

namespace railyard::executables {

struct OptionsParser::Call {
    Place place;
    int argc;
    char** argv;
    const char* shorts;  ///< behind what says how to order
    const option* longs;
    int* which;
    Long how;
    bool colon_first;  ///< a missing argument is told from an unknown option, and nothing is said

    bool says() const { return place.reports != 0 && !colon_first; }
    const char* program() const { return argv[0]; }
};

/// Words that are no options go behind those that are: [first, last) and [last, end) change places.
void OptionsParser::exchange(char** argv, int end) {
    std::rotate(argv + first_word_, argv + last_word_, argv + end);
    first_word_ += end - last_word_;
    last_word_ = end;
}

int OptionsParser::next(Place place, int argc, char** argv, const Known& known, int* which) {
    if (argc < 1) return -1;
    const auto& [all_shorts, longs, how, up_to_first_word] = known;
    const char* shorts = all_shorts;
    place.argument = nullptr;
    if (place.index == 0) {  // the program wants to begin anew
        place.index = 1;
        rest_ = nullptr;
        first_word_ = last_word_ = 1;
    }
    Order order = Order::permute;
    if (*shorts == '-')
        order = Order::in_place;
    else if (*shorts == '+' || up_to_first_word)
        order = Order::stop;
    if (*shorts == '-' || *shorts == '+') ++shorts;
    Call call{place, argc, argv, shorts, longs, which, how, *shorts == ':'};
    if (call.colon_first) ++call.shorts;
    if (rest_ != nullptr && *rest_ != '\0') return take_short(call);

    const auto is_word = [&](int i) { return argv[i][0] != '-' || argv[i][1] == '\0'; };
    last_word_ = std::min(last_word_, place.index);
    first_word_ = std::min(first_word_, place.index);
    if (order == Order::permute) {
        if (first_word_ != last_word_ && last_word_ != place.index)
            exchange(argv, place.index);
        else if (last_word_ != place.index)
            first_word_ = place.index;
        while (place.index < argc && is_word(place.index))
            ++place.index;
        last_word_ = place.index;
    }
    if (place.index < argc && std::strcmp(argv[place.index], "--") == 0) {
        ++place.index;
        if (first_word_ != last_word_ && last_word_ != place.index)
            exchange(argv, place.index);
        else if (first_word_ == last_word_)
            first_word_ = place.index;
        last_word_ = argc;
        place.index = argc;
    }
    if (place.index >= argc) {
        if (first_word_ != last_word_) place.index = first_word_;
        return -1;
    }
    if (is_word(place.index)) {
        if (order == Order::stop) return -1;
        place.argument = argv[place.index++];
        return 1;
    }
    const char* const word = argv[place.index];
    if (longs != nullptr && word[1] == '-') return take_long(call, word + 2);
    // With one dash it may be long, unless it can only be a short one.
    if (longs != nullptr && how == Long::only &&
        (word[2] != '\0' || std::strchr(call.shorts, word[1]) == nullptr)) {
        const std::size_t length = std::strcspn(word + 1, "=");
        const auto begins = [&](const option* one) {
            return std::strncmp(one->name, word + 1, length) == 0;
        };
        bool found = std::strchr(call.shorts, word[1]) == nullptr;
        for (const option* one = longs; one->name != nullptr; ++one)
            found = found || begins(one);
        if (found) return take_long(call, word + 1);
    }
    rest_ = word + 1;
    return take_short(call);
}

int OptionsParser::take_long(Call& call, const char* word) {
    Place& place = call.place;
    const char* const shown = call.argv[place.index];
    const std::size_t length = std::strcspn(word, "=");
    const option* found = nullptr;
    bool exact = false;
    bool ambiguous = false;
    for (const option* one = call.longs; one->name != nullptr && !exact; ++one) {
        if (std::strncmp(one->name, word, length) != 0) continue;
        exact = std::strlen(one->name) == length;
        if (exact)
            found = one;
        else if (found == nullptr)
            found = one;
        else if (call.how == Long::only || found->has_arg != one->has_arg ||
                 found->flag != one->flag || found->val != one->val)
            ambiguous = true;
    }
    rest_ = nullptr;
    ++place.index;
    if (found == nullptr || (ambiguous && !exact)) {
        if (call.says())
            std::fprintf(::stderr,
                         found == nullptr ? "%s: unrecognized option '%s'\n"
                                          : "%s: option '%s' is ambiguous\n",
                         call.program(), shown);
        place.unknown = 0;
        return '?';
    }
    if (word[length] == '=') {
        if (found->has_arg == no_argument) {
            if (call.says())
                std::fprintf(::stderr, "%s: option '--%s' doesn't allow an argument\n",
                             call.program(), found->name);
            place.unknown = found->val;
            return '?';
        }
        place.argument = const_cast<char*>(word + length + 1);
    } else if (found->has_arg == required_argument) {
        if (place.index >= call.argc) {
            if (call.says())
                std::fprintf(::stderr, "%s: option '--%s' requires an argument\n", call.program(),
                             found->name);
            place.unknown = found->val;
            return call.colon_first ? ':' : '?';
        }
        place.argument = call.argv[place.index++];
    }
    if (call.which != nullptr) *call.which = static_cast<int>(found - call.longs);
    if (found->flag == nullptr) return found->val;
    *found->flag = found->val;
    return 0;
}

int OptionsParser::take_short(Call& call) {
    Place& place = call.place;
    const char character = *rest_++;
    const char* const known =
        character == ':' || character == ';' ? nullptr : std::strchr(call.shorts, character);
    if (*rest_ == '\0') ++place.index;
    if (known == nullptr) {
        if (call.says())
            std::fprintf(::stderr, "%s: invalid option -- '%c'\n", call.program(), character);
        place.unknown = character;
        return '?';
    }
    if (known[1] != ':') return character;
    const bool may_miss = known[2] == ':';
    if (*rest_ != '\0') {
        place.argument = const_cast<char*>(rest_);
        ++place.index;
    } else if (!may_miss) {
        if (place.index >= call.argc) {
            if (call.says())
                std::fprintf(::stderr, "%s: option requires an argument -- '%c'\n", call.program(),
                             character);
            place.unknown = character;
            rest_ = nullptr;
            return call.colon_first ? ':' : '?';
        }
        place.argument = call.argv[place.index++];
    }
    rest_ = nullptr;
    return character;
}

namespace {

int next_option(int argc, char* const* argv, OptionsParser::Known known, int* which = nullptr) {
    Process& process = *Process::here();
    known.up_to_first_word = process.environment().find("POSIXLY_CORRECT") != nullptr;
    const OptionsParser::Place place{
        process.variable<char*>("optarg"), process.variable<int>("optind"),
        process.variable<int>("opterr"), process.variable<int>("optopt")};
    return process.options_parser().next(place, argc, const_cast<char**>(argv), known, which);
}

int imported_getopt(int argc, char* const* argv, const char* shorts) {
    return next_option(argc, argv, {shorts});
}

int imported_getopt_long(int argc, char* const* argv, const char* shorts, const option* longs,
                         int* which) {
    return next_option(argc, argv, {shorts, longs, OptionsParser::Long::yes}, which);
}

int imported_getopt_long_only(int argc, char* const* argv, const char* shorts, const option* longs,
                              int* which) {
    return next_option(argc, argv, {shorts, longs, OptionsParser::Long::only}, which);
}

}  // namespace

std::span<const Import> imports_of_options() {
    static const Import all[] = {
        import("getopt", imported_getopt),
        import("__posix_getopt", imported_getopt),
        import("getopt_long", imported_getopt_long),
        import("getopt_long_only", imported_getopt_long_only),
    };
    return all;
}

}  // namespace railyard::executables
