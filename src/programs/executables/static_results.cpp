#include "programs/executables/static_results.hpp"

#include <cstring>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"

namespace railyard::executables {

namespace {

StaticResults& results() {
    return Process::here()->static_results();
}

char* imported_strtok(char* text, const char* between) {
    return ::strtok_r(text, between, &results().rest_of_tokens);
}

tm* imported_localtime(const time_t* time) {
    ::tzset();  // which localtime_r need not do
    return ::localtime_r(time, &results().date);
}

tm* imported_gmtime(const time_t* time) {
    return ::gmtime_r(time, &results().date);
}

char* imported_asctime(const tm* date) {
    return ::asctime_r(date, results().date_text);
}

char* imported_ctime(const time_t* time) {
    const tm* const date = imported_localtime(time);
    return date != nullptr ? imported_asctime(date) : nullptr;
}

}  // namespace

std::span<const Import> imports_of_static_results() {
    static const Import all[] = {
        import("strtok", imported_strtok), import("localtime", imported_localtime),
        import("gmtime", imported_gmtime), import("asctime", imported_asctime),
        import("ctime", imported_ctime),
    };
    return all;
}

}  // namespace railyard::executables
