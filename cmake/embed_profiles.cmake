# Run by the build: writes OUTPUT, C++ that holds the text of each of PROFILES.
set(rows)
foreach(profile IN LISTS PROFILES)
    get_filename_component(name ${profile} NAME_WLE)
    file(READ ${profile} text)
    string(APPEND rows "    {\"${name}\", R\"profile(${text})profile\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"profiles/profile.hpp\"

namespace railyard::profiles {

namespace {
constexpr Shipped texts[] = {
${rows}};
}  // namespace

std::span<const Shipped> shipped_texts() {
    return texts;
}

}  // namespace railyard::profiles
")
