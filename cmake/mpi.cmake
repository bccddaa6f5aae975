# What stands around the layer mpi_abi: the generator of the C interface, the header that users
# include, and the shared library.
set(interface ${PROJECT_SOURCE_DIR}/src/mpi/abi/interface.txt)
set(later ${PROJECT_SOURCE_DIR}/src/mpi/abi/later.txt)
set(generated ${PROJECT_BINARY_DIR}/generated/mpi)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${interface})

set(generator ${PROJECT_SOURCE_DIR}/src/mpi/abi/generator)
add_executable(mpi_interface_generator ${generator}/main.cpp ${generator}/later.cpp
               ${generator}/table.cpp)
# Prints which functions of the standard there are: docs/mpi-functions.md.
add_executable(mpi_function_list ${generator}/list.cpp ${generator}/table.cpp)
set_target_properties(mpi_interface_generator mpi_function_list
                      PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${generated}/bin)

# A chapter of the table is a file of entry points.
file(STRINGS ${interface} chapters REGEX "^\\[.*\\]$")
string(REGEX REPLACE "\\[([^]]*)\\]" "${generated}/entries/\\1.inc" entries "${chapters}")

# The build directory has the header where an installation has it.
set(made ${entries} ${generated}/entries/later.inc ${generated}/mpi_prototypes.h
    ${generated}/mpi_functions.inc ${generated}/mpi_parameters.inc
    ${generated}/mpi_later_calls.inc)
set(header ${PROJECT_BINARY_DIR}/include/mpi.h ${PROJECT_BINARY_DIR}/include/mpi_prototypes.h)
add_custom_command(
    OUTPUT ${made} ${header}
    COMMAND mpi_interface_generator ${interface} ${later} ${generated}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/include/mpi.h
            ${generated}/mpi_prototypes.h ${PROJECT_BINARY_DIR}/include
    DEPENDS mpi_interface_generator ${interface} ${later} ${PROJECT_SOURCE_DIR}/include/mpi.h
    COMMENT "Making the C interface of MPI from its table" VERBATIM)
add_custom_target(mpi_interface DEPENDS ${made} ${header})

target_include_directories(railyard_mpi_calls PUBLIC ${generated})
add_dependencies(railyard_mpi_calls mpi_interface)
target_include_directories(railyard_mpi_abi PUBLIC ${PROJECT_SOURCE_DIR}/include ${generated})
target_compile_definitions(railyard_mpi_abi PRIVATE RAILYARD_VERSION="${PROJECT_VERSION}")
add_dependencies(railyard_mpi_abi mpi_interface)
foreach(layer mpi_calls mpi_recording mpi_traces mpi_abi)
    if(TARGET header_check_${layer})
        add_dependencies(header_check_${layer} mpi_interface)
    endif()
endforeach()

# libmpi.so.12, the name that all libraries of the MPICH ABI share, and Debian's name for it.
add_library(mpi SHARED ${PROJECT_SOURCE_DIR}/src/mpi/abi/library/fmt.cpp)
set(exports ${PROJECT_SOURCE_DIR}/src/mpi/abi/exports.map)
target_link_libraries(mpi PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,railyard_mpi_abi> fmt::fmt)
# A program that uses no C++ loads nothing but this and C's library.
target_link_options(mpi PRIVATE LINKER:--version-script=${exports} LINKER:--gc-sections
                    LINKER:--as-needed -static-libstdc++ -static-libgcc)
set_target_properties(mpi PROPERTIES SOVERSION 12 LINK_DEPENDS ${exports})
# First, since it makes the folder for the links below.
install(TARGETS mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(name libmpich.so.12 libmpich.so)
    add_custom_command(TARGET mpi POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink libmpi.so.12
                       ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${name} VERBATIM)
    install(CODE "file(CREATE_LINK libmpi.so.12
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/${name}\" SYMBOLIC)")
endforeach()
install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
