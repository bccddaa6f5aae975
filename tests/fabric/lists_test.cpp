/// Gather and scatter lists, inline data, and several requests in one post.

#include <algorithm>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;
using fabric::Op;
using fabric::Slice;
using fabric::WorkRequest;
using namespace railyard::literals;

class Lists : public Contract {};

/// Memory of both kinds, cut into pieces of uneven lengths, empty ones among them.
class Pieces {
  public:
    Pieces(Team& team, std::size_t count, std::size_t step)
        : user_(team.nic(), count * (step + 40), Memory::user),
          nic_(team.nic(), count * (step + 40), Memory::nic) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t n = i % 4 == 2 ? 0 : step + 13 * (i % 3);
            slices_.push_back((i % 2 == 0 ? user_ : nic_).slice(at, n));
            at += n + 3;  // a gap that must not travel, and must not be filled
            total_ += n;
        }
    }
    std::span<const Slice> slices() const { return slices_; }
    std::size_t total() const { return total_; }

    void spread(std::uint64_t seed) const {
        std::vector<std::byte> all(total_);
        fill_pattern(all, seed);
        auto from = all.begin();
        for (const Slice& slice : slices_) {
            const auto n = static_cast<std::ptrdiff_t>(slice.length.count());
            std::copy(from, from + n, slice.data());
            from += n;
        }
    }
    void blank() const {
        user_.blank();
        nic_.blank();
    }
    /// The first `n` bytes of the pieces hold the pattern; the rest, and the gaps, are blank.
    void check(std::size_t n, std::uint64_t seed, std::string_view what) const {
        std::vector<std::byte> all;
        std::vector<std::byte> expected(total_, Buffer::untouched);
        fill_pattern(std::span(expected).first(n), seed);
        for (const Slice& slice : slices_)
            all.insert(all.end(), slice.data(), slice.data() + slice.length.count());
        contract::check(all == expected, std::string(what) + ": bytes differ");
        for (const Slice& slice : slices_)
            std::fill_n(slice.data(), slice.length.count(), Buffer::untouched);
        user_.check_blank(user_.size(), std::string(what) + ", between the pieces");
        nic_.check_blank(nic_.size(), std::string(what) + ", between the pieces");
    }

  private:
    Buffer user_, nic_;
    std::vector<Slice> slices_;
    std::size_t total_ = 0;
};

TEST_P(Lists, gathered_from_and_scattered_into_as_many_slices_as_traits_allow) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        const std::size_t most = std::min<std::size_t>(team.traits().max_slices, 64);
        std::uint64_t id = 0;
        for (const std::size_t out_count : {std::size_t{1}, most})
            for (const std::size_t step : {5, 700, 40'000}) {
                const Pieces out(team, out_count, step), in(team, most, step);
                const std::size_t n = std::min(out.total(), in.total());
                out.spread(seed_of(team.id(), ++id));
                in.blank();
                check_ok(end.receive_queue().post({id, in.slices()}), "scattered receive");
                team.barrier();
                WorkRequest request;
                request.id = id;
                request.local = out.slices();
                end.post(request);
                end.expect_sent(id);
                end.expect_received(id, out.total());
                in.check(n, seed_of(team.peer(), id), "scattered message");
                team.barrier();
            }
    });
}

TEST_P(Lists, rdma_gathers_writes_and_scatters_reads) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        const std::size_t most = std::min<std::size_t>(team.traits().max_slices, 64);
        for (const std::size_t step : {5, 700, 40'000}) {
            const Pieces out(team, most, step), in(team, most, step);
            Buffer target(team.nic(), out.total());
            const auto remote = team.swap(target.region());
            out.spread(seed_of(team.id(), step));
            in.blank();
            team.barrier();
            WorkRequest request;
            request.id = 1;
            request.op = Op::rdma_write;
            request.flags = Flags::remote_completion;
            request.local = out.slices();
            request.remote = Buffer::at(*remote);
            end.post(request);
            end.expect_sent(1);
            team.barrier();
            target.check(out.total(), seed_of(team.peer(), step), "gathered write");
            request.id = 2;
            request.op = Op::rdma_read;
            request.flags = Flags::none;
            request.local = in.slices();
            end.post(request);
            check_equal(end.expect_sent(2).length, Bytes(in.total()), "bytes read");
            in.check(in.total(), seed_of(team.id(), step), "scattered read");
            team.barrier();
        }
    });
}

