# A prelude: headers that nearly every file of a kind includes, parsed once for all of them.
#
#     railyard_prelude(base_test <gtest/gtest.h> <vector>)   # the first target makes it
#     railyard_prelude(job_test <gtest/gtest.h> <vector>)    # those of the same headers share it
#
# A file that forgets an include would not be found out with it. So the layers have one only under
# sanitizers, and nobody has one where a compiler cache does better.
function(railyard_prelude target)
    if(CMAKE_CXX_COMPILER_LAUNCHER)
        return()
    endif()
    string(MD5 key "${ARGN}")
    get_property(maker GLOBAL PROPERTY railyard_prelude_${key})
    if(maker)
        target_precompile_headers(${target} REUSE_FROM ${maker})
    else()
        target_precompile_headers(${target} PRIVATE ${ARGN})
        set_property(GLOBAL PROPERTY railyard_prelude_${key} ${target})
    endif()
endfunction()
