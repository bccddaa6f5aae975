#pragma once
/// The contract suite: the tests that every interconnect passes, for one of your own. Link
/// Railyard::contract (CMake's component `contract`) or railyard-contract (pkg-config).

#include <string_view>

namespace railyard::contract {

/// Runs the suite on that fabric, which was added before (library/fabrics.hpp), and gives what the
/// program should exit with. The arguments are GoogleTest's: --gtest_filter, --gtest_list_tests.
/// RAILYARD_CONTRACT_QUICK=1 leaves out what is large.
int run_suite(int argc, char** argv, std::string_view fabric);

}  // namespace railyard::contract
