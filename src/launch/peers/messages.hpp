#pragma once
/// What the two sides of a job tell each other. Every message is read back whole or not at all.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launch/job/rank_process.hpp"

namespace railyard::peers {

enum class Message : std::uint32_t {
    task,    ///< what is to be done
    put,     ///< a rank has put something (RankPut)
    fence,   ///< all ranks of a side have entered their next fence (a number)
    left,    ///< a rank has ended well (a number)
    failed,  ///< a rank has failed (Failure)
    row,     ///< of results
    done,    ///< no rank runs there any more
};

struct RankPut {
    std::uint32_t rank = 0;
    std::string key;
    std::string value;

    std::string text() const;
    static std::optional<RankPut> parse(std::string_view text);
};

struct Failure {
    job::Ending ending;

    std::string text() const;
    static std::optional<Failure> parse(std::string_view text);
};

std::string number_text(std::uint64_t number);
std::optional<std::uint32_t> parse_number(std::string_view text);

}  // namespace railyard::peers
