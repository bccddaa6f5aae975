# Compiles the page of page/ into a target. npm fetches the libraries that page/package-lock.json
# pins, into the build directory, and esbuild makes one file of all; the source tree stays as it is.
#
#     railyard_embed_page(railyard_report)
option(RAILYARD_PAGE "Build the page that `railyard report` writes (needs node and npm)" ON)

function(railyard_embed_page target)
    set(source ${PROJECT_SOURCE_DIR}/page)
    set(folder ${PROJECT_BINARY_DIR}/page)
    set(output ${folder}/page_template.cpp)
    if(NOT RAILYARD_PAGE)
        file(CONFIGURE OUTPUT ${folder}/no_page_template.cpp CONTENT
"#include \"report/page.hpp\"
std::span<const std::string_view> railyard::report::page_template() { return {}; }
")
        target_sources(${target} PRIVATE ${folder}/no_page_template.cpp)
        return()
    endif()

    find_program(RAILYARD_NODE NAMES node nodejs)
    find_program(RAILYARD_NPM NAMES npm)
    if(NOT RAILYARD_NODE OR NOT RAILYARD_NPM)
        message(FATAL_ERROR "The page of `railyard report` is built with node and npm, and these are "
                            "not here. Install the Debian packages nodejs and npm (`make report` "
                            "does), or leave the page out with -DRAILYARD_PAGE=OFF.")
    endif()

    set(pinned ${source}/package.json ${source}/package-lock.json ${source}/.npmrc)
    set(install ${PROJECT_SOURCE_DIR}/cmake/npm_ci.cmake)
    set(installed ${folder}/installed)
    add_custom_command(OUTPUT ${installed} VERBATIM
        COMMAND ${CMAKE_COMMAND} -E copy ${pinned} ${folder}
        COMMAND ${CMAKE_COMMAND} -DNPM=${RAILYARD_NPM} -P ${install}
        COMMAND ${CMAKE_COMMAND} -E touch ${installed}
        WORKING_DIRECTORY ${folder}
        DEPENDS ${pinned} ${install}
        COMMENT "Fetching the page's libraries")
    file(GLOB sources CONFIGURE_DEPENDS ${source}/src/*.ts ${source}/test/*.ts)
    add_custom_command(OUTPUT ${output} VERBATIM
        COMMAND ${RAILYARD_NODE} ${source}/build.mjs ${folder}
        DEPENDS ${installed} ${sources} ${source}/build.mjs ${source}/page.html ${source}/page.css
        COMMENT "Building the page")
    target_sources(${target} PRIVATE ${output})
    file(MAKE_DIRECTORY ${folder})
endfunction()
