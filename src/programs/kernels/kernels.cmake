# What stands around the layer kernels: one program a kernel, an ordinary MPI program on our library,
# found from where the program lies. Users also build them themselves with any mpicxx.
foreach(kernel ep is cg mg ft lu sp bt)
    set(program kernel_${kernel})
    add_executable(${program} programs/kernels/main.cpp)
    target_compile_definitions(${program} PRIVATE KERNEL=${kernel})
    target_include_directories(${program} PRIVATE ${PROJECT_BINARY_DIR}/include/kernels)
    # The archive and not the layer, which would bring the library in once more.
    target_link_libraries(${program} PRIVATE $<TARGET_FILE:railyard_kernels> mpi)
    target_link_options(${program} PRIVATE LINKER:--allow-shlib-undefined)
    add_dependencies(${program} railyard_kernels)
    file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_LIBEXECDIR}/railyard /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${kernel}
                          INSTALL_RPATH $ORIGIN/${to_libraries})
    # Names of two letters are others' too (mg is an editor): not on everybody's path.
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/railyard)
    list(APPEND kernel_programs ${program})
endforeach()
add_custom_target(kernels DEPENDS ${kernel_programs})

install(DIRECTORY programs/kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/railyard
        FILES_MATCHING PATTERN *.cpp PATTERN *.hpp PATTERN Makefile)
