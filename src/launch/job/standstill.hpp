#pragma once
/// When all ranks of a job wait and nothing moves any more: what each says that it waits for, and
/// the report of who waits for whom.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "railyard/base/time.hpp"

namespace railyard::job {

/// EDEADLK's number.
inline constexpr int deadlock_exit_code = 35;
/// How old what a rank has said may be when it is heard.
inline constexpr Duration standstill_settling = Duration::ms(200);

/// What a rank says of itself.
struct Waiting {
    /// Something that ranks do together, which ends once all of them have come. Each counts those
    /// of one place that it has come to.
    struct Meeting {
        std::uint32_t place = 0;
        std::uint64_t number = 0;
        friend bool operator==(const Meeting&, const Meeting&) = default;
    };

    std::string call;        ///< in which it waits
    std::vector<int> ranks;  ///< for whom: of a meeting, all that take part
    bool any = false;        ///< one of them is enough
    std::optional<Meeting> meeting{};
    std::vector<Meeting> met{};  ///< at each place, the last that it has come to
    Duration for_so_long{};

    std::string text() const;
    static std::optional<Waiting> parse(std::string_view text);

    std::uint64_t last_at(std::uint32_t place) const;
};

/// Hears from all ranks.
class Standstill {
  public:
    explicit Standstill(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

    /// What the rank has said: a Waiting's text, or nothing once it goes on.
    void hear(int rank, std::string_view text);
    void set(int rank, std::optional<Waiting> waiting);
    /// It will not do anything for the others any more.
    void leave(int rank);
    /// Somebody waits, and all others do so, too, or have left.
    bool is_complete() const;
    /// A line a rank, and the cycle if there is one; without a line's end. Those of the cycle come
    /// first.
    std::string report() const;
    /// A line for each who waits, after a line's end.
    std::string waits() const;

  private:
    struct RankState {
        std::optional<Waiting> waiting;
        bool has_left = false;
    };
    /// Those for whom it waits indeed: of a meeting, those who have not come.
    std::vector<int> awaited(std::size_t rank) const;
    std::vector<std::size_t> cycle() const;
    std::string line(std::size_t rank) const;
    std::string last_line(const std::vector<std::size_t>& cycle) const;
    std::string unlike_calls() const;

    std::vector<RankState> ranks_;
};

}  // namespace railyard::job
