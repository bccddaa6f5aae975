# Puts a file into a library, so that the program needs nothing beside it:
#
#     railyard_embed(railyard_reproduce railyard::reproduce papers_json data/papers.json)
#
# defines `std::string_view railyard::reproduce::papers_json()`, the bytes of the file. The layer
# declares it in a header of its own.
#
# The assembler takes in the bytes: as a list of numbers they would take the compiler a second a file.
function(railyard_embed target namespace name file)
    railyard_bytes_of(${target}_${name} ${PROJECT_SOURCE_DIR}/${file} bytes)
    railyard_embedded(${target} ${name} ${PROJECT_SOURCE_DIR}/${file} "// The bytes of ${file}.
#include <string_view>
${bytes}namespace ${namespace} {
std::string_view ${name}();
std::string_view ${name}() {
    return {${target}_${name}, ${target}_${name}_end};
}
}
")
endfunction()

# The same of all files that a pattern names:
#
#     railyard_embed_files(railyard_experiments railyard::experiments kernel_files data/kernels/*.gz)
#
# defines `std::span<const std::pair<std::string_view, std::string_view>> kernel_files()`: the name of
# each without its folder, and its bytes.
function(railyard_embed_files target namespace name pattern)
    file(GLOB paths CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${pattern})
    set(all_bytes "")
    set(entries "")
    set(number 0)
    foreach(path ${paths})
        get_filename_component(base ${path} NAME)
        set(symbol ${target}_${name}_${number})
        railyard_bytes_of(${symbol} ${path} bytes)
        string(APPEND all_bytes "${bytes}")
        string(APPEND entries "        {\"${base}\", {${symbol}, ${symbol}_end}},\n")
        math(EXPR number "${number} + 1")
    endforeach()
    railyard_embedded(${target} ${name} "${paths}" "// The files ${pattern}.
#include <array>
#include <span>
#include <string_view>
#include <utility>
${all_bytes}namespace ${namespace} {
using File = std::pair<std::string_view, std::string_view>;
std::span<const File> ${name}();
std::span<const File> ${name}() {
    static const std::array<File, ${number}> files{{
${entries}    }};
    return files;
}
}
")
endfunction()

# What defines `symbol` as the first of a file's bytes, and `symbol`_end as what is behind the last.
function(railyard_bytes_of symbol path result)
    set(${result} "extern \"C\" {
[[gnu::visibility(\"hidden\")]] extern const char ${symbol}[];
[[gnu::visibility(\"hidden\")]] extern const char ${symbol}_end[];
}
asm(\".pushsection .rodata\\n\"
    \".globl ${symbol}, ${symbol}_end\\n\"
    \".hidden ${symbol}, ${symbol}_end\\n\"
    \"${symbol}: .incbin \\\"${path}\\\"\\n\"
    \"${symbol}_end: .byte 0\\n\"
    \".popsection\");
" PARENT_SCOPE)
endfunction()

# A source of the target that is compiled anew when one of the files changes.
function(railyard_embedded target name paths content)
    set(source ${PROJECT_BINARY_DIR}/embedded/${target}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "${content}")
    set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${paths}" SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE ${source})
endfunction()
