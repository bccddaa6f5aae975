#include "base/log.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard {
namespace {
/// Counts how often it is printed.
struct Counted {
    int* count;
};
}  // namespace
}  // namespace railyard

template <>
struct fmt::formatter<railyard::Counted> : fmt::formatter<fmt::string_view> {
    auto format(const railyard::Counted& value, fmt::format_context& context) const {
        ++*value.count;
        return fmt::formatter<fmt::string_view>::format("counted", context);
    }
};

namespace railyard {
namespace {

/// What `call` writes to stderr.
template <class Call>
std::string said(Call call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
}

/// Leaves the level, the label and the environment as they were.
class Log : public testing::Test {
  protected:
    Log() {
        if (const char* text = std::getenv("RAILYARD_LOG")) environment_ = text;
    }
    ~Log() override {
        set_log_label("");
        if (environment_.empty())
            ::unsetenv("RAILYARD_LOG");
        else
            ::setenv("RAILYARD_LOG", environment_.c_str(), 1);
        forget();
    }
    /// As if the program had just started.
    static void forget() { detail::log_level = detail::log_level_unknown; }

    std::string environment_;
};

TEST_F(Log, SaysWhatTheLevelAllows) {
    set_log_level(LogLevel::info);
    const std::string text = said([] {
        log_error("one {}", 1);
        log_warning("two {}", 2);
        log_info("three {}", 3);
        log_debug("four {}", 4);
    });
    EXPECT_EQ(text,
              "railyard: error: one 1\n"
              "railyard: warning: two 2\n"
              "railyard: info: three 3\n");
}

TEST_F(Log, ErrorsAreAlwaysSaid) {
    set_log_level(LogLevel::error);
    EXPECT_TRUE(log_on(LogLevel::error));
    EXPECT_FALSE(log_on(LogLevel::warning));
    EXPECT_EQ(said([] { log_warning("quiet"); }), "");
    EXPECT_EQ(said([] { log_error("loud"); }), "railyard: error: loud\n");
}

TEST_F(Log, FormatsNothingWhenOff) {
    set_log_level(LogLevel::warning);
    int formatted = 0;
    EXPECT_EQ(said([&] { log_debug("{}", Counted{&formatted}); }), "");
    EXPECT_EQ(formatted, 0);
    set_log_level(LogLevel::debug);
    EXPECT_EQ(said([&] { log_debug("{}", Counted{&formatted}); }), "railyard: debug: counted\n");
    EXPECT_EQ(formatted, 1);
}

TEST_F(Log, TheLevelComesFromTheEnvironment) {
    ::setenv("RAILYARD_LOG", "debug", 1);
    forget();
    EXPECT_EQ(log_level(), LogLevel::debug);
    ::setenv("RAILYARD_LOG", "error", 1);
    EXPECT_TRUE(log_on(LogLevel::debug)) << "asked once only";
    forget();
    EXPECT_FALSE(log_on(LogLevel::warning));
    ::unsetenv("RAILYARD_LOG");
    forget();
    EXPECT_EQ(log_level(), LogLevel::warning);
    ::setenv("RAILYARD_LOG", "", 1);
    forget();
    EXPECT_EQ(log_level(), LogLevel::warning);
}

TEST_F(Log, AWrongEnvironmentIsSaidOnce) {
    ::setenv("RAILYARD_LOG", "chatty", 1);
    forget();
    const std::string text = said([] {
        log_warning("first");
        log_warning("second");
    });
    EXPECT_EQ(
        text,
        "railyard: warning: RAILYARD_LOG: expected a log level, which is error, warning, info "
        "or debug, found 'chatty'\n"
        "railyard: warning: first\n"
        "railyard: warning: second\n");
}

TEST_F(Log, SettingTheLevelBeatsTheEnvironment) {
    ::setenv("RAILYARD_LOG", "debug", 1);
    forget();
    set_log_level(LogLevel::error);
    EXPECT_EQ(log_level(), LogLevel::error);
    EXPECT_FALSE(log_on(LogLevel::debug));
}

TEST_F(Log, LevelsHaveNames) {
    for (const LogLevel level :
         {LogLevel::error, LogLevel::warning, LogLevel::info, LogLevel::debug})
        EXPECT_EQ(parse_log_level(name(level)), level);
    EXPECT_THROW(parse_log_level("Debug"), UsageError);
    EXPECT_THROW(parse_log_level(""), UsageError);
}

TEST_F(Log, LabelsBelongToTheirThread) {
    set_log_level(LogLevel::warning);
    set_log_label("rank 3");
    const std::string text = said([] {
        log_warning("here");
        std::thread([] {
            log_warning("there");
            set_log_label("rank 4");
            log_warning("there");
        }).join();
        log_warning("here");
        set_log_label("");
        log_warning("here");
    });
    EXPECT_EQ(text,
              "railyard: rank 3: warning: here\n"
              "railyard: warning: there\n"
              "railyard: rank 4: warning: there\n"
              "railyard: rank 3: warning: here\n"
              "railyard: warning: here\n");
}

TEST_F(Log, LongLabelsAreCutAndLongLinesAreNot) {
    set_log_level(LogLevel::warning);
    set_log_label(std::string(500, 'r'));
    const std::string text = said([] { log_warning("{}", std::string(100'000, 'x')); });
    EXPECT_EQ(text, "railyard: " + std::string(63, 'r') +
                        ": warning: " + std::string(100'000, 'x') + "\n");
}

TEST_F(Log, LeavesErrnoAlone) {
    set_log_level(LogLevel::warning);
    const std::string text = said([] {
        errno = ENOENT;
        log_warning("{}", std::string(5000, 'x'));
        EXPECT_EQ(errno, ENOENT);
    });
    EXPECT_EQ(text.size(), std::string("railyard: warning: \n").size() + 5000);
}

TEST_F(Log, LinesOfManyThreadsDoNotMix) {
    constexpr int threads = 8;
    constexpr int lines = 200;
    set_log_level(LogLevel::info);
    const std::string text = said([] {
        std::vector<std::thread> writers;
        for (int t = 0; t < threads; ++t)
            writers.emplace_back([t] {
                set_log_label(fmt::format("rank {}", t));
                for (int i = 0; i < lines; ++i)
                    log_info("{} {}", i, std::string(100, static_cast<char>('a' + t)));
            });
        for (std::thread& w : writers)
            w.join();
    });
    std::vector<int> next(threads, 0);
    std::istringstream in(text);
    int count = 0;
    for (std::string line; std::getline(in, line); ++count) {
        int t = -1;
        ASSERT_EQ(std::sscanf(line.c_str(), "railyard: rank %d:", &t), 1) << line;
        ASSERT_EQ(line, fmt::format("railyard: rank {}: info: {} {}", t,
                                    next[static_cast<std::size_t>(t)]++,
                                    std::string(100, static_cast<char>('a' + t))));
    }
    EXPECT_EQ(count, threads * lines);
}

}  // namespace
}  // namespace railyard
