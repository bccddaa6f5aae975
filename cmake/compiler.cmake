# Language, warnings and sanitizers: the same for every target.
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow
                    "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual>"
                    -Wcast-align -Wundef -Werror)
# GCC 12 sees std::string and fmt overlap themselves and write beyond their own ends where they do
# not (its bug 105651). Which lines it suspects changes with what it inlines: processor, level,
# precompiled headers. So these are off everywhere; asan looks for what they would.
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")
# A multiplication and an addition stay two roundings: where a processor can fuse them and another
# cannot, results would differ in the last digit.
add_compile_options(-ffp-contract=off)
# Frame pointers keep profiles and sanitizer stacks readable at a cost that nobody can measure.
add_compile_options(-fno-omit-frame-pointer)
# Nobody interposes our functions but MPI's, which are made for it: let the compiler inline the rest.
add_compile_options(-fno-semantic-interposition)
# Layers may ask for more, or for less: cmake/layers.cmake.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")

# GCC spends up to a twelfth of its time on collecting garbage that there is memory enough to keep.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param ggc-min-heapsize=524288>")

if(RAILYARD_SANITIZE)
    # -O1 keeps sanitizer runs bearable on two cores without hiding what they look for. Their reports
    # need functions and lines (-g1), and all that debuggers want takes a fifth of compiling.
    add_compile_options(-fsanitize=${RAILYARD_SANITIZE} -fno-sanitize-recover=all -O1 -g1)
    # Instrumented code confuses GCC's flow analysis; the release build keeps the warning.
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    add_link_options(-fsanitize=${RAILYARD_SANITIZE})
    if(RAILYARD_SANITIZE MATCHES "thread")
        # Fences are told to tsan by hand where they matter; GCC warns about each of them.
        add_compile_options(-Wno-tsan)
    endif()
endif()
