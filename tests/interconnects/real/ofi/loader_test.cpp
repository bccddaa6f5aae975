#include "interconnects/real/ofi/loader/fabric.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace railyard::ofi {
namespace {

namespace fs = std::filesystem;

TEST(OfiLoader, AdaptersAreThoseTheKernelNames) {
    const fs::path classes = fs::path(testing::TempDir()) / "railyard-classes";
    fs::remove_all(classes);
    EXPECT_FALSE(has_adapters(classes)) << "no such folder";
    fs::create_directories(classes / "net" / "eth0");
    fs::create_directories(classes / "infiniband");
    EXPECT_FALSE(has_adapters(classes)) << "a driver without a device";
    fs::create_directories(classes / "infiniband" / "mlx5_0");
    EXPECT_TRUE(has_adapters(classes));
    fs::remove_all(classes / "infiniband");
    fs::create_directories(classes / "cxi" / "cxi0");
    EXPECT_TRUE(has_adapters(classes));
    fs::remove_all(classes);
}

}  // namespace
}  // namespace railyard::ofi
