#pragma once
/// Where a rank's data are received, or sent from, just now: finds buffers that are given to two
/// requests. Only those without gaps are looked at.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "mpi/checking/objects.hpp"

namespace railyard::mpi::checking {

/// As a call has it.
struct UserData {
    const void* address = nullptr;
    std::size_t count = 0;
    TypeRef type;

    bool is_there() const { return type != nullptr && count > 0 && type->size() > 0; }
    std::size_t bytes() const { return count * type->size(); }
    /// Tells whether they were changed.
    std::uint64_t sum() const;
};

class BuffersInUse {
  public:
    explicit BuffersInUse(Objects& objects) : objects_(objects) {}

    /// From now on by that request, which `call` has made. Tells of another that uses it.
    void add(int handle, const UserData& data, bool is_send, const std::string& call);
    /// The request is complete, or nobody will ask for it any more.
    void remove(int handle, const UserData& data);

  private:
    struct Use {
        const std::byte* end;
        int handle;
        bool is_send;
        std::string call;
    };
    bool is_over(const Use& use);

    Objects& objects_;
    std::multimap<const std::byte*, Use> uses_;  ///< by where they begin
    std::size_t longest_ = 0;                    ///< of all that there were
    std::size_t told_ = 0;
};

}  // namespace railyard::mpi::checking
