#include "base/reactor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <optional>
#include <string>

namespace railyard {
namespace {

using For = Reactor::For;

void write_to(const Pipe& pipe, const std::string& text) {
    ASSERT_EQ(::write(pipe.write.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
}
char read_from(const Pipe& pipe) {
    char byte = 0;
    return ::read(pipe.read.get(), &byte, 1) == 1 ? byte : '-';
}

TEST(Reactor, CallsWhoeverHasSomethingToRead) {
    Reactor reactor;
    const Pipe one = make_pipe();
    const Pipe two = make_pipe();
    std::string heard;
    const auto first =
        reactor.watch(one.read.get(), For::reading, [&] { heard += read_from(one); });
    const auto second =
        reactor.watch(two.read.get(), For::reading, [&] { heard += read_from(two); });
    write_to(two, "b");
    reactor.turn();
    EXPECT_EQ(heard, "b");
    write_to(one, "aa");
    reactor.run_until([&] { return heard.size() == 3; });
    EXPECT_EQ(heard, "baa");
}

TEST(Reactor, TellsThatTheOtherEndIsGone) {
    Reactor reactor;
    Pipe pipe = make_pipe();
    bool called = false;
    const auto watch = reactor.watch(pipe.read.get(), For::reading, [&] { called = true; });
    pipe.write.reset();
    reactor.turn();
    EXPECT_TRUE(called);
}

TEST(Reactor, WaitsForWritingOnlyWhenAsked) {
    Reactor reactor;
    const Pipe pipe = make_pipe();
    int calls = 0;
    bool late = false;
    const auto watch = reactor.watch(pipe.write.get(), For::reading, [&] { ++calls; });
    const auto timer = reactor.after(Duration::ms(10), [&] { late = true; });
    reactor.run_until([&] { return late; });
    EXPECT_EQ(calls, 0);
    watch.change(For::both);
    reactor.turn();
    EXPECT_EQ(calls, 1);
}

TEST(Reactor, WhatIsForgottenIsNotCalled) {
    Reactor reactor;
    const Pipe one = make_pipe();
    const Pipe two = make_pipe();
    int calls = 0;
    Reactor::Watch first;
    Reactor::Watch second;
    // Both are ready at once; whoever comes first forgets both, itself too.
    const auto forget_both = [&] {
        ++calls;
        first.reset();
        second.reset();
    };
    first = reactor.watch(one.read.get(), For::reading, forget_both);
    second = reactor.watch(two.read.get(), For::reading, forget_both);
    write_to(one, "a");
    write_to(two, "b");
    reactor.turn();
    EXPECT_EQ(calls, 1);
    bool late = false;
    const auto timer = reactor.after(Duration::ms(1), [&] { late = true; });
    reactor.run_until([&] { return late; });
    EXPECT_EQ(calls, 1);
}

TEST(Reactor, ANumberThatIsUsedAgainIsSomebodyElse) {
    Reactor reactor;
    const Pipe old = make_pipe();
    const Pipe fresh = make_pipe();
    const Pipe other = make_pipe();
    std::string heard;
    Reactor::Watch first;
    Reactor::Watch second;
    const auto third = reactor.watch(other.read.get(), For::reading, [&] {
        read_from(other);
        first.reset();
        ::dup2(fresh.read.get(), old.read.get());
        second = reactor.watch(old.read.get(), For::reading, [&] { heard += "new "; });
    });
    first = reactor.watch(old.read.get(), For::reading, [&] { heard += "old "; });
    write_to(other, "x");
    write_to(old, "x");
    reactor.turn();
    EXPECT_EQ(heard, "") << "what was there before, and is not now";
    write_to(fresh, "y");
    reactor.turn();
    EXPECT_EQ(heard, "new ");
}

TEST(Reactor, TimersComeOnceAndInOrder) {
    Reactor reactor;
    std::string heard;
    const auto second = reactor.after(Duration::ms(20), [&] { heard += 'b'; });
    const auto first = reactor.after(Duration::ms(1), [&] { heard += 'a'; });
    {
        const auto never = reactor.after(Duration::ms(5), [&] { heard += 'x'; });
    }
    reactor.run_until([&] { return heard.size() == 2; });
    EXPECT_EQ(heard, "ab");
}

TEST(Reactor, TimersThatAreLateComeInOrder) {
    Reactor reactor;
    std::string heard;
    const auto second = reactor.after(Duration::ms(2), [&] { heard += 'b'; });
    const auto first = reactor.after(Duration::ms(1), [&] { heard += 'a'; });
    const auto third = reactor.after(Duration::ms(3), [&] { heard += 'c'; });
    nap(Duration::ms(5));
    reactor.turn();
    EXPECT_EQ(heard, "abc");
}

TEST(Reactor, ATimerMaySetItselfAgain) {
    Reactor reactor;
    int calls = 0;
    Reactor::Timer timer;
    std::function<void()> again = [&] {
        ++calls;
        timer = reactor.after(Duration::ms(1), again);
    };
    timer = reactor.after(Duration::ms(1), again);
    reactor.run_until([&] { return calls == 3; });
}

TEST(Reactor, SomebodyLooksFirst) {
    Reactor reactor;
    const Pipe pipe = make_pipe();
    std::string heard;
    reactor.look_first([&] { heard += "first "; });
    const auto watch = reactor.watch(pipe.read.get(), For::reading, [&] {
        read_from(pipe);
        heard += "then ";
    });
    write_to(pipe, "a");
    reactor.turn();
    EXPECT_EQ(heard, "first then ");
}

TEST(Reactor, FilesAreAlwaysReady) {
    Reactor reactor;
    const Descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    int calls = 0;
    std::optional<Reactor::Watch> watch = reactor.watch(file.get(), For::reading, [&] { ++calls; });
    reactor.run_until([&] { return calls == 2; });
    watch.reset();
    bool late = false;
    const auto timer = reactor.after(Duration::ms(1), [&] { late = true; });
    reactor.run_until([&] { return late; });
    EXPECT_EQ(calls, 2);
}

TEST(Reactor, AChildTakesNothingFromItsParent) {
    Reactor reactor;
    const Pipe pipe = make_pipe();
    bool called = false;
    Reactor::Watch watch = reactor.watch(pipe.read.get(), For::reading, [&] { called = true; });
    const pid_t child = ::fork();
    if (child == 0) {
        reactor.forget_in_child();
        watch.reset();
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    write_to(pipe, "a");
    reactor.turn();
    EXPECT_TRUE(called);
}

}  // namespace
}  // namespace railyard
