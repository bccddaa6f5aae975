# What tests of other launchers start: an MPI program, the kernels, and two nodes of Slurm.
set(launched ${PROJECT_BINARY_DIR}/tests/launched)
add_custom_command(
    OUTPUT ${launched}
    COMMAND ${CMAKE_CXX_COMPILER} -x c -Wall -Werror -I${PROJECT_BINARY_DIR}/include
            ${CMAKE_CURRENT_SOURCE_DIR}/launch/managers/launchers/rank.c -x none
            -L${CMAKE_LIBRARY_OUTPUT_DIRECTORY} -lmpi -Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}
            -Wl,--allow-shlib-undefined -o ${launched}
    DEPENDS mpi ${CMAKE_CURRENT_SOURCE_DIR}/launch/managers/launchers/rank.c VERBATIM)
add_custom_target(launched_program DEPENDS ${launched})
target_sources(launchers_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/launch/mpiexec/started.cpp
               ${CMAKE_CURRENT_SOURCE_DIR}/launch/mpiexec/namespaces.cpp)
target_compile_definitions(launchers_test PRIVATE
    RAILYARD_LAUNCHED_PROGRAM="${launched}"
    RAILYARD_RANK_PROGRAM="${launched}"
    RAILYARD_BIN="$<TARGET_FILE_DIR:mpiexec>"
    RAILYARD_REMOTE_SHELL="${CMAKE_CURRENT_SOURCE_DIR}/launch/managers/launchers/remote_shell"
    RAILYARD_SLURM_SCRIPT="${CMAKE_CURRENT_SOURCE_DIR}/launch/managers/launchers/slurm")
add_dependencies(launchers_test railyard mpiexec mpi kernel_cg kernel_mg launched_program)
if(TARGET railyard-ofi)
    add_dependencies(launchers_test railyard-ofi)
endif()
