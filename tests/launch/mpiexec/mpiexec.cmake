# What the launcher's tests start: the built programs, and a rank that needs no MPI library.
add_executable(launcher_rank ${CMAKE_CURRENT_SOURCE_DIR}/launch/mpiexec/ranks/rank.cpp)
target_link_libraries(launcher_rank PRIVATE railyard_managers railyard_job railyard_fabric railyard_base)
set_target_properties(launcher_rank PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_executable(recorded_rank ${CMAKE_CURRENT_SOURCE_DIR}/launch/mpiexec/ranks/recorded.c)
target_include_directories(recorded_rank PRIVATE ${PROJECT_BINARY_DIR}/include)
target_link_libraries(recorded_rank PRIVATE mpi Threads::Threads)
set_target_properties(recorded_rank PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
# A program that makes mistakes, for those who look for them. With symbols, and unoptimised, for backtraces.
set(mistakes ${PROJECT_BINARY_DIR}/tests/mistakes)
file(GLOB mistakes_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/launch/mpiexec/ranks/mistakes*.c)
add_custom_command(OUTPUT ${mistakes}
                   COMMAND ${CMAKE_CXX_COMPILER} -x c -O0 -Wall -Werror -Wno-stringop-overflow -I${PROJECT_BINARY_DIR}/include
                           ${mistakes_sources} -x none -L${CMAKE_LIBRARY_OUTPUT_DIRECTORY} -lmpi -lpthread
                           -Wl,--allow-shlib-undefined -o ${mistakes}
                   DEPENDS mpi ${mistakes_sources} ${CMAKE_CURRENT_SOURCE_DIR}/launch/mpiexec/ranks/mistakes.h VERBATIM)
add_custom_target(mistakes_program DEPENDS ${mistakes})
target_compile_definitions(mpiexec_test PRIVATE
    RAILYARD_MISTAKES="${mistakes}"
    RAILYARD_RECORDED_PROGRAM="$<TARGET_FILE:recorded_rank>"
    RAILYARD_BIN="$<TARGET_FILE_DIR:mpiexec>"
    RAILYARD_REMOTE_SHELL="${CMAKE_CURRENT_SOURCE_DIR}/launch/managers/launchers/remote_shell"
    RAILYARD_RANK_PROGRAM="$<TARGET_FILE:launcher_rank>")
if(TARGET mpichfort)
    target_compile_definitions(mpiexec_test PRIVATE RAILYARD_FORTRAN)
    add_dependencies(mpiexec_test mpichfort)
endif()
add_dependencies(mpiexec_test mpiexec mpi launcher_rank recorded_rank kernel_cg mistakes_program)
