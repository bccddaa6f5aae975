#include "programs/loader/copy.hpp"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "programs/loader/debugging.hpp"
#include "programs/loader/unwinding.hpp"
#include "railyard/base/error.hpp"

namespace railyard::loader {

namespace {

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

std::uint64_t page_of(std::uint64_t address) {
    return address / page_size() * page_size();
}

std::uint64_t page_behind(std::uint64_t address) {
    return page_of(address + page_size() - 1);
}

/// A process may have some 65,000 mappings, so each copy takes as few as it can.
void map_or_throw(const ElfFile& file, std::byte* at, std::size_t size, int protection, int flags,
                  std::uint64_t offset) {
    if (size == 0) return;
    const bool of_file = (flags & MAP_ANONYMOUS) == 0;
    if (::mmap(at, size, protection, flags | MAP_PRIVATE | MAP_FIXED,
               of_file ? file.descriptor() : -1,
               static_cast<off_t>(of_file ? offset : 0)) == MAP_FAILED)
        throw system_error(fmt::format("{}: memory for a copy{}", file.path().string(),
                                       errno == ENOMEM ? " (see sysctl vm.max_map_count)" : ""));
}

/// Data of which the file has no more than this are copied at once: one mapping, not two.
constexpr std::uint64_t small_data = 64 << 10;

std::uint64_t result_of(void* function) {
#if defined(__aarch64__)
    using Resolver = std::uint64_t (*)(std::uint64_t capabilities, const std::uint64_t* more);
    constexpr std::uint64_t has_second = std::uint64_t{1} << 62;
    const std::array<std::uint64_t, 3> more{sizeof(std::uint64_t[3]), getauxval(AT_HWCAP),
                                            getauxval(AT_HWCAP2)};
    return reinterpret_cast<Resolver>(function)(more[1] | has_second, more.data());
#else
    return reinterpret_cast<std::uint64_t (*)()>(function)();
#endif
}

}  // namespace

Copy::Copy(const Program& program, void* variables)
    : program_(program),
      variables_(reinterpret_cast<std::uintptr_t>(variables)),
      places_(program.modules().size()) {
    try {
        for (std::size_t i = 0; i < places_.size(); ++i)
            map(program.modules()[i]->file, places_[i]);
        relocate();
    } catch (...) {
        unmap();
        throw;
    }
}

Copy::~Copy() {
    unmap();
}

void Copy::unmap() noexcept {
    for (const Place& place : places_) {
        if (place.begin == nullptr) continue;
        forget_unwinding(place.begin);
        ::munmap(place.begin, place.size);
    }
}

void Copy::map(const ElfFile& file, Place& place) {
    const std::vector<Segment>& segments = file.segments();
    const std::uint64_t first = page_of(segments.front().address);
    place.size = page_behind(segments.back().end()) - first;
    void* const begin =
        ::mmap(nullptr, place.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) throw system_error(file.path().string() + ": memory for a copy");
    place.begin = static_cast<std::byte*>(begin);
    place.base = reinterpret_cast<std::uintptr_t>(begin) - first;
    const auto at = [&](std::uint64_t address) {
        return reinterpret_cast<std::byte*>(place.base + address);
    };

    for (std::size_t i = 0; i < segments.size();) {
        const Segment& segment = segments[i];
        if (!segment.writable) {
            // Those that stand in the file as they do in memory: one mapping for all of them.
            std::size_t last = i;
            bool executable = segment.executable;
            while (last + 1 < segments.size() && !segments[last + 1].writable &&
                   segments[last + 1].address - segment.address ==
                       segments[last + 1].file_offset - segment.file_offset)
                executable |= segments[++last].executable;
            map_or_throw(file, at(page_of(segment.address)),
                         page_behind(segments[last].address + segments[last].file_size) -
                             page_of(segment.address),
                         PROT_READ | (executable ? PROT_EXEC : 0), 0, page_of(segment.file_offset));
            i = last + 1;
            continue;
        }
        const int protection = PROT_READ | PROT_WRITE | (segment.executable ? PROT_EXEC : 0);
        const std::uint64_t end_of_file = segment.address + segment.file_size;
        if (segment.file_size <= small_data) {
            map_or_throw(file, at(page_of(segment.address)),
                         page_behind(segment.end()) - page_of(segment.address), protection,
                         MAP_ANONYMOUS | MAP_NORESERVE, 0);
            const auto bytes = file.bytes_at(segment.address, segment.file_size);
            std::memcpy(at(segment.address), bytes.data(), bytes.size());
        } else {
            map_or_throw(file, at(page_of(segment.address)),
                         page_behind(end_of_file) - page_of(segment.address), protection, 0,
                         page_of(segment.file_offset));
            std::memset(at(end_of_file), 0, page_behind(end_of_file) - end_of_file);
            if (segment.end() > page_behind(end_of_file))
                map_or_throw(file, at(page_behind(end_of_file)),
                             page_behind(segment.end()) - page_behind(end_of_file), protection,
                             MAP_ANONYMOUS | MAP_NORESERVE, 0);
        }
        ++i;
    }
    if (file.unwind_table() != 0)
        know_unwinding(place.begin, place.begin + place.size, at(file.unwind_table()));
    tell_debugger(file.path(), place.base);
}

void Copy::relocate() {
    const auto modules = program_.modules();
    for (std::size_t i = 0; i < modules.size(); ++i)
        for (const Program::Patch& patch : modules[i]->patches) {
            const std::uint64_t value = base_of(patch.module) + patch.value;
            std::memcpy(reinterpret_cast<void*>(places_[i].base + patch.at), &value, sizeof value);
        }
    // Values have been relocated, and so have the functions that are asked.
    for (std::size_t i = 0; i < modules.size(); ++i)
        for (const Program::CopiedVariable& variable : modules[i]->copied)
            if (variable.from.value != 0 || variable.from.module != Target::absolute)
                std::memcpy(reinterpret_cast<void*>(places_[i].base + variable.at),
                            address(variable.from),
                            std::min(variable.size,
                                     variable.from.size != 0 ? variable.from.size : variable.size));
    for (std::size_t i = 0; i < modules.size(); ++i)
        for (const Program::Indirect& indirect : modules[i]->indirect) {
            const std::uint64_t value = result_of(address(indirect.function));
            std::memcpy(reinterpret_cast<void*>(places_[i].base + indirect.at), &value,
                        sizeof value);
        }
}

void Copy::write_thread_locals(std::span<std::byte> room) const {
    std::ranges::fill(room, std::byte{});
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const Program::Module& module = *program_.modules()[i];
        const auto& image = module.file.thread_locals();
        if (!image) continue;
        const auto offset = module.thread_locals - program_.thread_locals().used_begin();
        std::memcpy(room.data() + offset,
                    reinterpret_cast<const void*>(places_[i].base + image->address),
                    image->file_size);
    }
}