TEST_P(Lists, inline_data_are_copied_before_post_returns) {
    if (traits().max_inline == 0_B) GTEST_SKIP() << "no inline data on this fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        const std::size_t most = team.traits().max_inline.count();
        Buffer in(team.nic(), most), target(team.nic(), most);
        const auto remote = team.swap(target.region());
        for (const Op op : {Op::send, Op::rdma_write, Op::rdma_write_imm})
            for (const std::size_t n : {std::size_t{0}, std::size_t{1}, most / 2, most}) {
                if (op == Op::rdma_write_imm && !team.traits().write_immediate) continue;
                in.blank();
                target.blank();
                if (op != Op::rdma_write) end.receive(n, in.slice());
                team.barrier();
                std::vector<std::byte> bytes(n);
                fill_pattern(bytes, seed_of(team.id(), n));
                WorkRequest request;
                request.id = n;
                request.op = op;
                request.flags = Flags::inlined | Flags::remote_completion;
                request.bytes = bytes;
                if (op != Op::send) request.remote = Buffer::at(*remote);
                end.post(request);
                std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
                end.expect_sent(n);
                if (op != Op::rdma_write) end.expect_received(n, n);
                team.barrier();
                const Buffer& filled = op == Op::send ? in : target;
                filled.check(n, seed_of(team.peer(), n), "inline " + show(op));
                team.barrier();
            }
    });
}

TEST_P(Lists, several_requests_in_one_post_keep_their_order) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        constexpr std::size_t count = 48, length = 300;
        Buffer out(team.nic(), count * length), in(team.nic(), count * length);
        Buffer target(team.nic(), count * length);
        const auto remote = team.swap(target.region());
        out.fill(seed_of(team.id(), 1));
        for (std::size_t i = 0; i < count; i += 2)
            end.receive(i, in.slice(i * length, length));
        team.barrier();

        std::vector<Slice> slices;
        std::vector<WorkRequest> requests(count);
        for (std::size_t i = 0; i < count; ++i)
            slices.push_back(out.slice(i * length, length));
        for (std::size_t i = 0; i < count; ++i) {
            requests[i].id = i;
            requests[i].op = i % 2 == 0 ? Op::send : Op::rdma_write;
            requests[i].local = std::span(slices).subspan(i, 1);
            if (i % 2 == 1) requests[i].remote = Buffer::at(*remote, i * length);
        }
        std::span<const WorkRequest> rest = requests;
        team.await(
            [&] {
                rest = rest.subspan(end.queue_pair().post(rest).count);
                return rest.empty();
            },
            "all requests to be taken");
        for (std::size_t i = 0; i < count; ++i)
            end.expect_sent(i);
        for (std::size_t i = 0; i < count; i += 2)
            end.expect_received(i, length);
        end.write(count, out.slice(0, 0), Buffer::at(*remote), Flags::remote_completion);
        end.expect_sent(count);  // what was written before it is in place as well
        team.barrier();
        std::vector<std::byte> expected(count * length);
        fill_pattern(expected, seed_of(team.peer(), 1));
        for (std::size_t i = 0; i < count; ++i) {
            const Buffer& filled = i % 2 == 0 ? in : target;
            check(std::ranges::equal(filled.data(i * length, length),
                                     std::span(expected).subspan(i * length, length)),
                  "request " + std::to_string(i) + " of one post");
        }
        team.barrier();
    });
}

TEST_P(Lists, a_post_of_nothing_is_fine) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        const fabric::QueuePair::Posted posted =
            end.queue_pair().post(std::span<const WorkRequest>{});
        check_equal(posted.count, 0, "requests taken");
        check_ok(posted.status, "a post of nothing");
        check_alive(team, end);
        team.barrier();
    });
}

RAILYARD_CONTRACT(Lists);

}  // namespace
}  // namespace railyard::contract
