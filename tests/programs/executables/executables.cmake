# Programs as users have them: compiled by our wrappers and, where it is installed, by MPICH's.
set(executables_work ${PROJECT_BINARY_DIR}/tests/executables)
set(executables_sources ${CMAKE_CURRENT_SOURCE_DIR}/programs/executables/programs)
set(bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})

# A program of one source, by that compiler.
function(railyard_executable by name source compiler)
    set(program ${executables_work}/${by}/${name})
    file(MAKE_DIRECTORY ${executables_work}/${by})
    add_custom_command(
        OUTPUT ${program}
        COMMAND ${compiler} -O2 ${ARGN} ${executables_sources}/${source} -o ${program}
        DEPENDS ${executables_sources}/${source} mpi VERBATIM COMMENT "Compiling ${source} by ${by}")
    set(executables_programs ${executables_programs} ${program} PARENT_SCOPE)
endfunction()

set(ways "ours|${bin}/mpicc|${bin}/mpicxx|${bin}/mpifort")
if(MPICC_MPICH AND MPICXX_MPICH AND MPIFORT_MPICH)
    list(APPEND ways "mpich|${MPICC_MPICH}|${MPICXX_MPICH}|${MPIFORT_MPICH}")
endif()
foreach(way ${ways})
    string(REPLACE "|" ";" way "${way}")
    list(POP_FRONT way by c cxx fortran)
    foreach(name own endings input files payload sessions where)
        railyard_executable(${by} ${name} ${name}.c ${c} -g)
    endforeach()
    railyard_executable(${by} openmp openmp.c ${c} -fopenmp)
    railyard_executable(${by} cxx cxx.cpp ${cxx})
    if(TARGET mpichfort)
        railyard_executable(${by} fortran fortran.f90 ${fortran} -s)
    endif()
endforeach()
railyard_executable(ours fixed endings.c ${bin}/mpicc -no-pie)
railyard_executable(ours stripped own.c ${bin}/mpicc -s)
add_custom_target(executables_of_tests DEPENDS ${executables_programs})
if(TARGET mpichfort)
    add_dependencies(executables_of_tests mpichfort)
endif()

# How the tests start programs is the same as for the command's own.
target_sources(executables_test PRIVATE cli/program.cpp)
target_compile_definitions(executables_test PRIVATE RAILYARD_PROGRAM="$<TARGET_FILE:railyard>"
    RAILYARD_MPIEXEC="${bin}/mpiexec" RAILYARD_EXECUTABLES="${executables_work}"
    RAILYARD_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_dependencies(executables_test executables_of_tests railyard mpiexec kernels)
