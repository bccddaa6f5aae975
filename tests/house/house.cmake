# The house tests read the source tree and what the build says of itself.
set(visible ${PROJECT_BINARY_DIR}/visible)
target_compile_definitions(house_test PRIVATE
    RAILYARD_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    RAILYARD_LAYER_FILE="${RAILYARD_LAYER_FILE}"
    RAILYARD_INCLUDE_ROOT="${PROJECT_BINARY_DIR}/include"
    RAILYARD_VISIBLE_DIR="${visible}")
# The rules look at every line of the tree by regular expressions, which take minutes without -O2.
set_source_files_properties(house/pattern.cpp PROPERTIES
                            COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)

# Each layer's include directories, one a line, as its files are compiled with them.
file(READ ${RAILYARD_LAYER_FILE} lines)
string(REPLACE ";" " " lines "${lines}")
string(STRIP "${lines}" lines)
string(REPLACE "\n" ";" lines "${lines}")
list(TRANSFORM lines REPLACE "^[^ ]+ [^ ]+ ([^ ]+).*$" "\\1" OUTPUT_VARIABLE layer_names)
list(REMOVE_DUPLICATES layer_names)
foreach(layer IN LISTS layer_names)
    file(GENERATE OUTPUT ${visible}/${layer}.txt
         CONTENT "$<JOIN:$<TARGET_PROPERTY:railyard_${layer},INCLUDE_DIRECTORIES>,\n>\n")
endforeach()

# The build refuses an upward include, and not everything.
set(base_sees "$<TARGET_PROPERTY:railyard_base,INCLUDE_DIRECTORIES>")
set(compile ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only "-I$<JOIN:${base_sees},$<SEMICOLON>-I>"
            ${CMAKE_CURRENT_SOURCE_DIR}/house/upward/include.cpp)
add_test(NAME HouseBuild.AcceptsADownwardInclude COMMAND ${compile} COMMAND_EXPAND_LISTS)
add_test(NAME HouseBuild.RefusesAnUpwardInclude COMMAND ${compile} -DUPWARD COMMAND_EXPAND_LISTS)
set_tests_properties(HouseBuild.RefusesAnUpwardInclude PROPERTIES
    PASS_REGULAR_EXPRESSION "railyard/nic.hpp: No such file|'railyard/nic.hpp' file not found")
set_tests_properties(HouseBuild.AcceptsADownwardInclude HouseBuild.RefusesAnUpwardInclude
                     PROPERTIES LABELS house)
