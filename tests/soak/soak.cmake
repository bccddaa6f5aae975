# Attacks that `make test` samples and scripts/soak runs for long.
set(soak ${CMAKE_CURRENT_SOURCE_DIR}/soak)

# The random MPI program: against mpi.h alone, and optimised, since it is to take little time itself.
file(GLOB traffic_sources CONFIGURE_DEPENDS ${soak}/traffic/*.cpp)
list(FILTER traffic_sources EXCLUDE REGEX "/main\\.cpp$")
add_library(soak_traffic_parts OBJECT ${traffic_sources})
target_include_directories(soak_traffic_parts PUBLIC ${soak} PRIVATE ${PROJECT_SOURCE_DIR}/include
                           ${PROJECT_BINARY_DIR}/generated/mpi)
add_dependencies(soak_traffic_parts mpi_interface)
railyard_unity(soak_traffic_parts)

# With our shared library, as any user's.
add_executable(soak_traffic ${soak}/traffic/main.cpp)
target_include_directories(soak_traffic PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated/mpi)
target_link_libraries(soak_traffic PRIVATE soak_traffic_parts mpi Threads::Threads)
target_link_options(soak_traffic PRIVATE LINKER:--allow-shlib-undefined)

# What draws runs of it, and has it inside for virtual time.
file(GLOB driver_sources CONFIGURE_DEPENDS ${soak}/driver/*.cpp)
add_executable(railyard-soak ${driver_sources})
target_link_libraries(railyard-soak PRIVATE soak_traffic_parts railyard_mpi_abi railyard_mpi_engine
                      railyard_mpi_collectives railyard_job railyard_results railyard_fabric railyard_base
                      fmt::fmt CLI11::CLI11)
target_compile_options(railyard-soak PRIVATE ${FOR_TESTS})
target_compile_definitions(railyard-soak PRIVATE
    SOAK_PROGRAM="${PROJECT_BINARY_DIR}/tests/railyard-soak"
    SOAK_TRAFFIC="${PROJECT_BINARY_DIR}/tests/soak_traffic"
    SOAK_MPIEXEC="$<TARGET_FILE:mpiexec>")
add_dependencies(railyard-soak soak_traffic mpiexec)
railyard_unity(railyard-soak)
set_target_properties(railyard-soak soak_traffic PROPERTIES
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

if(RAILYARD_SANITIZE)
    return()
endif()

function(railyard_soak_test name)
    cmake_parse_arguments(TEST "" "EXPECT" "COMMAND" ${ARGN})
    add_test(NAME Soak.${name} COMMAND ${TEST_COMMAND})
    set_tests_properties(Soak.${name} PROPERTIES TIMEOUT 300 LABELS soak)
    if(TEST_EXPECT)
        set_tests_properties(Soak.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${TEST_EXPECT}")
    endif()
endfunction()

set(soak_ledger --ledger ${PROJECT_BINARY_DIR}/tests/soak-sample.txt)
railyard_soak_test(traffic_for_real COMMAND railyard-soak traffic --on shm,iwarp,shm+iwarp --seed 11 --runs 6
                   --each 2000 --most-ranks 4 ${soak_ledger})
if(TARGET railyard-ofi)
    # Large messages: registrations come and go, and send queues are full.
    railyard_soak_test(traffic_on_ofi COMMAND railyard-soak traffic --on ofi --seed 14 --runs 4 --each 1500
                       --most-ranks 4 ${soak_ledger})
    railyard_soak_test(large_traffic_on_ofi COMMAND railyard-soak traffic --on ofi --seed 107714083088490
                       --runs 3 --each 300 --large --most-ranks 6 ${soak_ledger})
    # Large rings of connections that come and go: memory of which little is used.
    railyard_soak_test(rings_on_ofi COMMAND railyard-soak traffic --on ofi --seed 203533771910914
                       --runs 1 --each 500 --large ${soak_ledger})
    add_dependencies(soak_traffic railyard-ofi)
endif()
railyard_soak_test(traffic_on_models COMMAND railyard-soak traffic --on infiniband-pcix,clan-via,quadrics
                   --seed 12 --runs 6 --each 1000 --most-ranks 6 --faults ${soak}/faults.toml
                   ${soak_ledger})
# That a wrong byte is found, told and made smaller.
railyard_soak_test(finds_a_wrong_byte EXPECT "smaller:.*The smallest that fails, too:"
                   COMMAND railyard-soak traffic --on quadrics --seed 13 --runs 1 --each 1000 --wrong-at 5
                   ${soak_ledger})
# Another library says that the program is a legal one. MPICH 4.0 loses persistent collectives in
# MPI_Waitany, MPI_Waitsome and MPI_Testall.
if(MPICC_MPICH AND MPIEXEC_MPICH)
    add_test(NAME Soak.traffic_is_legal COMMAND ${MPIEXEC_MPICH} -n 2 ${PROJECT_BINARY_DIR}/tests/soak_traffic
             --seed 14 --messages 2000 --no-persistent-collectives)
    set_tests_properties(Soak.traffic_is_legal PROPERTIES TIMEOUT 300 LABELS soak
                         ENVIRONMENT LD_LIBRARY_PATH=${abi_work}/theirs
                         PASS_REGULAR_EXPRESSION "soak: [0-9]+ messages")
endif()
