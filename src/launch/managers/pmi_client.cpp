#include "launch/managers/pmi_client.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/descriptor.hpp"
#include "base/parse.hpp"
#include "launch/managers/pmi_wire.hpp"
#include "railyard/base/error.hpp"

namespace railyard::managers {

namespace {

int number_of(const char* variable) {
    const char* const text = std::getenv(variable);
    const auto found = text != nullptr ? parse_number<int>(text) : std::nullopt;
    if (!found)
        throw Error(fmt::format("{}: expected a number, found '{}'", variable,
                                text != nullptr ? text : "nothing"));
    return *found;
}

/// Lines there and back.
class PmiSocket {
  public:
    explicit PmiSocket(Descriptor socket) : socket_(std::move(socket)) {
        ::fcntl(socket_.get(), F_SETFD, FD_CLOEXEC);
    }

    /// In one piece: a line of another thread's may follow, and never come between.
    void send(const std::string& line) {
        if (!try_send(line + "\n")) throw system_error("the process manager has gone (PMI)");
    }
    bool try_send(std::string_view text) noexcept {
        while (!text.empty()) {
            const ssize_t n = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }
    /// Whether a line can be read within that time.
    bool is_readable(Duration patience) {
        if (!read_.empty()) return true;
        pollfd one{.fd = socket_.get(), .events = POLLIN, .revents = 0};
        return ::poll(&one, 1, static_cast<int>(patience.seconds() * 1000)) > 0;
    }
    PmiLine receive() {
        std::size_t end = 0;
        while ((end = read_.find('\n')) == read_.npos) {
            char bytes[1024];
            const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, 0);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) throw Error("the process manager has gone: it closed the connection (PMI)");
            read_.append(bytes, static_cast<std::size_t>(n));
        }
        PmiLine line(read_.substr(0, end));
        read_.erase(0, end + 1);
        return line;
    }

  private:
    Descriptor socket_;
    std::string read_;
};

class PmiClient final : public Manager {
  public:
    PmiClient(PmiSocket socket, int rank, int size)
        : socket_(std::move(socket)), rank_(rank), size_(size) {
        ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
        space_ = require(ask("cmd=get_my_kvsname", "my_kvsname"), "kvsname");
        if (rank_ < 0 || rank_ >= size_)
            throw Error(fmt::format("the process manager says that this is rank {} of {} (PMI)",
                                    rank_, size_));
    }

    std::string_view name() const override { return "a PMI server"; }
    int rank() const override { return rank_; }
    int size() const override { return size_; }

    std::vector<fabric::NodeId> nodes() override {
        const auto mapping = find("PMI_process_mapping");
        // Slurm 22.05 has each rank on a node of its own where hosts were chosen one by one.
        const char* const distribution = std::getenv("SLURM_DISTRIBUTION");
        if (!mapping || (distribution != nullptr && distribution == std::string_view("arbitrary")))
            return {};
        return parse_process_mapping(*mapping, size_).value_or(std::vector<fabric::NodeId>());
    }

    void put(std::string_view key, std::span<const std::byte> value) override {
        std::size_t number = 0;
        for (const std::string& word : as_words(value))
            require_success(put_word(key_of(rank_, key, number++), word));
    }
    std::optional<std::vector<std::byte>> get(int rank, std::string_view key) override {
        auto first = find(key_of(rank, key, 0));
        if (!first) return std::nullopt;
        const auto count = count_words(*first);
        std::vector<std::string> words{std::move(*first)};
        while (count && words.size() < *count) {
            auto word = find(key_of(rank, key, words.size()));
            if (!word) break;
            words.push_back(std::move(*word));
        }
        auto bytes = from_words(words);
        if (!bytes)
            throw Error(
                fmt::format("what rank {} gave to the process manager as '{}' came back "
                            "changed (PMI)",
                            rank, key));
        return bytes;
    }

