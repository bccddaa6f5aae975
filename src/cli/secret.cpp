#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "cli/command.hpp"
#include "launch/tls/secret.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

/// For its owner alone, from the beginning. What is there already is somebody's secret.
void write_secret(const std::string& path, const std::string& text) {
    const Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file && errno == EEXIST)
        throw UsageError(fmt::format("{} is there already; remove it, or name another file", path));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw system_error(fmt::format("cannot write {}", path));
}

}  // namespace

Command secret_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "secret", "Makes a secret, by which two hosts that measure together recognise each other");
    const auto file = std::make_shared<std::string>();
    app->add_option("file", *file, "Where it goes, readable by you alone (default: it is printed)")
        ->type_name("FILE");
    app->footer(
        "Examples:\n"
        "  railyard secret key\n"
        "  railyard measure latency-uni --on iwarp --secret-file key --listen ADDRESS\n"
        "Copy the file to the other host, and name it there, too.");
    return {app, [file] {
                const std::string text = tls::Secret::make().hex() + "\n";
                if (file->empty())
                    fmt::print("{}", text);
                else
                    write_secret(*file, text);
                return 0;
            }};
}

}  // namespace railyard::cli
