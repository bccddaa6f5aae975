#pragma once
/// What functions of the C library keep or return in static memory: of one rank's program.

#include <time.h>

namespace railyard::executables {

struct StaticResults {
    char* rest_of_tokens = nullptr;  ///< strtok's
    tm date{};
    char date_text[64] = {};  ///< 26 are said to be enough
};

}  // namespace railyard::executables
