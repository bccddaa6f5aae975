# Makes the texts of profiles/*.toml and of profiles/hosts/*.toml part of a target: a source file that
# holds them is written anew whenever one of them changes.
#
#     railyard_embed_profiles(railyard_profiles)
function(railyard_embed_profiles target)
    file(GLOB profiles CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/*.toml)
    file(GLOB hosts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/hosts/*.toml)
    set(output ${PROJECT_BINARY_DIR}/profiles/shipped.cpp)
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed_profiles.cmake)
    add_custom_command(OUTPUT ${output} VERBATIM
                       COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DPROFILES=${profiles}"
                               "-DHOSTS=${hosts}" -P ${script}
                       DEPENDS ${profiles} ${hosts} ${script})
    target_sources(${target} PRIVATE ${output})
    install(FILES ${profiles} DESTINATION ${CMAKE_INSTALL_DATADIR}/railyard/profiles)
    install(FILES ${hosts} DESTINATION ${CMAKE_INSTALL_DATADIR}/railyard/profiles/hosts)
endfunction()
