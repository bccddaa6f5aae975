# libmpichcxx.so.12, for programs that were linked to MPICH's: those of its mpicxx all are, whether they
# use MPI's old C++ bindings or not.
target_include_directories(railyard_mpi_cxx PUBLIC ${PROJECT_BINARY_DIR}/include)
target_compile_options(railyard_mpi_cxx PRIVATE ${RAILYARD_COLD})
add_dependencies(railyard_mpi_cxx mpi_interface)
add_dependencies(header_check_mpi_cxx mpi_interface)

# A library of one archive has no source of its own that would say which language it is.
file(CONFIGURE OUTPUT ${generated}/mpichcxx.cpp CONTENT "// All of it is in the archive.\n")
add_library(mpichcxx SHARED ${generated}/mpichcxx.cpp)
set(cxx_exports ${PROJECT_SOURCE_DIR}/src/mpi/cxx/exports.map)
target_link_libraries(mpichcxx PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,railyard_mpi_cxx> mpi)
target_link_options(mpichcxx PRIVATE LINKER:--version-script=${cxx_exports} LINKER:--as-needed)
set_target_properties(mpichcxx PROPERTIES SOVERSION 12 INSTALL_RPATH $ORIGIN LINK_DEPENDS ${cxx_exports})
install(TARGETS mpichcxx LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
