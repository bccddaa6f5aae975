// The floor plan: what src/CMakeLists.txt declares, what the build lets each layer see, and what
// the files include.

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "house/rules.hpp"

namespace railyard::house {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<Layer> built_layers() {
    std::ifstream in(RAILYARD_LAYER_FILE);
    return read_layers(in);
}

std::vector<File> src() {
    return read_files(RAILYARD_SOURCE_DIR, {"src"});
}

std::vector<File> src_and_interface() {
    return read_files(RAILYARD_SOURCE_DIR, {"src", "include/railyard"});
}

std::vector<Layer> layers_from(const std::string& text) {
    std::istringstream in(text);
    return read_layers(in);
}

const char* const small_house =
    "src/base base base \n"
    "include/railyard/base railyard/base base \n"
    "src/fabric fabric fabric base\n"
    "include/railyard railyard fabric base\n"
    "src/interconnects/real/shm interconnects/real/shm shm fabric;base\n";

TEST(HouseLayers, AreDeclaredLowestFirst) {
    ASSERT_THAT(built_layers(), Not(IsEmpty()));
    EXPECT_THAT(check_floors(built_layers()), IsEmpty());
}

TEST(HouseLayers, ACycleIsFound) {
    EXPECT_THAT(check_floors(layers_from("src/a a a b\nsrc/b b b a\n")),
                ElementsAre("layer a depends on b, which is not declared before it"));
}

TEST(HouseLayers, IncludesRunDownwards) {
    ASSERT_THAT(src_and_interface(), Not(IsEmpty()));
    EXPECT_THAT(check_include_directions(src_and_interface(), built_layers()), IsEmpty());
}

TEST(HouseLayers, AnUpwardIncludeIsFound) {
    const std::vector<File> files = {
        make_file("include/railyard/nic.hpp",
                  "#include \"railyard/base/time.hpp\"\n#include <vector>\n"),
        make_file("include/railyard/base/time.hpp",
                  "#pragma once\n  #  include <railyard/nic.hpp>\n"),
        make_file("src/interconnects/real/shm/nic.cpp", "#include \"base/gone.hpp\"\n"),
        make_file("src/attic/a.cpp", ""),
    };
    EXPECT_THAT(check_include_directions(files, layers_from(small_house)),
                ElementsAre("include/railyard/base/time.hpp:2: layer base may not include "
                            "railyard/nic.hpp of layer fabric",
                            "src/interconnects/real/shm/nic.cpp:1: base/gone.hpp does not exist",
                            "src/attic/a.cpp:1: belongs to no layer of src/CMakeLists.txt"));
}

TEST(HouseLayers, AFabricIsKnownToTheRegistryAlone) {
    EXPECT_THAT(check_fabric_privacy(src()), IsEmpty());
}

TEST(HouseLayers, AFabricKnownElsewhereIsFound) {
    const std::vector<File> files = {
        make_file("src/interconnects/registry.cpp",
                  "#include \"interconnects/real/shm/fabric.hpp\"\n"),
        make_file("src/interconnects/real/shm/nic.cpp",
                  "#include \"interconnects/real/shm/nic.hpp\"\n"),
        make_file("src/interconnects/virtual/ideal/nic.cpp",
                  "#include \"interconnects/virtual/common/nic.hpp\"\n"
                  "#include \"interconnects/real/shm/nic.hpp\"\n"),
        make_file("src/launch/job/job.cpp", "#include \"interconnects/registry.hpp\"\n"),
        make_file("src/experiments/a.cpp",
                  "#include \"interconnects/real/shm/nic.hpp\"\n"
                  "#include \"interconnects/registry.hpp\"\n"),
        make_file("src/launch/job/run.cpp", "#include \"interconnects/virtual/common/nic.hpp\"\n"),
    };
    const std::string only = "only the registry and the fabric itself include interconnects/";
    EXPECT_THAT(
        check_fabric_privacy(files),
        ElementsAre("src/interconnects/virtual/ideal/nic.cpp:2: " + only + "real/shm/nic.hpp",
                    "src/experiments/a.cpp:1: " + only + "real/shm/nic.hpp",
                    "src/experiments/a.cpp:2: only launch/ asks the registry",
                    "src/launch/job/run.cpp:1: " + only + "virtual/common/nic.hpp"));
}

TEST(HouseLayers, ExperimentsNameNoFabric) {
    EXPECT_THAT(check_no_fabric_is_named(src()), IsEmpty());
}

TEST(HouseLayers, ANamedFabricIsFound) {
    const std::vector<File> files = {
        make_file("src/interconnects/real/shm/nic.hpp", ""),
        make_file("src/launch/job/job.hpp", "std::string fabric = \"shm\";\n"),
        make_file("src/experiments/a.cpp", "// on \"shm\"\nif (name == \"shm\") {}\n"),
    };
    EXPECT_THAT(check_no_fabric_is_named(files),
                ElementsAre("src/experiments/a.cpp:2: \"shm\": ask Traits instead"));
}

TEST(HouseLayers, TimeBelongsToTheHost) {
    EXPECT_THAT(check_time_belongs_to_host(src()), IsEmpty());
}

TEST(HouseLayers, AForeignClockIsFound) {
    const std::vector<File> files = {
        make_file("src/experiments/a.cpp",
                  "// std::chrono in a comment\nstd::chrono::seconds(1);\n"),
        make_file("src/experiments/raw/limits.cpp", "clock_gettime();\n"),
        make_file("src/hosts/real_host.cpp", "clock_gettime();\n"),
        make_file("src/mpi/recording/recorder.cpp", "ticks::now(true);\n"),
        make_file("src/mpi/engine/a.cpp", "ticks::now(true);\nclock_nanoseconds(1);\n"),
        make_file("src/sim/engine.cpp", "std::random_device d;\n"),
    };
    EXPECT_THAT(check_time_belongs_to_host(files),
                ElementsAre(HasSubstr("a.cpp:2: std::chrono: time belongs"),
                            HasSubstr("engine/a.cpp:1: ticks::: time belongs"),
                            HasSubstr("engine/a.cpp:2: clock_nanoseconds: time belongs"),
                            HasSubstr("engine.cpp:1: random_device: a simulation")));
}

// What the compiler is really told: the build wrote down each layer's include directories.
TEST(HouseLayers, TheBuildShowsALayerOnlyWhatItNames) {
    for (const Layer& layer : built_layers()) {
        std::ifstream in(std::string(RAILYARD_VISIBLE_DIR "/") + layer.name + ".txt");
        ASSERT_TRUE(in) << layer.name;
        std::set<std::string> visible;
        for (std::string directory; std::getline(in, directory);)
            if (const std::string root = RAILYARD_INCLUDE_ROOT "/"; directory.starts_with(root))
                visible.insert(directory.substr(root.size()));
        std::set<std::string> expected = layer.dependencies;
        expected.insert(layer.name);
        EXPECT_EQ(visible, expected) << "layer " << layer.name;
    }
}

}  // namespace
}  // namespace railyard::house
