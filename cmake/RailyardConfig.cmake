# find_package(Railyard 0.1 [COMPONENTS contract])
#
#     Railyard::railyard   the shared library
#     Railyard::static     the static one
#     Railyard::contract   component contract: the suite that every interconnect passes (needs GoogleTest)
#
# Everything is found from where this file lies, so that a tree may be moved as a whole.
get_filename_component(_railyard_lib "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
foreach(_railyard_up .. ../..)  # lib, or lib/x86_64-linux-gnu
    get_filename_component(_railyard_include "${_railyard_lib}/${_railyard_up}/include" REALPATH)
    if(EXISTS "${_railyard_include}/railyard/nic.hpp")
        break()
    endif()
endforeach()

if(NOT TARGET Railyard::railyard)
    add_library(Railyard::railyard SHARED IMPORTED)
    set_target_properties(Railyard::railyard PROPERTIES IMPORTED_LOCATION "${_railyard_lib}/librailyard.so")
    # What it needs beside itself is what railyard.pc has as private.
    add_library(Railyard::static STATIC IMPORTED)
    set_target_properties(Railyard::static PROPERTIES IMPORTED_LOCATION "${_railyard_lib}/librailyard.a"
        INTERFACE_LINK_LIBRARIES "fmt;hwloc;z;tomlplusplus;boost_context;dl;pthread")
    set_target_properties(Railyard::railyard Railyard::static PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${_railyard_include}" INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()

set(Railyard_contract_FOUND FALSE)
if("contract" IN_LIST Railyard_FIND_COMPONENTS AND EXISTS "${_railyard_lib}/librailyard-contract.a")
    include(CMakeFindDependencyMacro)
    find_dependency(GTest)
    if(NOT TARGET Railyard::contract)
        # Whole: nobody calls tests by name.
        add_library(Railyard::contract INTERFACE IMPORTED)
        target_link_libraries(Railyard::contract INTERFACE -Wl,--whole-archive
            "${_railyard_lib}/librailyard-contract.a" -Wl,--no-whole-archive Railyard::railyard GTest::gmock)
    endif()
    set(Railyard_contract_FOUND TRUE)
endif()
foreach(_railyard_component ${Railyard_FIND_COMPONENTS})
    if(Railyard_FIND_REQUIRED_${_railyard_component} AND NOT Railyard_${_railyard_component}_FOUND)
        set(Railyard_FOUND FALSE)
        set(Railyard_NOT_FOUND_MESSAGE
            "Railyard in ${_railyard_lib} has no component '${_railyard_component}' (there is: contract, where it was built with its tests)")
    endif()
endforeach()
