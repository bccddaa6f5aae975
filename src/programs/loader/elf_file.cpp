#include "programs/loader/elf_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "railyard/base/error.hpp"

namespace railyard::loader {

namespace {

#if defined(__x86_64__)
constexpr std::uint16_t this_machine = EM_X86_64;
constexpr std::uint32_t relative_type = R_X86_64_RELATIVE;
#elif defined(__aarch64__)
constexpr std::uint16_t this_machine = EM_AARCH64;
constexpr std::uint32_t relative_type = R_AARCH64_RELATIVE;
#else
#error "Which relocations this processor has is not known: see relocations.cpp"
#endif

/// A file that claims more is broken, or made to be.
constexpr std::uint64_t most_memory = std::uint64_t{1} << 40;

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_.get() < 0) throw system_error(path.string());
    struct stat status {};
    if (::fstat(descriptor_.get(), &status) != 0) throw system_error(path.string());
    if (!S_ISREG(status.st_mode)) throw Error(path.string() + " is no file");
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ == 0) return;
    void* const data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_.get(), 0);
    if (data == MAP_FAILED) throw system_error(path.string());
    data_ = static_cast<const std::byte*>(data);
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

/// The entries of the dynamic section, by their tags; of those that may be many, the first.
class ElfFile::Dynamic {
  public:
    void add(const Elf64_Dyn& entry) { values_.emplace(entry.d_tag, entry.d_un.d_val); }
    bool has(std::int64_t tag) const { return values_.contains(tag); }
    std::uint64_t get(std::int64_t tag) const {
        const auto found = values_.find(tag);
        return found == values_.end() ? 0 : found->second;
    }

  private:
    std::map<std::int64_t, std::uint64_t> values_;
};

ElfFile::ElfFile(const std::filesystem::path& path) : path_(path), file_(path) {
    read_header();
    read_program_headers();
}

void ElfFile::refuse(std::string_view why) const {
    throw Error(fmt::format("{}: {}", path_.string(), why));
}

std::span<const std::byte> ElfFile::piece(std::uint64_t offset, std::uint64_t size) const {
    const auto bytes = file_.bytes();
    if (offset > bytes.size() || size > bytes.size() - offset)
        refuse("the file ends before what it should have");
    return bytes.subspan(offset, size);
}

template <class T>
T ElfFile::read(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, piece(offset, sizeof value).data(), sizeof value);
    return value;
}

template <class T>
T ElfFile::read_at(FileAddress address) const {
    const auto bytes = bytes_at(address, sizeof(T));
    if (bytes.size() < sizeof(T)) refuse("a table lies outside of what is loaded");
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

std::span<const std::byte> ElfFile::bytes_at(FileAddress address, std::uint64_t size) const {
    for (const Segment& segment : segments_)
        if (segment.address <= address && address - segment.address < segment.file_size) {
            const std::uint64_t offset = address - segment.address;
            return piece(segment.file_offset + offset, std::min(size, segment.file_size - offset));
        }
    return {};
}

void ElfFile::read_header() {
    const auto bytes = file_.bytes();
    const auto begins = [&](std::string_view with) {
        return bytes.size() >= with.size() &&
               std::memcmp(bytes.data(), with.data(), with.size()) == 0;
    };
    if (begins("#!"))
        refuse("a script; name the program that it starts, since only executables can run here");
    if (!begins(ELFMAG) || bytes.size() < sizeof header_) refuse("no executable");
    header_ = read<Elf64_Ehdr>(0);
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
        header_.e_machine != this_machine)
        refuse("an executable of another processor");
    if (header_.e_type != ET_DYN && header_.e_type != ET_EXEC) refuse("no executable");
    if (header_.e_phentsize != sizeof(Elf64_Phdr)) refuse("its program headers are broken");
}

