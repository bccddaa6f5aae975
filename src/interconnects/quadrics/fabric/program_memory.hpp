#pragma once
/// The memory that a program gives to its tagged port, as pages of its adapter's address space. A
/// buffer is part of what was given before, or it begins something new, or it makes that larger.
/// Pages are counted from where that begins, and what is smaller than one lies side by side with
/// others as they come. So which pages there are, and in which order, follows from the program's
/// use of its buffers and not from where they happen to lie in the host.
///
/// The adapter reads and writes the program's own bytes, while a request is under way there.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "interconnects/quadrics/elan/address_space.hpp"
#include "railyard/base/bytes.hpp"

namespace railyard::quadrics {

class ProgramMemory {
  public:
    /// What an address of 32 bits reaches, with room to spare; beyond it, what was not used for the
    /// longest time is forgotten.
    static constexpr Bytes capacity{std::uint64_t{2} << 30};
    /// Buffers that overlap are one as long as they are together no larger than a message may be.
    static constexpr Bytes largest_joined{std::uint64_t{1} << 30};

    explicit ProgramMemory(elan::AddressSpace& space) : space_(space) {}

    /// A buffer that a request uses.
    struct Use {
        elan::Address address = elan::null_address;
        elan::Address mapping = elan::null_address;  ///< null: there is nothing to let go
    };
    Use take(std::span<const std::byte> buffer);
    /// The same for memory that software uses all the time: its pages are bound, and known.
    Use take_scratch(std::span<const std::byte> buffer);
    /// The program's bytes are its own again, once nobody else uses them.
    void let_go(const Use& use);
    /// Nobody reaches any of it any more.
    void close();

  private:
    struct Mapping {
        std::uint32_t size = 0;  ///< of the pages, or of the part of one
        std::span<std::byte> memory{};
        unsigned uses = 0;
        enum class Kind : std::uint8_t { pages, part_of_page, scratch } kind = Kind::pages;
        bool forgotten = false;
    };
    struct Stretch {
        Bytes size;
        elan::Address mapping = elan::null_address;
        std::uint64_t used = 0;
    };
    using Mappings = std::map<elan::Address, Mapping>;
    using Stretches = std::map<const std::byte*, Stretch>;
    Stretches::iterator find(const std::byte* begin);
    Stretches::iterator add(const std::byte* begin, const std::byte* end);
    elan::Address map(std::span<std::byte> memory);
    elan::Address part_of_page(std::uint32_t size);
    void bind_as_in(const Stretch& part, std::uint64_t offset, const Stretch& whole);
    Use use(Mappings::iterator mapping, std::uint64_t offset);
    void forget(elan::Address mapping);
    void drop(Mappings::iterator mapping);
    void make_room(Bytes size);

    elan::AddressSpace& space_;
    Stretches stretches_;  ///< by where they begin in the host; none overlap
    Mappings mappings_;    ///< by where they begin; also of stretches that are forgotten
    std::map<std::uint32_t, std::vector<elan::Address>> free_parts_;    ///< of pages, by size
    std::map<std::uint32_t, std::vector<elan::Address>> free_scratch_;  ///< likewise
    std::vector<elan::Address> shared_pages_;
    std::uint32_t used_of_last_ = elan::page_size;  ///< of the last shared page
    Bytes named_;
    std::uint64_t uses_ = 0;
};

}  // namespace railyard::quadrics
