# Fortran: libmpichfort.so.12 under the name that MPICH's has, mpif.h, and the modules mpi and mpi_f08.
# The modules are for the compiler that they were made by, and for those that read its files. Its own
# commands compile them: flags of this build are for C and C++.
set(fortran ${PROJECT_SOURCE_DIR}/src/mpi/fortran)
set(fortran_generated ${generated}/fortran)
file(GLOB fortran_generator CONFIGURE_DEPENDS ${generator}/fortran*.cpp)
add_executable(mpi_fortran_generator ${fortran_generator} ${generator}/table.cpp)
set_target_properties(mpi_fortran_generator PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${generated}/bin)

foreach(name fortran_definitions f08_definitions mpi_interfaces mpi_f08_interfaces
        pmpi_f08_interfaces mpif_declarations f08_constants mpi_handle_types mpi_handle_operators
        f08_handle_types f08_handle_operators)
    list(APPEND fortran_made ${fortran_generated}/${name}.inc)
endforeach()
set(modules ${PROJECT_BINARY_DIR}/include)
add_custom_command(
    OUTPUT ${fortran_made} ${modules}/mpif.h
    COMMAND mpi_fortran_generator ${interface} ${later} ${PROJECT_SOURCE_DIR}/include/mpi.h
            ${fortran_generated}
    COMMAND ${CMAKE_COMMAND} -E copy ${fortran_generated}/mpif.h ${modules}
    DEPENDS mpi_fortran_generator ${interface} ${later} ${PROJECT_SOURCE_DIR}/include/mpi.h
    COMMENT "Making the Fortran interface of MPI from its table" VERBATIM)
add_custom_target(mpi_fortran_interface DEPENDS ${fortran_made})
target_include_directories(railyard_mpi_fortran PUBLIC ${modules} ${fortran_generated})
# Thousands of short functions, most of which are one call.
target_compile_options(railyard_mpi_fortran PRIVATE ${RAILYARD_COLD})
add_dependencies(railyard_mpi_fortran mpi_interface mpi_fortran_interface)
add_dependencies(header_check_mpi_fortran mpi_interface)

if(CMAKE_CROSSCOMPILING)
    return()
endif()
find_program(RAILYARD_FC NAMES $ENV{FC} gfortran DOC "The Fortran compiler, for MPI's modules")
if(NOT RAILYARD_FC)
    message(WARNING "no Fortran compiler: MPI programs in Fortran cannot be compiled or run. "
                    "Install gfortran, or set RAILYARD_FC.")
    return()
endif()

# A source, the modules it holds, and the object of the source that it stands on.
function(railyard_modules name)
    cmake_parse_arguments(MODULES "" "AFTER" "" ${ARGN})
    list(TRANSFORM MODULES_UNPARSED_ARGUMENTS PREPEND ${modules}/)
    list(TRANSFORM MODULES_UNPARSED_ARGUMENTS APPEND .mod)
    add_custom_command(
        OUTPUT ${fortran_generated}/${name}.o ${MODULES_UNPARSED_ARGUMENTS}
        COMMAND ${RAILYARD_FC} -c -O1 -fPIC -Wall -Werror -Wno-unused-dummy-argument
                -Wno-c-binding-type -ffree-line-length-none -I${fortran_generated} -J${modules}
                ${fortran}/${name}.F90 -o ${fortran_generated}/${name}.o
        DEPENDS ${fortran}/${name}.F90 ${fortran_made} ${MODULES_AFTER}
        COMMENT "Compiling the Fortran modules of ${name}" VERBATIM)
    set(installed_modules ${installed_modules} ${MODULES_UNPARSED_ARGUMENTS} PARENT_SCOPE)
endfunction()
railyard_modules(mpi mpi mpi_base mpi_constants mpi_sizeofs)
railyard_modules(mpi_f08_types mpi_c_interface_types mpi_f08_types mpi_f08_compile_constants
                 mpi_f08_link_constants)
railyard_modules(mpi_f08 mpi_f08_callbacks pmpi_f08 mpi_f08
                 AFTER ${fortran_generated}/mpi_f08_types.o)

add_library(mpichfort SHARED ${fortran_generated}/mpi.o ${fortran_generated}/mpi_f08_types.o
            ${fortran_generated}/mpi_f08.o)
set_target_properties(mpichfort PROPERTIES LINKER_LANGUAGE CXX)
set(fortran_exports ${fortran}/exports.map)
target_link_libraries(mpichfort PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,railyard_mpi_fortran> mpi)
target_link_options(mpichfort PRIVATE LINKER:--version-script=${fortran_exports} LINKER:--gc-sections
                    LINKER:--as-needed -static-libstdc++ -static-libgcc)
set_target_properties(mpichfort PROPERTIES SOVERSION 12 INSTALL_RPATH $ORIGIN LINK_DEPENDS ${fortran_exports})
install(TARGETS mpichfort LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${modules}/mpif.h ${installed_modules} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