void ElfFile::read_program_headers() {
    std::optional<Elf64_Phdr> dynamic;
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
        const auto header = read<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr));
        switch (header.p_type) {
            case PT_LOAD: {
                if (header.p_filesz > header.p_memsz || header.p_memsz > most_memory ||
                    header.p_vaddr > most_memory)
                    refuse("its segments are broken");
                piece(header.p_offset, header.p_filesz);
                segments_.push_back({.address = header.p_vaddr,
                                     .size = header.p_memsz,
                                     .file_offset = header.p_offset,
                                     .file_size = header.p_filesz,
                                     .writable = (header.p_flags & PF_W) != 0,
                                     .executable = (header.p_flags & PF_X) != 0});
                break;
            }
            case PT_DYNAMIC:
                dynamic = header;
                break;
            case PT_INTERP: {
                const auto text = piece(header.p_offset, header.p_filesz);
                interpreter_.assign(reinterpret_cast<const char*>(text.data()), text.size());
                interpreter_.resize(std::strlen(interpreter_.c_str()));
                break;
            }
            case PT_TLS:
                if (header.p_filesz > header.p_memsz || header.p_memsz > most_memory)
                    refuse("its thread-local variables are broken");
                thread_locals_ = {header.p_vaddr, header.p_filesz, header.p_memsz,
                                  std::max<std::uint64_t>(header.p_align, 1)};
                break;
            case PT_GNU_EH_FRAME:
                unwind_table_ = header.p_vaddr;
                break;
            default:
                break;
        }
    }
    if (segments_.empty()) refuse("has nothing to load");
    std::ranges::sort(segments_, {}, &Segment::address);
    for (std::size_t i = 1; i < segments_.size(); ++i)
        if (segments_[i].address < segments_[i - 1].end()) refuse("its segments overlap");
    if (dynamic) read_dynamic(*dynamic);
}

void ElfFile::read_dynamic(const Elf64_Phdr& header) {
    Dynamic dynamic;
    std::vector<std::uint64_t> needed;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= header.p_filesz; at += sizeof(Elf64_Dyn)) {
        const auto entry = read<Elf64_Dyn>(header.p_offset + at);
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
        dynamic.add(entry);
    }
    for (const std::uint64_t offset : needed)
        needed_.emplace_back(text_at(dynamic.get(DT_STRTAB), dynamic.get(DT_STRSZ), offset));
    const auto array = [&](std::int64_t address, std::int64_t size) {
        return FunctionArray{dynamic.get(address), dynamic.get(size) / sizeof(std::uint64_t)};
    };
    init_ = dynamic.get(DT_INIT);
    fini_ = dynamic.get(DT_FINI);
    preinit_array_ = array(DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ);
    init_array_ = array(DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
    fini_array_ = array(DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
    changes_text_ = dynamic.has(DT_TEXTREL) || (dynamic.get(DT_FLAGS) & DF_TEXTREL) != 0;
    read_symbols(dynamic);
    read_relocations(dynamic);
}

std::string_view ElfFile::text_at(FileAddress table, std::uint64_t size,
                                  std::uint64_t offset) const {
    const auto bytes = bytes_at(table, size);
    if (offset >= bytes.size()) refuse("a name lies outside of its names");
    const auto* const text = reinterpret_cast<const char*>(bytes.data()) + offset;
    const std::size_t length = strnlen(text, bytes.size() - offset);
    if (length == bytes.size() - offset) refuse("a name has no end");
    return {text, length};
}

/// The file does not say it: only which symbols can be found.
std::uint32_t ElfFile::count_symbols(const Dynamic& dynamic) const {
    if (dynamic.has(DT_HASH))
        return read_at<std::uint32_t>(dynamic.get(DT_HASH) + sizeof(std::uint32_t));
    if (!dynamic.has(DT_GNU_HASH)) return 0;
    const FileAddress table = dynamic.get(DT_GNU_HASH);
    const auto buckets = read_at<std::uint32_t>(table);
    const auto first = read_at<std::uint32_t>(table + 4);
    const auto filter_words = read_at<std::uint32_t>(table + 8);
    const FileAddress bucket = table + 16 + std::uint64_t{filter_words} * 8;
    const FileAddress chain = bucket + std::uint64_t{buckets} * 4;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < buckets; ++i)
        last = std::max(last, read_at<std::uint32_t>(bucket + std::uint64_t{i} * 4));
    if (last < first) return first;
    // The last one of a chain has its lowest bit set.
    while ((read_at<std::uint32_t>(chain + std::uint64_t{last - first} * 4) & 1) == 0)
        ++last;
    return last + 1;
}

