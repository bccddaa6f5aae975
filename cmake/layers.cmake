# A layer is one folder of src/ and one library. Its headers are reached only through a directory
# of links that holds that folder and nothing else, so a file that includes a header of a layer its
# own does not depend on does not compile: the floor plan is enforced by the build.
#
#     railyard_layer(shm FOLDER interconnects/real/shm DEPENDS hosts fabric base LINK PkgConfig::hwloc)
#
# INTERFACE railyard/base: its headers in include/railyard/base belong to it as well.
# AS kernels: files include its headers as "kernels/...", whatever its folder is called.
# APART a.cpp: these are not compiled together with the others, since some program, such as MPI's library,
# needs only the ones or the others, and less of other projects' libraries with them.
# HOT: every message or event passes through it, so it is optimised however long that takes.
# COLD: nothing in it is run often, so it is optimised only as far as that is quickly done.
# WITH_SUBFOLDERS: the folders in it belong to it, and are no layers of their own.
#
# A layer's sources are compiled a few at a time (unity builds), never with those of another layer,
# and the precompiled header holds headers of other projects only: so both hide no include that runs
# upwards. RAILYARD_UNITY=OFF compiles each file alone, without a precompiled header.
set(RAILYARD_LAYER_FILE ${PROJECT_BINARY_DIR}/layers.txt)
file(WRITE ${RAILYARD_LAYER_FILE} "")

# Lets those who include `root` see `folder` as `name`.
function(railyard_show root name folder)
    get_filename_component(parent ${root}/${name} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${folder} ${root}/${name} SYMBOLIC)
endfunction()

set(headers_of_all <fmt/format.h> <algorithm> <array> <charconv> <cstddef> <cstdint> <cstring> <deque>
    <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view>
    <unordered_map> <utility> <vector>)
set(RAILYARD_HOT $<$<CONFIG:Release>:-O3>)
set(RAILYARD_COLD $<$<CONFIG:Release>:-O1>)
railyard_precompiled(layers LINK fmt::fmt HEADERS ${headers_of_all})
railyard_precompiled(cold_layers OPTIONS ${RAILYARD_COLD} LINK fmt::fmt
                     HEADERS ${headers_of_all} <nlohmann/json.hpp>)

function(railyard_layer name)
    cmake_parse_arguments(LAYER "WITH_SUBFOLDERS;HOT;COLD" "FOLDER;AS;INTERFACE" "APART;DEPENDS;LINK" ${ARGN})
    if(NOT LAYER_FOLDER)
        set(LAYER_FOLDER ${name})
    endif()
    if(NOT LAYER_AS)
        set(LAYER_AS ${LAYER_FOLDER})
    endif()
    set(folder ${PROJECT_SOURCE_DIR}/src/${LAYER_FOLDER})
    set(root ${PROJECT_BINARY_DIR}/include/${name})
    railyard_show(${root} ${LAYER_AS} ${folder})
    file(APPEND ${RAILYARD_LAYER_FILE} "src/${LAYER_FOLDER} ${LAYER_AS} ${name} ${LAYER_DEPENDS}\n")

    set(glob GLOB)
    if(LAYER_WITH_SUBFOLDERS)
        set(glob GLOB_RECURSE)
    endif()
    file(${glob} sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.c)
    file(${glob} headers CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.hpp)
    list(FILTER sources EXCLUDE REGEX "/main\\.(cpp|c)$")
    list(TRANSFORM headers PREPEND ${LAYER_AS}/)
    if(LAYER_INTERFACE)
        set(interface ${PROJECT_SOURCE_DIR}/include/${LAYER_INTERFACE})
        railyard_show(${root} ${LAYER_INTERFACE} ${interface})
        file(APPEND ${RAILYARD_LAYER_FILE}
             "include/${LAYER_INTERFACE} ${LAYER_INTERFACE} ${name} ${LAYER_DEPENDS}\n")
        file(GLOB public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${interface}/*.hpp)
        list(APPEND headers ${public_headers})
    endif()

    set(target railyard_${name})
    set(dependencies ${LAYER_DEPENDS})
    list(TRANSFORM dependencies PREPEND railyard_)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${root})
    # PRIVATE: whoever links this layer gets the code below it, but sees only the headers it names.
    target_link_libraries(${target} PRIVATE ${dependencies} PUBLIC ${LAYER_LINK})
    set(together)
    if(LAYER_COLD)
        set(together TOGETHER 30)  # there, headers take more of the time than what is made of them
    endif()
    railyard_unity(${target} ${together} APART ${LAYER_APART})
    if(LAYER_HOT)
        target_compile_options(${target} PRIVATE ${RAILYARD_HOT})
    endif()
    if(LAYER_COLD)
        target_compile_options(${target} PRIVATE ${RAILYARD_COLD})
        railyard_precompile(${target} cold_layers)
    elseif(name STREQUAL "base" OR "base" IN_LIST LAYER_DEPENDS)  # for fmt's definitions
        railyard_precompile(${target} layers)
    endif()
    railyard_check_headers(${name} "${headers}" ${target} ${dependencies})
endfunction()

# `ninja headers` (part of `make lint`) compiles every header of a layer on its own.
add_custom_target(headers)
function(railyard_check_headers name headers)
    if(NOT headers)
        return()
    endif()
    set(checks)
    foreach(header ${headers})
        set(check ${PROJECT_BINARY_DIR}/header_checks/${name}/${header}.cpp)
        file(CONFIGURE OUTPUT ${check} CONTENT "#include \"${header}\"\n")
        list(APPEND checks ${check})
    endforeach()
    add_library(header_check_${name} OBJECT EXCLUDE_FROM_ALL ${checks})
    target_link_libraries(header_check_${name} PRIVATE ${ARGN})
    target_compile_options(header_check_${name} PRIVATE -O0 -g0 -fsyntax-only)
    add_dependencies(headers header_check_${name})
endfunction()