    // One key for all: the first who puts it has said it for all, and nobody asks for more.
    void say(std::string_view what, bool holds) override {
        if (holds) put_word(fmt::format("ry-{}", what), "1");
    }
    bool holds(std::string_view what, std::span<const int> /*said_by*/) override {
        return find(fmt::format("ry-{}", what)).has_value();
    }

    void enter_barrier() override { socket_.send("cmd=barrier_in"); }
    bool passed_barrier(Duration patience) override {
        if (!socket_.is_readable(patience)) return false;
        check_answer(socket_.receive(), "barrier_out");
        return true;
    }

    void abort(int code, const std::string& /*why*/) noexcept override {
        socket_.try_send(fmt::format("cmd=abort exitcode={}\n", code));
    }
    void finalize() noexcept override {
        try {
            ask("cmd=finalize", "finalize_ack");
        } catch (const std::exception&) {
            // It has gone before us; there is nobody to tell.
            return;
        }
    }

  private:
    static std::string key_of(int rank, std::string_view key, std::size_t word) {
        return fmt::format("ry-{}-{}-{}", rank, key, word);
    }

    static void check_answer(const PmiLine& line, std::string_view expected) {
        if (!line.is(expected))
            throw Error(
                fmt::format("the process manager answered '{}' where '{}' was expected "
                            "(PMI)",
                            line.text(), expected));
    }
    static void require_success(const PmiLine& line) {
        if (!line.succeeded())
            throw Error(fmt::format("the process manager refused a value: {} (PMI)", line.text()));
    }
    static std::string require(const PmiLine& line, std::string_view key) {
        const auto value = line.find(key);
        if (!value)
            throw Error(
                fmt::format("the process manager's answer has no {}: {} (PMI)", key, line.text()));
        return std::string(*value);
    }

    PmiLine ask(const std::string& line, std::string_view expected) {
        socket_.send(line);
        PmiLine answer = socket_.receive();
        check_answer(answer, expected);
        return answer;
    }
    PmiLine put_word(const std::string& key, const std::string& word) {
        return ask(fmt::format("cmd=put kvsname={} key={} value={}", space_, key, word),
                   "put_result");
    }
    std::optional<std::string> find(const std::string& key) {
        const PmiLine line =
            ask(fmt::format("cmd=get kvsname={} key={}", space_, key), "get_result");
        if (!line.succeeded()) return std::nullopt;
        return require(line, "value");
    }

    PmiSocket socket_;
    int rank_;
    int size_;
    std::string space_;
};

Descriptor connect_to_server(const std::string& host_and_port) {
    const std::size_t colon = host_and_port.rfind(':');
    const std::string host = host_and_port.substr(0, colon);
    const std::string port = colon != host_and_port.npos ? host_and_port.substr(colon + 1) : "";
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0)
        throw Error(fmt::format("PMI_PORT={}: there is no such host or port", host_and_port));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        Descriptor socket(::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, 0));
        if (socket && ::connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0) return socket;
    }
    throw system_error(fmt::format("PMI_PORT={}: cannot connect", host_and_port));
}

}  // namespace

std::unique_ptr<Manager> connect_pmi_by_descriptor() {
    return std::make_unique<PmiClient>(PmiSocket(Descriptor(number_of("PMI_FD"))),
                                       number_of("PMI_RANK"), number_of("PMI_SIZE"));
}

std::unique_ptr<Manager> connect_pmi_by_port() {
    PmiSocket socket(connect_to_server(std::getenv("PMI_PORT")));
    socket.send(fmt::format("cmd=initack pmiid={}", std::getenv("PMI_ID")));
    int size = -1;
    int rank = -1;
    // Its answer, and three lines that set things.
    for (int line = 0; line < 4; ++line) {
        const PmiLine one = socket.receive();
        if (const auto value = one.find("size")) parse_into(size, *value);
        if (const auto value = one.find("rank")) parse_into(rank, *value);
    }
    return std::make_unique<PmiClient>(std::move(socket), rank, size);
}

}  // namespace railyard::managers
