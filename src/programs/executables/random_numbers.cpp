#include "programs/executables/random_numbers.hpp"

#include <cstdint>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"

namespace railyard::executables {

namespace {

RandomNumbers& numbers() {
    return Process::here()->random_numbers();
}

long imported_random() {
    std::int32_t value = 0;
    ::random_r(&numbers().plain(), &value);
    return value;
}
int imported_rand() {
    return static_cast<int>(imported_random());
}
void imported_srandom(unsigned seed) {
    ::srandom_r(seed, &numbers().plain());
}
char* imported_initstate(unsigned seed, char* table, std::size_t size) {
    if (::initstate_r(seed, table, size, &numbers().plain()) != 0) return nullptr;
    return numbers().change_table(table);
}
char* imported_setstate(char* table) {
    if (::setstate_r(table, &numbers().plain()) != 0) return nullptr;
    return numbers().change_table(table);
}

double imported_drand48() {
    double value = 0;
    ::drand48_r(&numbers().long_ones(), &value);
    return value;
}
double imported_erand48(unsigned short* state) {
    double value = 0;
    ::erand48_r(state, &numbers().long_ones(), &value);
    return value;
}
long imported_lrand48() {
    long value = 0;
    ::lrand48_r(&numbers().long_ones(), &value);
    return value;
}
long imported_nrand48(unsigned short* state) {
    long value = 0;
    ::nrand48_r(state, &numbers().long_ones(), &value);
    return value;
}
long imported_mrand48() {
    long value = 0;
    ::mrand48_r(&numbers().long_ones(), &value);
    return value;
}
long imported_jrand48(unsigned short* state) {
    long value = 0;
    ::jrand48_r(state, &numbers().long_ones(), &value);
    return value;
}
void imported_srand48(long seed) {
    ::srand48_r(seed, &numbers().long_ones());
}
void imported_lcong48(unsigned short* parameters) {
    ::lcong48_r(parameters, &numbers().long_ones());
}
unsigned short* imported_seed48(unsigned short* seed) {
    ::seed48_r(seed, &numbers().long_ones());
    return numbers().long_ones().__old_x;
}

}  // namespace

std::span<const Import> imports_of_random_numbers() {
    static const Import all[] = {
        import("rand", imported_rand),           import("srand", imported_srandom),
        import("random", imported_random),       import("srandom", imported_srandom),
        import("initstate", imported_initstate), import("setstate", imported_setstate),
        import("drand48", imported_drand48),     import("erand48", imported_erand48),
        import("lrand48", imported_lrand48),     import("nrand48", imported_nrand48),
        import("mrand48", imported_mrand48),     import("jrand48", imported_jrand48),
        import("srand48", imported_srand48),     import("seed48", imported_seed48),
        import("lcong48", imported_lcong48),
    };
    return all;
}

}  // namespace railyard::executables
