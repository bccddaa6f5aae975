# What stands around the layer suite: the program that users also build themselves with any mpicc.
# Here it is an ordinary MPI program on our library, found from where the program lies.
# A rank that is a fiber or a thread may end by an exception, through these functions too.
target_compile_options(railyard_suite PRIVATE -fexceptions)

file(GLOB suite_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/programs/suite/*.c
     ${CMAKE_CURRENT_SOURCE_DIR}/programs/suite/program/*.c)
add_executable(railyard-mpi-suite ${suite_sources})
target_include_directories(railyard-mpi-suite PRIVATE ${PROJECT_SOURCE_DIR}/include
                           ${PROJECT_BINARY_DIR}/generated/mpi programs/suite)
target_compile_definitions(railyard-mpi-suite PRIVATE RAILYARD_VERSION="${PROJECT_VERSION}")
target_link_libraries(railyard-mpi-suite PRIVATE mpi)
target_link_options(railyard-mpi-suite PRIVATE LINKER:--allow-shlib-undefined)
add_dependencies(railyard-mpi-suite mpi_interface)
file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(railyard-mpi-suite PROPERTIES INSTALL_RPATH $ORIGIN/${to_libraries})

install(TARGETS railyard-mpi-suite RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY programs/suite/ DESTINATION ${CMAKE_INSTALL_DATADIR}/railyard/mpi-suite
        FILES_MATCHING PATTERN *.c PATTERN *.h PATTERN Makefile)
install(FILES ${PROJECT_SOURCE_DIR}/man/railyard-mpi-suite.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
