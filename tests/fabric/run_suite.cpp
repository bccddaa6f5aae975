#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "railyard/library/contract.hpp"
#include "railyard/library/fabrics.hpp"

namespace railyard::contract {

int run_suite(int argc, char** argv, std::string_view fabric) {
    const std::string name(fabric);
    if (find_fabric(name) == nullptr) {
        std::fprintf(stderr, "there is no fabric '%s'; add it before its tests run\n",
                     name.c_str());
        return 2;
    }
    // Before GoogleTest asks for the settings of its tests.
    ::setenv("RAILYARD_CONTRACT_FABRICS", name.c_str(), 1);
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}

}  // namespace railyard::contract
