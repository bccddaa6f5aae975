# A layer is one folder of src/ and one library. Its headers are reached only through a directory
# of links that holds that folder and nothing else, so a file that includes a header of a layer its
# own does not depend on does not compile: the floor plan is enforced by the build.
#
#     railyard_layer(shm FOLDER interconnects/shm DEPENDS hosts fabric base LINK PkgConfig::hwloc)
#
# WITH_SUBFOLDERS: the folders in it belong to it, and are no layers of their own.
set(RAILYARD_LAYER_FILE ${PROJECT_BINARY_DIR}/layers.txt)
file(WRITE ${RAILYARD_LAYER_FILE} "")

function(railyard_layer name)
    cmake_parse_arguments(LAYER "WITH_SUBFOLDERS" "FOLDER" "DEPENDS;LINK" ${ARGN})
    if(NOT LAYER_FOLDER)
        set(LAYER_FOLDER ${name})
    endif()
    set(folder ${PROJECT_SOURCE_DIR}/src/${LAYER_FOLDER})

    set(root ${PROJECT_BINARY_DIR}/include/${name})
    get_filename_component(parent ${root}/${LAYER_FOLDER} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${folder} ${root}/${LAYER_FOLDER} SYMBOLIC)

    set(glob GLOB)
    if(LAYER_WITH_SUBFOLDERS)
        set(glob GLOB_RECURSE)
    endif()
    file(${glob} sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.c)
    file(${glob} headers CONFIGURE_DEPENDS ${folder}/*.hpp)
    list(FILTER sources EXCLUDE REGEX "/main\\.(cpp|c)$")
    set(target railyard_${name})
    set(dependencies ${LAYER_DEPENDS})
    list(TRANSFORM dependencies PREPEND railyard_)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${root})
    # PRIVATE: whoever links this layer gets the code below it, but sees only the headers it names.
    target_link_libraries(${target} PRIVATE ${dependencies} PUBLIC ${LAYER_LINK})

    # Those who share a prelude must be compiled alike, and fmt, which base brings, has definitions.
    if(RAILYARD_SANITIZE AND (name STREQUAL "base" OR "base" IN_LIST LAYER_DEPENDS))
        railyard_prelude(${target} <fmt/format.h> <algorithm> <array> <cstddef> <cstdint> <cstring>
                         <functional> <map> <memory> <optional> <span> <string> <string_view>
                         <utility> <vector>)
    endif()

    # Every header compiles on its own; to know it once, without sanitizers, is enough. One that
    # its own source file includes before all others needs no further proof.
    if(RAILYARD_TESTS AND NOT RAILYARD_SANITIZE)
        set(checks)
        foreach(header ${headers})
            file(RELATIVE_PATH base ${folder} ${header})
            string(REGEX REPLACE "\\.hpp$" ".cpp" source ${header})
            if(EXISTS ${source})
                file(STRINGS ${source} first REGEX "^#include" LIMIT_COUNT 1)
                if(first STREQUAL "#include \"${LAYER_FOLDER}/${base}\"")
                    continue()
                endif()
            endif()
            set(check ${PROJECT_BINARY_DIR}/header_checks/${name}/${base}.cpp)
            file(CONFIGURE OUTPUT ${check} CONTENT "#include \"${LAYER_FOLDER}/${base}\"\n")
            list(APPEND checks ${check})
        endforeach()
        if(checks)
            add_library(header_check_${name} OBJECT ${checks})
            target_link_libraries(header_check_${name} PRIVATE ${target} ${dependencies})
            target_compile_options(header_check_${name} PRIVATE -O0 -g0)
        endif()
    endif()

    file(APPEND ${RAILYARD_LAYER_FILE} "${LAYER_FOLDER} ${name} ${LAYER_DEPENDS}\n")
endfunction()
