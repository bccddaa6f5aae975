# What attacks on jobs start: the built programs, an MPI program that talks, and one that forbids a
# system call.
add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/tests/soak_busy
    COMMAND ${CMAKE_CXX_COMPILER} -x c -Wall -Werror -I${PROJECT_BINARY_DIR}/include
            ${CMAKE_CURRENT_SOURCE_DIR}/soak/kills/busy.c -x none -L${CMAKE_LIBRARY_OUTPUT_DIRECTORY} -lmpi
            -Wl,--allow-shlib-undefined -o ${PROJECT_BINARY_DIR}/tests/soak_busy
    DEPENDS mpi ${CMAKE_CURRENT_SOURCE_DIR}/soak/kills/busy.c VERBATIM)
add_custom_target(soak_busy_program ALL DEPENDS ${PROJECT_BINARY_DIR}/tests/soak_busy)
add_executable(soak_filtered ${CMAKE_CURRENT_SOURCE_DIR}/soak/limits/filtered.c)
set_target_properties(soak_filtered PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
foreach(attack kills limits starts)
    target_compile_definitions(soak_${attack}_test PRIVATE
        RAILYARD_BIN="$<TARGET_FILE_DIR:mpiexec>"
        RAILYARD_LIB="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}"
        RAILYARD_FILTERED_PROGRAM="$<TARGET_FILE:soak_filtered>"
        RAILYARD_BUSY_PROGRAM="${PROJECT_BINARY_DIR}/tests/soak_busy")
    add_dependencies(soak_${attack}_test mpiexec mpi railyard soak_filtered soak_busy_program)
endforeach()
foreach(attack limits starts)
    target_sources(soak_${attack}_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/soak/kills/watched_job.cpp)
endforeach()
