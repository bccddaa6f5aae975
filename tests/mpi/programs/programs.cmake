# NetPIPE is started by the built launcher, on the built library.
target_compile_definitions(mpi_programs_test PRIVATE
    RAILYARD_BIN="$<TARGET_FILE_DIR:mpiexec>"
    RAILYARD_LIB="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
add_dependencies(mpi_programs_test mpiexec mpi)
