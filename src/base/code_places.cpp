#include "base/code_places.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace railyard {

namespace {

template <std::size_t size>
void copy(std::array<char, size>& to, std::string_view text) {
    const std::size_t n = std::min(text.size(), size - 1);
    std::copy_n(text.data(), n, to.data());
    to[n] = '\0';
}

std::uint64_t read_hex(std::string_view& text) {
    std::uint64_t value = 0;
    while (!text.empty()) {
        const char c = text.front();
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) break;
        value = value * 16 + static_cast<std::uint64_t>(digit);
        text.remove_prefix(1);
    }
    return value;
}

/// Lines of a file, each of up to so many bytes, one after the other.
class Lines {
  public:
    explicit Lines(const char* path) : fd_(::open(path, O_RDONLY | O_CLOEXEC)) {}
    ~Lines() {
        if (fd_ >= 0) ::close(fd_);
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    /// Empty at the end. Valid until the next.
    std::string_view next() {
        std::size_t n = 0;
        for (char c = 0; n < sizeof line_ && read(c) && c != '\n';)
            line_[n++] = c;
        return {line_, n};
    }

  private:
    bool read(char& c) {
        if (at_ == held_) {
            const ssize_t n = fd_ >= 0 ? ::read(fd_, room_, sizeof room_) : 0;
            if (n <= 0) return false;
            held_ = static_cast<std::size_t>(n);
            at_ = 0;
        }
        c = room_[at_++];
        return true;
    }

    int fd_;
    char room_[1024];
    char line_[512];
    std::size_t at_ = 0;
    std::size_t held_ = 0;
};

/// "55d0c8a00000-55d0c8a01000 r-xp 00001000 fe:00 1234   /path": the file, and the address's place
/// in it.
bool find_mapping(std::uintptr_t address, CodePlace& place, std::uint64_t& offset) {
    Lines maps("/proc/self/maps");
    for (std::string_view line = maps.next(); !line.empty(); line = maps.next()) {
        const std::uint64_t from = read_hex(line);
        line.remove_prefix(std::min<std::size_t>(line.size(), 1));
        const std::uint64_t to = read_hex(line);
        if (address < from || address >= to) continue;
        const std::size_t path = line.find('/');
        if (path == std::string_view::npos) return false;
        copy(place.file, line.substr(path));
        line.remove_prefix(std::min<std::size_t>(line.size(), 6));  // " r-xp "
        offset = read_hex(line) + (address - from);
        return true;
    }
    return false;
}

/// A file of machine code, mapped as it lies on the disk.
class ObjectFile {
  public:
    explicit ObjectFile(const char* path) {
        const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) return;
        struct stat status {};
        if (::fstat(fd, &status) == 0 &&
            static_cast<std::size_t>(status.st_size) >= sizeof(ElfW(Ehdr))) {
            size_ = static_cast<std::size_t>(status.st_size);
            void* const data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
            if (data != MAP_FAILED) data_ = static_cast<const std::byte*>(data);
        }
        ::close(fd);
        if (data_ != nullptr && std::memcmp(header().e_ident, ELFMAG, SELFMAG) != 0) forget();
    }
    ~ObjectFile() { forget(); }
    ObjectFile(const ObjectFile&) = delete;
    ObjectFile& operator=(const ObjectFile&) = delete;

    explicit operator bool() const { return data_ != nullptr; }

    /// The address that symbols speak of.
    std::uint64_t linked_address(std::uint64_t offset) const {
        for (const auto& part :
             table<ElfW(Phdr)>(header().e_phoff, header().e_phnum * sizeof(ElfW(Phdr))))
            if (part.p_type == PT_LOAD && offset >= part.p_offset &&
                offset - part.p_offset < part.p_filesz)
                return offset - part.p_offset + part.p_vaddr;
        return offset;
    }

    void name(std::uint64_t address, CodePlace& place) const {
        const auto sections =
            table<ElfW(Shdr)>(header().e_shoff, header().e_shnum * sizeof(ElfW(Shdr)));
        // All symbols if there are any, else those that others link with.
        for (const unsigned kind : {SHT_SYMTAB, SHT_DYNSYM})
            for (const auto& section : sections)
                if (section.sh_type == kind && section.sh_link < sections.size() &&
                    name_by(section, sections[section.sh_link], address, place))
                    return;
    }

  private:
    const ElfW(Ehdr) & header() const { return *reinterpret_cast<const ElfW(Ehdr)*>(data_); }
    /// Empty if it is not within the file.
    template <class Entry>
    std::span<const Entry> table(std::uint64_t offset, std::uint64_t bytes) const {
        if (offset > size_ || bytes > size_ - offset || offset % alignof(Entry) != 0) return {};
        return {reinterpret_cast<const Entry*>(data_ + offset),
                static_cast<std::size_t>(bytes) / sizeof(Entry)};
    }
    bool name_by(const ElfW(Shdr) & symbols, const ElfW(Shdr) & texts, std::uint64_t address,
                 CodePlace& place) const {
        const auto names = table<char>(texts.sh_offset, texts.sh_size);
        for (const auto& symbol : table<ElfW(Sym)>(symbols.sh_offset, symbols.sh_size)) {
            if ((symbol.st_info & 0xf) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
                address < symbol.st_value ||
                address - symbol.st_value >= std::max<std::uint64_t>(symbol.st_size, 1) ||
                symbol.st_name >= names.size())
                continue;
            const char* const text = names.data() + symbol.st_name;
            copy(place.function, {text, ::strnlen(text, names.size() - symbol.st_name)});
            place.in_function = address - symbol.st_value;
            return true;
        }
        return false;
    }
    void forget() {
        if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
        data_ = nullptr;
    }

    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace

CodePlace find_code_place(std::uintptr_t address) {
    CodePlace place;
    std::uint64_t offset = 0;
    if (!find_mapping(address, place, offset)) return place;
    place.in_file = offset;
    const ObjectFile file(place.file.data());
    if (!file) return place;
    place.in_file = file.linked_address(offset);
    file.name(place.in_file, place);
    return place;
}

}  // namespace railyard
