# Fortran programs of all three interfaces, compiled by our wrapper and by MPICH's, and run on our
# library with every symbol bound at the start; and that our library has the names that MPICH's has.
find_program(MPIFORT_MPICH mpifort.mpich)
set(fortran_work ${PROJECT_BINARY_DIR}/tests/fortran)
set(fortran_tests ${CMAKE_CURRENT_SOURCE_DIR}/mpi/fortran)
set(bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})

function(railyard_fortran_test name)
    cmake_parse_arguments(TEST "" "PATH;EXPECT" "COMMAND" ${ARGN})
    add_test(NAME Fortran.${name} COMMAND ${TEST_COMMAND})
    set_tests_properties(Fortran.${name} PROPERTIES TIMEOUT 60 LABELS mpi_fortran)
    set(environment LD_BIND_NOW=1)
    if(TEST_PATH)
        list(APPEND environment LD_LIBRARY_PATH=${TEST_PATH})
    endif()
    if(RAILYARD_SANITIZE)
        list(APPEND environment ${OPTIONS_FOR_PROGRAMS})
    endif()
    set_tests_properties(Fortran.${name} PROPERTIES ENVIRONMENT "${environment}")
    if(TEST_EXPECT)
        set_tests_properties(Fortran.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${TEST_EXPECT}"
                             FAIL_REGULAR_EXPRESSION "WRONG")
    endif()
endfunction()

# A program of these sources by the compilers `c` and `fortran`, in a folder of its own since all have
# a module of the same name.
function(railyard_fortran_program by name c fortran)
    set(folder ${fortran_work}/${by}/${name})
    file(MAKE_DIRECTORY ${folder})
    set(objects)
    foreach(source ${ARGN})
        set(compiler ${fortran})
        if(source MATCHES "\\.c$")
            set(compiler ${c})
        endif()
        list(APPEND commands COMMAND ${compiler} -c -O2 -g ${fortran_tests}/programs/${source}
                                     -o ${folder}/${source}.o)
        list(APPEND objects ${folder}/${source}.o)
        list(APPEND sources ${fortran_tests}/programs/${source})
    endforeach()
    add_custom_command(
        OUTPUT ${folder}/program ${commands} COMMAND ${fortran} ${objects} -Wl,--allow-shlib-undefined
                                                -o ${folder}/program
        DEPENDS ${sources} mpi mpichfort WORKING_DIRECTORY ${folder} VERBATIM
        COMMENT "Compiling ${name}, in Fortran, by ${by}")
    set(fortran_programs ${fortran_programs} ${folder}/program PARENT_SCOPE)
endfunction()

# name, what it prints, sources
set(programs "mpif|mpif|mpif_tour.f" "mpi|mpi|mpi_tour.f90" "f08|f08|f08_tour.f90"
    "sections|f08_sections|ring.f90|f08_sections.f90"
    "messages|f08_messages|ring.f90|lines.f90|f08_messages.f90"
    "collectives|f08_collectives|ring.f90|lines.f90|f08_collectives.f90" "both|both|both.f90|both.c")
foreach(program ${programs})
    string(REPLACE "|" ";" program "${program}")
    list(POP_FRONT program name says)
    railyard_fortran_program(ours ${name} ${bin}/mpicc ${bin}/mpifort checks.f90 ${program})
    railyard_fortran_test(OursOnOurs.${name} EXPECT "${says}: 4 ranks"
                          COMMAND ${our_mpiexec} -n 4 ${fortran_work}/ours/${name}/program)
    if(MPIFORT_MPICH AND MPICC_MPICH)
        railyard_fortran_program(mpich ${name} ${MPICC_MPICH} ${MPIFORT_MPICH} checks.f90 ${program})
        railyard_fortran_test(TheirsOnOurs.${name} PATH ${our_lib} EXPECT "${says}: 4 ranks"
                              COMMAND ${our_mpiexec} -n 4 ${fortran_work}/mpich/${name}/program)
    endif()
endforeach()
railyard_fortran_program(ours later ${bin}/mpicc ${bin}/mpifort checks.f90 later.f90)
railyard_fortran_test(OursOnOurs.later EXPECT "later: 4 ranks"
                      COMMAND ${our_mpiexec} -n 4 ${fortran_work}/ours/later/program)
# No mistake in them.
foreach(program sections messages collectives)
    railyard_fortran_test(Checked.${program} EXPECT "f08_${program}: 4 ranks"
                          COMMAND ${our_mpiexec} -n 4 --check ${fortran_work}/ours/${program}/program)
    set_tests_properties(Fortran.Checked.${program} PROPERTIES FAIL_REGULAR_EXPRESSION "WRONG;check:")
endforeach()
# Without a launcher, which would say where the libraries are.
railyard_fortran_test(AloneWithoutALauncher EXPECT "mpif: 1 ranks"
                      COMMAND ${fortran_work}/ours/mpif/program)
# On another fabric.
railyard_fortran_test(OnIwarp EXPECT "f08_sections: 4 ranks"
    COMMAND ${our_mpiexec} -n 4 --on iwarp ${fortran_work}/ours/sections/program)

if(MPIFORT_MPICH AND MPICC_MPICH)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libmpichfort.so.12
                    OUTPUT_VARIABLE their_fortran OUTPUT_STRIP_TRAILING_WHITESPACE)
    # What our modules refer to is in MPICH's library as well.
    file(MAKE_DIRECTORY ${fortran_work}/theirs)
    file(CREATE_LINK ${their_fortran} ${fortran_work}/theirs/libmpichfort.so.12 SYMBOLIC)
    railyard_fortran_test(OursOnTheirs PATH ${fortran_work}/theirs EXPECT "mpi: 4 ranks"
        COMMAND ${MPIEXEC_MPICH} -n 4 ${fortran_work}/ours/mpi/program)
    # MPICH's library for Fortran, on our library for C.
    file(MAKE_DIRECTORY ${fortran_work}/c_alone)
    file(CREATE_LINK ${our_lib}/libmpi.so.12 ${fortran_work}/c_alone/libmpich.so.12 SYMBOLIC)
    railyard_fortran_test(TheirFortranOnOurC PATH ${fortran_work}/c_alone EXPECT "mpi: 4 ranks"
        COMMAND ${our_mpiexec} -n 4 ${fortran_work}/mpich/mpi/program)
    railyard_fortran_test(HasAllNames COMMAND
        ${CMAKE_COMMAND} -DOURS=$<TARGET_FILE:mpichfort> -DTHEIRS=${their_fortran}
        -DEXCEPTIONS=${fortran_tests}/exceptions.txt -P ${fortran_tests}/names.cmake)
    execute_process(COMMAND ${MPIFORT_MPICH} -show OUTPUT_VARIABLE shown)
    string(REGEX MATCH "-I([^ \n]*)" shown "${shown}")
    railyard_fortran_test(ConstantsAgree COMMAND
        ${CMAKE_COMMAND} -DOURS=${PROJECT_BINARY_DIR}/include/mpif.h -DTHEIRS=${CMAKE_MATCH_1}/mpif.h
        -P ${fortran_tests}/constants.cmake)
endif()
add_custom_target(mpi_fortran_programs ALL DEPENDS ${fortran_programs} mpiexec)
