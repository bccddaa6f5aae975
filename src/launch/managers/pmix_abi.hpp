#pragma once
/// The part of PMIx' binary interface that a rank needs. It is the same in PMIx 3 to 6, so that no
/// header of its is needed to build this.

#include <cstddef>
#include <cstdint>

namespace railyard::managers::pmix {

using Status = int;
constexpr Status success = 0;

struct Proc {
    char space[256];
    std::uint32_t rank;
};
constexpr std::uint32_t any_rank = UINT32_MAX - 1;

struct Bytes {
    char* data;
    std::size_t size;
};

enum class Type : std::uint16_t {
    boolean = 1,
    string = 3,
    int32 = 9,
    integer = 6,
    uint32 = 14,
    bytes = 27,
};

struct Value {
    Type type;
    union {
        bool flag;
        char* string;
        int integer;
        std::uint32_t uint32;
        Bytes bytes;
        char room[24];  ///< the largest of its members: an environment variable
    } data;
};

struct Info {
    char key[512];
    std::uint32_t flags;
    Value value;
};

constexpr std::uint8_t global_scope = 3;

using Done = void (*)(Status status, void* argument);

using Init = Status (*)(Proc* self, Info* info, std::size_t infos);
using Finalize = Status (*)(const Info* info, std::size_t infos);
using Abort = Status (*)(int code, const char* message, Proc* procs, std::size_t count);
using Put = Status (*)(std::uint8_t scope, const char* key, Value* value);
using Commit = Status (*)();
using FenceNb = Status (*)(const Proc* procs, std::size_t count, const Info* info,
                           std::size_t infos, Done done, void* argument);
using Get = Status (*)(const Proc* proc, const char* key, const Info* info, std::size_t infos,
                       Value** value);
using ErrorString = const char* (*)(Status status);

}  // namespace railyard::managers::pmix
