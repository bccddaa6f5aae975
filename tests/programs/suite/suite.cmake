# The program on our library, and, where MPICH is installed, built with its compiler as users do it.
target_compile_definitions(suite_test PRIVATE RAILYARD_MPIEXEC="$<TARGET_FILE:mpiexec>"
                           RAILYARD_SUITE="$<TARGET_FILE:railyard-mpi-suite>")
add_dependencies(suite_test mpiexec railyard-mpi-suite)

find_program(MPICC_MPICH mpicc.mpich)
find_program(MPIEXEC_MPICH mpiexec.mpich)
if(MPICC_MPICH AND MPIEXEC_MPICH)
    set(suite_copy ${PROJECT_BINARY_DIR}/tests/mpi-suite)
    file(GLOB_RECURSE suite_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/programs/suite/*)
    add_custom_command(OUTPUT ${suite_copy}/railyard-mpi-suite
                       COMMAND ${CMAKE_COMMAND} -E rm -rf ${suite_copy}  # or files that have gone would be built
                       COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/src/programs/suite ${suite_copy}
                       COMMAND make -s -C ${suite_copy} CC=${MPICC_MPICH} CFLAGS=-Werror
                       DEPENDS ${suite_files} VERBATIM)
    add_custom_target(suite_of_mpich DEPENDS ${suite_copy}/railyard-mpi-suite)
    add_dependencies(suite_test suite_of_mpich)
    target_compile_definitions(suite_test PRIVATE RAILYARD_MPIEXEC_MPICH="${MPIEXEC_MPICH}"
                               RAILYARD_SUITE_OF_MPICH="${suite_copy}/railyard-mpi-suite")
else()
    target_compile_definitions(suite_test PRIVATE RAILYARD_MPIEXEC_MPICH="" RAILYARD_SUITE_OF_MPICH="")
endif()
