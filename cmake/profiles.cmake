# Makes the texts of profiles/*.toml part of a target: a source file that holds them is written
# anew whenever one of them changes.
#
#     railyard_embed_profiles(railyard_profiles)
function(railyard_embed_profiles target)
    file(GLOB profiles CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/*.toml)
    set(output ${PROJECT_BINARY_DIR}/profiles/shipped.cpp)
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed_profiles.cmake)
    add_custom_command(OUTPUT ${output} VERBATIM
                       COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DPROFILES=${profiles}"
                               -P ${script}
                       DEPENDS ${profiles} ${script})
    target_sources(${target} PRIVATE ${output})
    install(FILES ${profiles} DESTINATION ${CMAKE_INSTALL_DATADIR}/railyard/profiles)
endfunction()
