# What needs a compiler and a launcher: the header against another library's of the same ABI, and
# programs that were compiled for one and run on the other.
find_program(MPICC_MPICH mpicc.mpich)
find_program(MPIEXEC_MPICH mpiexec.mpich)
set(abi_work ${PROJECT_BINARY_DIR}/tests/abi)
file(MAKE_DIRECTORY ${abi_work})
set(abi_sources ${CMAKE_CURRENT_SOURCE_DIR}/mpi/abi)
set(our_lib ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(our_mpiexec $<TARGET_FILE:mpiexec>)

function(railyard_abi_test name)
    cmake_parse_arguments(TEST "" "PATH;EXPECT" "COMMAND" ${ARGN})
    add_test(NAME Abi.${name} COMMAND ${TEST_COMMAND})
    set_tests_properties(Abi.${name} PROPERTIES TIMEOUT 60 LABELS mpi_abi)
    set(environment)
    if(TEST_PATH)
        list(APPEND environment LD_LIBRARY_PATH=${TEST_PATH})
    endif()
    if(RAILYARD_SANITIZE)
        list(APPEND environment ${OPTIONS_FOR_PROGRAMS})
    endif()
    set_tests_properties(Abi.${name} PROPERTIES ENVIRONMENT "${environment}")
    if(TEST_EXPECT)
        set_tests_properties(Abi.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${TEST_EXPECT}")
    endif()
endfunction()

# Programs compiled with our header and linked with our library.
foreach(program tour interposed late sessions)
    add_custom_command(
        OUTPUT ${abi_work}/${program}
        COMMAND ${CMAKE_CXX_COMPILER} -x c -Wall -Werror -I${PROJECT_BINARY_DIR}/include
                ${abi_sources}/programs/${program}.c -x none -L${our_lib} -Wl,--as-needed -lmpi -ldl
                -Wl,--allow-shlib-undefined -o ${abi_work}/${program}
        DEPENDS mpi ${abi_sources}/programs/${program}.c VERBATIM)
    list(APPEND abi_programs ${abi_work}/${program})
endforeach()
railyard_abi_test(OursOnOurs PATH ${our_lib} EXPECT "tour: 4 ranks"
                  COMMAND ${our_mpiexec} -n 4 ${abi_work}/tour)
railyard_abi_test(AloneWithoutALauncher PATH ${our_lib} EXPECT "tour: 1 ranks"
                  COMMAND ${abi_work}/tour)
railyard_abi_test(AToolSeesTheProgramsCallsAlone PATH ${our_lib} EXPECT "interposed: 1"
                  COMMAND ${our_mpiexec} -n 2 ${abi_work}/interposed)
railyard_abi_test(SessionsWithoutInit PATH ${our_lib} EXPECT "sessions: 5 ranks, time 2"
                  COMMAND ${our_mpiexec} -n 5 ${abi_work}/sessions)
railyard_abi_test(ASessionAlone PATH ${our_lib} EXPECT "sessions: 1 ranks, time 2"
                  COMMAND ${abi_work}/sessions)
if(NOT RAILYARD_SANITIZE)  # whose library must come first
    railyard_abi_test(MayBeLoadedLate PATH ${our_lib} EXPECT "late: loaded"
                      COMMAND ${our_mpiexec} -n 2 ${abi_work}/late)
endif()
# Nothing is exported but MPI's own names.
railyard_abi_test(ExportsNothingElse COMMAND
                  sh -c "! nm -D --defined-only '$<TARGET_FILE:mpi>' | grep -v ' P\\?MPI[XI]\\?_\\| MPIR_Dup_fn'")

# The list of functions in docs is what the tables give.
set(tables ${PROJECT_SOURCE_DIR}/src/mpi/abi)
railyard_abi_test(ListOfFunctionsIsTrue COMMAND
                  sh -c "'$<TARGET_FILE:mpi_function_list>' '${tables}/interface.txt' '${tables}/later.txt' \
                  '${tables}/standard.txt' '${PROJECT_SOURCE_DIR}/include/mpi.h' | \
                  diff - '${PROJECT_SOURCE_DIR}/docs/mpi-functions.md'")

if(MPICC_MPICH AND MPIEXEC_MPICH)
    execute_process(COMMAND ${MPICC_MPICH} -show OUTPUT_VARIABLE shown)
    string(REGEX MATCH "-I([^ \n]*)" shown "${shown}")
    set(their_include ${CMAKE_MATCH_1})
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libmpich.so.12
                    OUTPUT_VARIABLE their_library OUTPUT_STRIP_TRAILING_WHITESPACE)
    # Their library under the name that the ABI's members share.
    file(MAKE_DIRECTORY ${abi_work}/theirs)
    file(CREATE_LINK ${their_library} ${abi_work}/theirs/libmpi.so.12 SYMBOLIC)
    add_custom_command(OUTPUT ${abi_work}/tour_of_mpich
                       COMMAND ${MPICC_MPICH} ${abi_sources}/programs/tour.c -o ${abi_work}/tour_of_mpich
                       DEPENDS ${abi_sources}/programs/tour.c VERBATIM)
    list(APPEND abi_programs ${abi_work}/tour_of_mpich)
    railyard_abi_test(TheirsOnOurs PATH ${our_lib} EXPECT "tour: 4 ranks"
                      COMMAND ${our_mpiexec} -n 4 ${abi_work}/tour_of_mpich)
    railyard_abi_test(OursOnTheirs PATH ${abi_work}/theirs EXPECT "tour: 2 ranks"
                      COMMAND ${MPIEXEC_MPICH} -n 2 ${abi_work}/tour)
    railyard_abi_test(HeadersAgree COMMAND
                      ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DTHEIRS=${their_include}
                      -DOURS=${PROJECT_BINARY_DIR}/include -DWORK=${abi_work}/values
                      -P ${abi_sources}/values.cmake)
endif()
# The old C++ bindings.
find_program(MPICXX_MPICH mpicxx.mpich)
if(MPICXX_MPICH AND MPIEXEC_MPICH)
    add_custom_command(OUTPUT ${abi_work}/old_cxx
                       COMMAND ${MPICXX_MPICH} -O2 ${abi_sources}/programs/old_cxx.cpp -o ${abi_work}/old_cxx
                       DEPENDS ${abi_sources}/programs/old_cxx.cpp VERBATIM)
    list(APPEND abi_programs ${abi_work}/old_cxx)
    railyard_abi_test(OldCxxOnOurs PATH ${our_lib} EXPECT "old_cxx: 4 ranks"
                      COMMAND env LD_BIND_NOW=1 ${our_mpiexec} -n 4 ${abi_work}/old_cxx)
    # MPICH's library for C++, on our library for C.
    file(MAKE_DIRECTORY ${abi_work}/c_alone)
    file(CREATE_LINK ${our_lib}/libmpi.so.12 ${abi_work}/c_alone/libmpich.so.12 SYMBOLIC)
    railyard_abi_test(TheirCxxOnOurC PATH ${abi_work}/c_alone EXPECT "old_cxx: 4 ranks"
                      COMMAND env LD_BIND_NOW=1 ${our_mpiexec} -n 4 ${abi_work}/old_cxx)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libmpichcxx.so.12
                    OUTPUT_VARIABLE their_cxx OUTPUT_STRIP_TRAILING_WHITESPACE)
    # The same names, and virtual functions in the same order.
    railyard_abi_test(CxxNamesAgree COMMAND sh -c "nm -D --defined-only '${their_cxx}' | cut -d' ' -f3 | sort > \
                      '${abi_work}/their_names' && nm -D --defined-only '$<TARGET_FILE:mpichcxx>' | \
                      cut -d' ' -f3 | sort | comm -13 - '${abi_work}/their_names' | (! grep .)")
    railyard_abi_test(CxxVirtualFunctionsAgree COMMAND sh -c "'${abi_sources}/vtables.sh' '${their_cxx}' > \
                      '${abi_work}/their_tables' && test $(wc -l < '${abi_work}/their_tables') -gt 500 && \
                      '${abi_sources}/vtables.sh' '$<TARGET_FILE:mpichcxx>' | diff - '${abi_work}/their_tables'")
endif()
add_custom_target(mpi_abi_programs ALL DEPENDS ${abi_programs} mpiexec)
