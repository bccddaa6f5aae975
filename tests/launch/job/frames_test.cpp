#include "launch/job/frames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"

namespace railyard::job {
namespace {

using Frame = std::pair<FrameKind, std::string>;

std::string written(const std::vector<Frame>& frames) {
    Pipe pipe = make_pipe();
    for (const auto& [kind, payload] : frames)
        write_frame(pipe.write.get(), kind, payload);
    pipe.write.reset();
    std::string all(1000, '\0');
    const ssize_t n = ::read(pipe.read.get(), all.data(), all.size());
    all.resize(static_cast<std::size_t>(n));
    return all;
}

TEST(Frames, ComeBackFromPiecesOfAnySize) {
    const std::vector<Frame> frames = {{FrameKind::delivery, "one"},
                                       {FrameKind::delivery, ""},
                                       {FrameKind::exception, "it broke"},
                                       {FrameKind::delivery, std::string(200, 'x')}};
    const std::string stream = written(frames);
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        FrameReader reader;
        std::vector<Frame> got;
        for (std::size_t at = 0; at < stream.size(); at += piece)
            reader.feed(std::string_view(stream).substr(at, piece),
                        [&](FrameKind kind, std::string payload) {
                            got.emplace_back(kind, std::move(payload));
                        });
        EXPECT_EQ(got, frames) << "in pieces of " << piece;
    }
}

TEST(Frames, AnUnfinishedOneIsNotTaken) {
    const std::string stream =
        written({{FrameKind::delivery, "whole"}, {FrameKind::delivery, "cut"}});
    FrameReader reader;
    std::vector<std::string> got;
    reader.feed(std::string_view(stream).substr(0, stream.size() - 1),
                [&](FrameKind, std::string payload) { got.push_back(std::move(payload)); });
    EXPECT_THAT(got, ::testing::ElementsAre("whole"));
}

TEST(Frames, AWriterWaitsForItsReader) {
    Pipe pipe = make_pipe();
    const std::string big(1 << 20, 'b');
    std::thread writer([&] { write_frame(pipe.write.get(), FrameKind::delivery, big); });
    FrameReader reader;
    std::string got;
    std::string buffer(10'000, '\0');
    while (got.empty()) {
        const ssize_t n = ::read(pipe.read.get(), buffer.data(), buffer.size());
        if (n > 0)
            reader.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)),
                        [&](FrameKind, std::string payload) { got = std::move(payload); });
    }
    writer.join();
    EXPECT_EQ(got, big);
}

TEST(Frames, AnAbortSaysItsCodeAndWhy) {
    const AbortFrame frame = read_abort(abort_payload(-7, "enough"));
    EXPECT_EQ(frame.code, -7);
    EXPECT_EQ(frame.why, "enough");
    EXPECT_EQ(read_abort(abort_payload(3, "")).why, "");
    // What is cut short still ends the job with a failure.
    EXPECT_EQ(read_abort("ab").code, 1);
}

}  // namespace
}  // namespace railyard::job
