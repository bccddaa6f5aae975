# What makes a build from nothing bearable: most of a file's compile time is the parsing of headers.
option(RAILYARD_UNITY "Compile the files of a target together, with a precompiled header" ON)
set(RAILYARD_UNITY_BATCH 10 CACHE STRING "How many files are compiled together")

# Files of C++ of one target are compiled several at a time, or TOGETHER so many; those APART with each
# other alone.
function(railyard_unity target)
    cmake_parse_arguments(UNITY "" "TOGETHER" "APART" ${ARGN})
    if(NOT UNITY_TOGETHER)
        set(UNITY_TOGETHER ${RAILYARD_UNITY_BATCH})
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${RAILYARD_UNITY} UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    set(count 0)
    foreach(source ${sources})
        get_filename_component(name ${source} NAME)
        if(name IN_LIST UNITY_APART)
            set_source_files_properties(${source} PROPERTIES UNITY_GROUP apart)
        else()
            math(EXPR group "${count} / ${UNITY_TOGETHER}")
            math(EXPR count "${count} + 1")
            set_source_files_properties(${source} PROPERTIES UNITY_GROUP group_${group})
        endif()
    endforeach()
    # GCC takes the files that are compiled together for headers, where an unnamed namespace in a
    # type's members would be a mistake; Clang sees parameters shadow what another of them has there.
    if(RAILYARD_UNITY)
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>"
                               "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-shadow>")
    endif()
endfunction()

# Headers of other projects that nearly every file of a kind includes, parsed once for all of them.
#
#     railyard_precompiled(tests PROGRAM OPTIONS -O1 LINK GTest::gmock HEADERS <gtest/gtest.h> <vector>)
#     railyard_precompile(base_test tests)
#
# Those who share one must be compiled alike: with the same optimisation and definitions, and as parts
# of a library or of a PROGRAM. A compiler cache does better without.
function(railyard_precompiled name)
    cmake_parse_arguments(PRECOMPILED "PROGRAM" "" "OPTIONS;LINK;HEADERS" ${ARGN})
    if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT RAILYARD_UNITY)
        return()
    endif()
    set(empty ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    if(PRECOMPILED_PROGRAM)
        file(CONFIGURE OUTPUT ${empty} CONTENT "int main() {}")
        add_executable(precompiled_${name} ${empty})
        set_target_properties(precompiled_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/precompiled)
    else()
        file(CONFIGURE OUTPUT ${empty} CONTENT "")
        add_library(precompiled_${name} OBJECT ${empty})
    endif()
    target_compile_options(precompiled_${name} PRIVATE ${PRECOMPILED_OPTIONS})
    target_link_libraries(precompiled_${name} PRIVATE ${PRECOMPILED_LINK})
    target_precompile_headers(precompiled_${name} PRIVATE ${PRECOMPILED_HEADERS})
endfunction()

function(railyard_precompile target name)
    if(TARGET precompiled_${name})
        target_precompile_headers(${target} REUSE_FROM precompiled_${name})
    endif()
endfunction()
