#include "launch/job/invitation.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>

namespace railyard::job {

namespace {

/// The numbers of a text, with a colon behind each.
class Numbers {
  public:
    explicit Numbers(std::string_view text) : rest_(text) {}

    template <class Number>
    void read(Number& into) {
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
        const auto length = static_cast<std::size_t>(end - rest_.data());
        ok_ = ok_ && error == std::errc{} && length < rest_.size() && *end == ':';
        rest_.remove_prefix(ok_ ? length + 1 : rest_.size());
    }
    bool ok() const { return ok_; }
    std::string_view rest() const { return rest_; }

  private:
    std::string_view rest_;
    bool ok_ = true;
};

}  // namespace

std::string Invitation::text() const {
    return fmt::format("{}:{}:{}:{}:{}:{}:{}:{}:{}", rank, board.pid, board.fd, board.inode,
                       board.size, frames_fd, frames_inode, shares_core ? 1 : 0, fabric);
}

std::optional<Invitation> Invitation::parse(std::string_view text) {
    Invitation found;
    int shares = 0;
    Numbers numbers(text);
    numbers.read(found.rank);
    numbers.read(found.board.pid);
    numbers.read(found.board.fd);
    numbers.read(found.board.inode);
    numbers.read(found.board.size);
    numbers.read(found.frames_fd);
    numbers.read(found.frames_inode);
    numbers.read(shares);
    if (!numbers.ok() || numbers.rest().empty()) return std::nullopt;
    found.shares_core = shares != 0;
    found.fabric = numbers.rest();
    return found;
}

std::uint64_t inode_of(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 ? status.st_ino : 0;
}

}  // namespace railyard::job
