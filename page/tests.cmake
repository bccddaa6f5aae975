# The page's own tests: its types, and its parts that need no browser. What a browser makes of it is
# tested in tests/report/page_browser_test.cpp.
if(RAILYARD_PAGE)
    set(page_folder ${PROJECT_BINARY_DIR}/page)
    # The compiler looks for libraries upwards from the sources, and these are in the build directory.
    file(MAKE_DIRECTORY ${page_folder}/check)
    foreach(entry src test tsconfig.json)
        file(CREATE_LINK ${PROJECT_SOURCE_DIR}/page/${entry} ${page_folder}/check/${entry} SYMBOLIC)
    endforeach()
    add_test(NAME Page.TypesAreRight
             COMMAND ${RAILYARD_NODE} ${page_folder}/node_modules/typescript/bin/tsc
                     -p ${page_folder}/check --preserveSymlinks)
    file(GLOB tests CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/page
         ${PROJECT_SOURCE_DIR}/page/test/*.test.ts)
    list(TRANSFORM tests REPLACE "\\.ts$" ".mjs")
    list(TRANSFORM tests PREPEND ${page_folder}/)
    add_test(NAME Page.PartsWork COMMAND ${RAILYARD_NODE} --test ${tests})
    set_tests_properties(Page.TypesAreRight Page.PartsWork PROPERTIES TIMEOUT 300 LABELS report)
endif()
