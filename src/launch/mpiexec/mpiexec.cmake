# What stands around the launcher: its second name, the compilers' wrappers, and what tells other
# builds of us. All of it lies in the build directory as it does where it is installed.
set(wrappers ${CMAKE_CURRENT_SOURCE_DIR}/launch/mpiexec/wrappers)

add_custom_command(TARGET mpiexec POST_BUILD VERBATIM
                   COMMAND ${CMAKE_COMMAND} -E create_symlink mpiexec $<TARGET_FILE_DIR:mpiexec>/mpirun)
install(TARGETS mpiexec RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpirun DESTINATION ${CMAKE_INSTALL_BINDIR})

# Pages that refer to another's, so that nobody's mpirun is read about but ours.
function(railyard_same_page page)
    foreach(alias ${ARGN})
        set(file ${PROJECT_BINARY_DIR}/generated/man/${alias}.1)
        file(WRITE ${file} ".so man1/${page}.1\n")
        install(FILES ${file} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    endforeach()
endfunction()
railyard_same_page(mpiexec mpirun)
railyard_same_page(mpicc mpicxx mpic++)

function(railyard_wrapper WRAPPER WRAPPER_LANGUAGE WRAPPER_COMPILER WRAPPER_VARIABLE
         WRAPPER_MPICH_VARIABLE WRAPPER_CHOICE)
    set(WRAPPER_LIBRARIES "-lmpi")
    set(WRAPPER_FLAGS "")
    if(WRAPPER_LANGUAGE STREQUAL Fortran)
        set(WRAPPER_LIBRARIES "-lmpichfort -lmpi")
        # mpif.h declares no procedures, so a compiler would compare the buffers of one call with
        # those of the next.
        set(WRAPPER_FLAGS " -fallow-argument-mismatch")
    endif()
    set(file ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${WRAPPER})
    configure_file(${wrappers}/wrapper.in ${file} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                    WORLD_READ WORLD_EXECUTE)
    install(PROGRAMS ${file} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
railyard_wrapper(mpicc C cc MPICC_CC MPICH_CC -cc)
railyard_wrapper(mpicxx C++ c++ MPICXX_CXX MPICH_CXX -cxx)
railyard_wrapper(mpic++ C++ c++ MPICXX_CXX MPICH_CXX -cxx)
if(TARGET mpichfort)
    railyard_wrapper(mpifort Fortran ${RAILYARD_FC} MPIFORT_FC MPICH_FC -fc)
    railyard_wrapper(mpif90 Fortran ${RAILYARD_FC} MPIF90_F90 MPICH_F90 -f90)
    railyard_wrapper(mpif77 Fortran ${RAILYARD_FC} MPIF77_F77 MPICH_F77 -f77)
    install(FILES ${PROJECT_SOURCE_DIR}/man/mpifort.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    railyard_same_page(mpifort mpif90 mpif77)
endif()

# Under the names that other builds ask for. The version is that of the interface: programs that ask
# for mpich want to know which MPICH it is like.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up "${up}")
set(pc_names mpi mpich railyard-mpi)
if(TARGET mpichfort)
    list(APPEND pc_names mpi-fort)
endif()
foreach(PC_NAME ${pc_names})
    set(PC_VERSION 4.0.2)
    set(PC_LIBRARIES -lmpi)
    if(PC_NAME STREQUAL mpi-fort)
        set(PC_LIBRARIES "-lmpichfort -lmpi")
    endif()
    if(PC_NAME STREQUAL railyard-mpi)
        set(PC_VERSION ${PROJECT_VERSION})
    endif()
    set(PC_PREFIX ../..)
    set(PC_LIBDIR lib)
    configure_file(${wrappers}/mpi.pc.in ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/pkgconfig/${PC_NAME}.pc @ONLY)
    set(PC_PREFIX ${up})
    set(PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
    set(installed ${PROJECT_BINARY_DIR}/generated/pkgconfig/${PC_NAME}.pc)
    configure_file(${wrappers}/mpi.pc.in ${installed} @ONLY)
    install(FILES ${installed} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/man/mpiexec.1 ${PROJECT_SOURCE_DIR}/man/mpicc.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
