# librailyard: the layer `library` and all below it, as a shared and as a static library, with the headers, and what
# tells CMake and pkg-config of it.

# The layers below a layer, itself included.
function(railyard_layers_below target result)
    set(all ${target})
    set(at 0)
    while(TRUE)
        list(LENGTH all count)
        if(at GREATER_EQUAL count)
            break()
        endif()
        list(GET all ${at} next)
        get_target_property(links ${next} LINK_LIBRARIES)
        list(FILTER links INCLUDE REGEX "^railyard_")
        list(APPEND all ${links})
        list(REMOVE_DUPLICATES all)
        math(EXPR at "${at} + 1")
    endwhile()
    set(${result} ${all} PARENT_SCOPE)
endfunction()

# Until 1.0 the name carries the minor version, too: each may change the interface.
set(exports ${PROJECT_SOURCE_DIR}/src/library/exports.map)
set(RAILYARD_ABI ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/library/empty.cpp CONTENT "")
add_library(railyard_shared SHARED ${PROJECT_BINARY_DIR}/generated/library/empty.cpp)
target_link_libraries(railyard_shared PRIVATE railyard_library)
# The layers that have public functions: nobody in the library calls some of these.
set_property(TARGET railyard_shared PROPERTY LINK_LIBRARY_OVERRIDE
             WHOLE_ARCHIVE,railyard_library,railyard_results,railyard_fabric,railyard_base)
target_link_options(railyard_shared PRIVATE LINKER:--version-script=${exports} LINKER:--gc-sections LINKER:--as-needed)
set_target_properties(railyard_shared PROPERTIES OUTPUT_NAME railyard VERSION ${PROJECT_VERSION} SOVERSION ${RAILYARD_ABI}
                      LINK_DEPENDS ${exports})

# The archives of all layers as one.
railyard_layers_below(railyard_library layers)
set(archive ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/librailyard.a)
set(script "create ${archive}\n")
foreach(layer ${layers})
    string(APPEND script "addlib $<TARGET_FILE:${layer}>\n")
endforeach()
string(APPEND script "save\nend\n")
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/library/archive.mri CONTENT "${script}")
add_custom_command(OUTPUT ${archive} DEPENDS ${layers} ${PROJECT_BINARY_DIR}/generated/library/archive.mri
                   COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
                   COMMAND ${CMAKE_AR} -M < ${PROJECT_BINARY_DIR}/generated/library/archive.mri
                   COMMENT "Making the static library of all its layers")
add_custom_target(railyard_static ALL DEPENDS ${archive})

set(own ${CMAKE_INSTALL_LIBDIR}/cmake/Railyard)
set(made ${PROJECT_BINARY_DIR}/generated/library)
install(TARGETS railyard_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/railyard DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/library/ DESTINATION ${CMAKE_INSTALL_DATADIR}/railyard/examples)

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${made}/RailyardConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/RailyardConfig.cmake ${made}/RailyardConfigVersion.cmake DESTINATION ${own})

file(RELATIVE_PATH PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
set(pc_names railyard)
if(RAILYARD_TESTS)
    list(APPEND pc_names railyard-contract)
endif()
foreach(name ${pc_names})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${made}/${name}.pc @ONLY)
    install(FILES ${made}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
