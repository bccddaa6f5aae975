#pragma once
/// An executable or a shared library as its file has it: what is to be mapped where, what it
/// defines and what it needs of others. Nothing of the file is believed before it was looked at.

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"

namespace railyard::loader {

/// The bytes of a file, for as long as this lives.
class MappedFile {
  public:
    /// Throws Error.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {data_, size_}; }
    int descriptor() const { return descriptor_.get(); }

  private:
    Descriptor descriptor_;
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Addresses are those of the file, which a loaded copy has its own base added to.
using FileAddress = std::uint64_t;

struct Segment {
    FileAddress address = 0;
    std::uint64_t size = 0;  ///< in memory; what the file does not have is zero
    std::uint64_t file_offset = 0;
    std::uint64_t file_size = 0;
    bool writable = false;
    bool executable = false;

    FileAddress end() const { return address + size; }
};

/// The initial image of thread-local variables.
struct ThreadLocalImage {
    FileAddress address = 0;
    std::uint64_t file_size = 0;
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
};

struct Symbol {
    std::string_view name;
    std::string_view version;  ///< empty: any
    bool hidden = false;       ///< found by those who ask for this version only
    bool defined = false;
    bool weak = false;
    unsigned char type = 0;  ///< STT_...
    FileAddress value = 0;
    std::uint64_t size = 0;
};

struct Relocation {
    FileAddress at = 0;
    std::uint32_t type = 0;
    std::uint32_t symbol = 0;
    std::int64_t addend = 0;
};

/// Functions that run at the beginning or the end.
struct FunctionArray {
    FileAddress address = 0;
    std::uint64_t count = 0;
};

class ElfFile {
  public:
    /// Throws Error for what is no program or library of this processor, or is broken.
    explicit ElfFile(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    int descriptor() const { return file_.descriptor(); }

    bool is_position_independent() const { return header_.e_type == ET_DYN; }
    /// Empty: it is a library, or linked statically.
    const std::string& interpreter() const { return interpreter_; }
    FileAddress entry() const { return header_.e_entry; }

    const std::vector<Segment>& segments() const { return segments_; }
    const std::optional<ThreadLocalImage>& thread_locals() const { return thread_locals_; }
    /// 0: there is none.
    FileAddress unwind_table() const { return unwind_table_; }
    const std::vector<std::string>& needed() const { return needed_; }
    const std::vector<Symbol>& symbols() const { return symbols_; }
    const std::vector<Relocation>& relocations() const { return relocations_; }
    bool changes_its_text() const { return changes_text_; }

    FileAddress init() const { return init_; }
    FileAddress fini() const { return fini_; }
    const FunctionArray& preinit_array() const { return preinit_array_; }
    const FunctionArray& init_array() const { return init_array_; }
    const FunctionArray& fini_array() const { return fini_array_; }

    /// What the file has there; fewer bytes than asked for if it ends before.
    std::span<const std::byte> bytes_at(FileAddress address, std::uint64_t size) const;

  private:
    class Dynamic;

    [[noreturn]] void refuse(std::string_view why) const;
    std::span<const std::byte> piece(std::uint64_t offset, std::uint64_t size) const;
    template <class T>
    T read(std::uint64_t offset) const;
    template <class T>
    T read_at(FileAddress address) const;
    void read_header();
    void read_program_headers();
    void read_dynamic(const Elf64_Phdr& header);
    std::string_view text_at(FileAddress table, std::uint64_t size, std::uint64_t offset) const;
    void read_symbols(const Dynamic& dynamic);
    void read_relocations(const Dynamic& dynamic);
    void read_relative(FileAddress table, std::uint64_t size);
    std::uint32_t count_symbols(const Dynamic& dynamic) const;

    std::filesystem::path path_;
    MappedFile file_;
    Elf64_Ehdr header_{};
    std::string interpreter_;
    std::vector<Segment> segments_;
    std::optional<ThreadLocalImage> thread_locals_;
    FileAddress unwind_table_ = 0;
    std::vector<std::string> needed_;
    std::vector<Symbol> symbols_;
    std::vector<Relocation> relocations_;
    FileAddress init_ = 0;
    FileAddress fini_ = 0;
    FunctionArray preinit_array_;
    FunctionArray init_array_;
    FunctionArray fini_array_;
    bool changes_text_ = false;
};

}  // namespace railyard::loader
