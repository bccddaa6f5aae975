# Fuzz targets: tests/fuzz/NAME_fuzz.cpp defines LLVMFuzzerTestOneInput; tests/fuzz/seeds/NAME holds
# inputs to start from. With clang and RAILYARD_FUZZ they are libFuzzer programs, which `make soak`
# runs for long; otherwise sample.cpp feeds them a fixed sample, as a test like any other.
#
#     railyard_fuzz(quantity LAYERS base)
option(RAILYARD_FUZZ "Build the fuzz targets with libFuzzer (needs clang)" OFF)
add_custom_target(fuzz_programs)
add_library(fuzz_sample OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/sample.cpp)

function(railyard_fuzz name)
    cmake_parse_arguments(FUZZ "" "" "LAYERS" ${ARGN})
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/fuzz)
    set(layers ${FUZZ_LAYERS})
    list(TRANSFORM layers PREPEND railyard_)
    add_executable(${name}_fuzz ${folder}/${name}_fuzz.cpp)
    target_link_libraries(${name}_fuzz PRIVATE ${layers})
    set_target_properties(${name}_fuzz PROPERTIES
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    add_dependencies(fuzz_programs ${name}_fuzz)
    if(RAILYARD_FUZZ)
        target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    else()
        target_link_libraries(${name}_fuzz PRIVATE fuzz_sample)
        add_test(NAME Fuzz.${name} COMMAND ${name}_fuzz ${folder}/seeds/${name})
        set_tests_properties(Fuzz.${name} PROPERTIES TIMEOUT 60 LABELS fuzz)
    endif()
endfunction()