std::vector<Copy::Initialiser> Copy::initialisers() const {
    std::vector<Initialiser> all;
    const auto add = [&](std::size_t module, const FunctionArray& array) {
        const auto* const functions =
            reinterpret_cast<Initialiser*>(places_[module].base + array.address);
        all.insert(all.end(), functions, functions + array.count);
    };
    add(0, program_.executable().preinit_array());
    for (const std::size_t module : program_.order()) {
        const ElfFile& file = program_.modules()[module]->file;
        if (file.init() != 0)
            all.push_back(reinterpret_cast<Initialiser>(places_[module].base + file.init()));
        add(module, file.init_array());
    }
    return all;
}

std::vector<Copy::Finaliser> Copy::finalisers() const {
    std::vector<Finaliser> all;
    const auto order = program_.order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const std::size_t module = *at;
        const ElfFile& file = program_.modules()[module]->file;
        const auto* const functions =
            reinterpret_cast<Finaliser*>(places_[module].base + file.fini_array().address);
        for (std::uint64_t i = file.fini_array().count; i > 0; --i)
            all.push_back(functions[i - 1]);
        if (file.fini() != 0)
            all.push_back(reinterpret_cast<Finaliser>(places_[module].base + file.fini()));
    }
    return all;
}

}  // namespace railyard::loader
