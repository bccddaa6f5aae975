# Every function of MPI called in every wrong way: the list of functions is made from the table of the
# interface, the calls go to the shared library.
set(misuse ${CMAKE_CURRENT_SOURCE_DIR}/soak/misuse)
set(generator ${PROJECT_SOURCE_DIR}/src/mpi/abi/generator)
set(interface ${PROJECT_SOURCE_DIR}/src/mpi/abi/interface.txt)
set(misuse_made ${PROJECT_BINARY_DIR}/generated/misuse)
file(MAKE_DIRECTORY ${misuse_made})
add_executable(misuse_generator ${misuse}/generator.cpp ${generator}/table.cpp)
target_include_directories(misuse_generator PRIVATE ${generator})
add_custom_command(OUTPUT ${misuse_made}/misuse_functions.inc
                   COMMAND misuse_generator ${interface} ${misuse_made}/misuse_functions.inc
                   DEPENDS misuse_generator ${interface} VERBATIM)
add_executable(misuse ${misuse}/main.cpp ${misuse}/arguments.cpp ${misuse}/objects.cpp ${misuse}/ways.cpp
               ${misuse_made}/misuse_functions.inc)
target_include_directories(misuse PRIVATE ${misuse_made} ${PROJECT_BINARY_DIR}/include)
target_compile_options(misuse PRIVATE ${FOR_TESTS} -Wno-old-style-cast)
target_link_libraries(misuse PRIVATE mpi)
target_link_options(misuse PRIVATE LINKER:--allow-shlib-undefined)
set_target_properties(misuse PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_dependencies(misuse mpi_interface)
add_test(NAME Misuse.of_every_function COMMAND misuse)
set_tests_properties(Misuse.of_every_function PROPERTIES TIMEOUT 600 LABELS soak)
if(RAILYARD_SANITIZE)
    set_tests_properties(Misuse.of_every_function PROPERTIES ENVIRONMENT ${OPTIONS_FOR_PROGRAMS})
endif()