void ElfFile::read_symbols(const Dynamic& dynamic) {
    if (!dynamic.has(DT_SYMTAB)) return;
    const FileAddress strings = dynamic.get(DT_STRTAB);
    const std::uint64_t strings_size = dynamic.get(DT_STRSZ);
    const auto name_at = [&](std::uint64_t offset) {
        return text_at(strings, strings_size, offset);
    };

    std::map<unsigned, std::string_view> versions;
    FileAddress at = dynamic.get(DT_VERDEF);
    for (std::uint64_t i = 0; i < dynamic.get(DT_VERDEFNUM); ++i) {
        const auto definition = read_at<Elf64_Verdef>(at);
        const auto name = read_at<Elf64_Verdaux>(at + definition.vd_aux);
        versions[definition.vd_ndx & 0x7fff] = name_at(name.vda_name);
        at += definition.vd_next;
    }
    at = dynamic.get(DT_VERNEED);
    for (std::uint64_t i = 0; i < dynamic.get(DT_VERNEEDNUM); ++i) {
        const auto need = read_at<Elf64_Verneed>(at);
        FileAddress one = at + need.vn_aux;
        for (unsigned k = 0; k < need.vn_cnt; ++k) {
            const auto version = read_at<Elf64_Vernaux>(one);
            versions[version.vna_other & 0x7fff] = name_at(version.vna_name);
            one += version.vna_next;
        }
        at += need.vn_next;
    }

    std::uint32_t count = count_symbols(dynamic);
    // Those that are only needed may stand behind all that can be found, or there is no table.
    const auto see = [&](std::int64_t table, std::int64_t size) {
        for (std::uint64_t i = 0; i + sizeof(Elf64_Rela) <= dynamic.get(size);
             i += sizeof(Elf64_Rela)) {
            const auto entry = read_at<Elf64_Rela>(dynamic.get(table) + i);
            count = std::max(count, static_cast<std::uint32_t>(ELF64_R_SYM(entry.r_info)) + 1);
        }
    };
    see(DT_RELA, DT_RELASZ);
    see(DT_JMPREL, DT_PLTRELSZ);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto entry = read_at<Elf64_Sym>(dynamic.get(DT_SYMTAB) + i * sizeof(Elf64_Sym));
        Symbol symbol;
        symbol.name = name_at(entry.st_name);
        symbol.defined = entry.st_shndx != SHN_UNDEF;
        symbol.weak = ELF64_ST_BIND(entry.st_info) == STB_WEAK;
        symbol.type = ELF64_ST_TYPE(entry.st_info);
        symbol.value = entry.st_value;
        symbol.size = entry.st_size;
        if (dynamic.has(DT_VERSYM)) {
            const auto version = read_at<std::uint16_t>(dynamic.get(DT_VERSYM) + i * 2);
            symbol.hidden = (version & 0x8000) != 0;
            // 0 and 1: local, and of no version; the name under 1 is the library's own.
            if ((version & 0x7fff) > 1) symbol.version = versions[version & 0x7fff];
        }
        if (ELF64_ST_BIND(entry.st_info) == STB_LOCAL) symbol.name = {};
        symbols_.push_back(symbol);
    }
}

void ElfFile::read_relocations(const Dynamic& dynamic) {
    const auto add_table = [&](std::int64_t table, std::int64_t size) {
        for (std::uint64_t i = 0; i + sizeof(Elf64_Rela) <= dynamic.get(size);
             i += sizeof(Elf64_Rela)) {
            const auto entry = read_at<Elf64_Rela>(dynamic.get(table) + i);
            relocations_.push_back(
                {entry.r_offset, static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info)),
                 static_cast<std::uint32_t>(ELF64_R_SYM(entry.r_info)), entry.r_addend});
        }
    };
    add_table(DT_RELA, DT_RELASZ);
    add_table(DT_JMPREL, DT_PLTRELSZ);
    constexpr std::int64_t packed_table = 36, packed_size = 35;  // DT_RELR and DT_RELRSZ
    read_relative(dynamic.get(packed_table), dynamic.get(packed_size));
    for (const Relocation& relocation : relocations_) {
        const auto holds = [&](const Segment& segment) {
            return segment.writable && segment.address <= relocation.at &&
                   relocation.at + sizeof(std::uint64_t) <= segment.end();
        };
        if (!changes_text_ && std::ranges::none_of(segments_, holds))
            refuse("a relocation lies outside of its data");
    }
}

/// Packed: an even word is an address, an odd one says which of the next 63 words are to be
/// relocated as well. Their addends stand where they are.
void ElfFile::read_relative(FileAddress table, std::uint64_t size) {
    const auto add = [&](FileAddress at) {
        relocations_.push_back({at, relative_type, 0, read_at<std::int64_t>(at)});
    };
    FileAddress next = 0;
    for (std::uint64_t i = 0; i + 8 <= size; i += 8) {
        const auto word = read_at<std::uint64_t>(table + i);
        if ((word & 1) == 0) {
            add(word);
            next = word + 8;
            continue;
        }
        for (unsigned bit = 1; bit < 64; ++bit)
            if ((word >> bit & 1) != 0) add(next + (bit - 1) * 8);
        next += 63 * 8;
    }
}

}  // namespace railyard::loader
