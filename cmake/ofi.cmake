# The module that has all of libfabric: opened by those who choose `ofi`, and by nobody else.
if(NOT TARGET PkgConfig::libfabric)
    return()
endif()
railyard_layer(ofi_module FOLDER interconnects/real/ofi/module DEPENDS ofi real hosts fabric base
               LINK PkgConfig::libfabric)
set(exports ${PROJECT_SOURCE_DIR}/src/interconnects/real/ofi/module/exports.map)
add_library(railyard-ofi MODULE ${PROJECT_SOURCE_DIR}/src/interconnects/real/ofi/module/main.cpp)
target_link_libraries(railyard-ofi PRIVATE railyard_ofi_module railyard_ofi railyard_real railyard_hosts
                      railyard_fabric railyard_base)
target_link_options(railyard-ofi PRIVATE LINKER:--version-script=${exports} LINKER:--gc-sections
                    LINKER:--as-needed)
set_target_properties(railyard-ofi PROPERTIES LINK_DEPENDS ${exports})
install(TARGETS railyard-ofi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
