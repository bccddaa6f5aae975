/// What every Nic says of itself, and that a rank may have several.

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using namespace railyard::literals;

class NicBasics : public Contract {};

TEST_P(NicBasics, traits_make_sense) {
    const fabric::Traits& t = traits();
    EXPECT_EQ(t.name, GetParam().fabric);
    EXPECT_FALSE(t.description.empty());
    EXPECT_GE(t.ports, 1u);
    EXPECT_GE(t.max_message, 1_MiB);
    EXPECT_GE(t.max_slices, 1u);
    EXPECT_GE(t.max_send_depth, 128u) << "the default of QueuePairOptions";
    EXPECT_GE(t.max_queue_pairs, 16u);
    EXPECT_LE(t.max_inline, t.max_message);
    run(1, [](Team& team) {
        const fabric::Traits& found = team.nic().traits();
        const fabric::Traits* listed = find_fabric(found.name);
        check(listed != nullptr, "the fabric is listed");
        check(found.clock == listed->clock && found.placement == listed->placement &&
                  found.max_message == listed->max_message &&
                  found.max_inline == listed->max_inline && found.max_slices == listed->max_slices,
              "a Nic says of itself what the registry says of its fabric");
        check((team.nic().tagged_port() != nullptr) == found.tagged, "a tagged port as Traits say");
        check(&team.nic().host() == &team.host(), "the Nic stands on its rank's host");
        check(&team.nic() == &team.rank().nic(), "a rank's Nic is opened once");
    });
}

/// The launcher says which rank is on which node; ranks of one node share its adapter.
TEST_P(NicBasics, ranks_of_one_node_and_of_several) {
    const auto each_with_each = [](Team& team) {
        std::vector<std::unique_ptr<Endpoint>> ends;
        for (int low = 0; low < team.size(); ++low)
            for (int high = low + 1; high < team.size(); ++high) {
                const fabric::Discriminator discriminator = team.fresh();
                if (team.id() != low && team.id() != high) continue;
                ends.push_back(std::make_unique<Endpoint>(team));
                Endpoint& end = *ends.back();
                end.receive(1);
                end.connect(team.id() == low ? high : low, discriminator);
                end.post({.id = 1});
                end.expect_received(1, 0);
                end.expect_sent(1);
            }
        team.barrier();
    };
    run_on({0, 0}, each_with_each);
    if (traits().crosses_nodes) run_on({0, 1, 0, 1}, each_with_each);
}

TEST_P(NicBasics, addresses_tell_nics_apart) {
    run(3, [](Team& team) {
        const auto other = team.open_another();
        std::vector<fabric::Address> all = team.gather(team.nic().address());
        for (const fabric::Address& address : team.gather(other->address()))
            all.push_back(address);
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                check(all[i] != all[j], "no two are the same");
        team.barrier();
    });
}

TEST_P(NicBasics, several_nics_of_both_ranks_at_work) {
    run(2, [](Team& team) {
        std::vector<std::unique_ptr<fabric::Nic>> nics;
        std::vector<std::unique_ptr<Endpoint>> ends;
        for (int i = 0; i < 3; ++i) {
            nics.push_back(team.open_another());
            const auto addresses = team.gather(nics.back()->address());
            ends.push_back(
                std::make_unique<Endpoint>(team, EndpointOptions{.nic = nics.back().get()}));
            ends.back()->connect(addresses[team.id() == 0 ? 1 : 0], 1);
        }
        for (const auto& end : ends) {
            end->receive(1);
            end->post({.id = 1});
            end->expect_received(1, 0);
            end->expect_sent(1);
        }
        team.barrier();
    });
}

TEST_P(NicBasics, regions_know_what_they_are) {
    run(1, [](Team& team) {
        std::vector<std::byte> memory(1000);
        const auto user = team.nic().register_memory(memory, fabric::Access::remote_read);
        check(user->data() == memory.data(), "a region of user memory is where the memory is");
        check_equal(user->size(), 1000_B, "its size");
        check(user->access() == fabric::Access::remote_read, "its rights");
        const auto own = team.nic().allocate(1000_B, fabric::Access::all);
        check_equal(own->size(), 1000_B, "size of allocated memory");
        check(reinterpret_cast<std::uintptr_t>(own->data()) % alignof(std::max_align_t) == 0,
              "aligned for any use");
        const auto imported = team.nic().import_region(own->export_blob());
        check_equal(imported->size(), 1000_B, "size of an imported region");
    });
}

/// Names are plain bytes: they may be imported before there is a connection.
TEST_P(NicBasics, regions_are_imported_before_connecting) {
    run(2, [](Team& team) {
        for (const Memory memory : memories) {
            Buffer mine(team.nic(), 500, memory), out(team.nic(), 500);
            const auto remote = team.swap(mine.region());
            out.fill(seed_of(team.id(), 1));
            Endpoint end(team);
            end.connect(team.peer());
            end.write(1, out.slice(), Buffer::at(*remote), fabric::Flags::remote_completion);
            end.expect_sent(1);
            team.barrier();
            mine.check(500, seed_of(team.peer(), 1), "a write by a name imported early");
            team.barrier();
        }
    });
}

/// Memory comes and goes without the fabric running out of anything.
TEST_P(NicBasics, regions_and_queues_made_and_ended_many_times) {
    const int turns = rounds(2000);
    run(1, [=](Team& team) {
        std::vector<std::byte> memory(4096);
        for (int turn = 0; turn < turns; ++turn) {
            const auto user = team.nic().register_memory(memory, fabric::Access::all);
            const auto own = team.nic().allocate(64_KiB, fabric::Access::all);
            if (turn % 20 == 0) Endpoint unused(team);
        }
    });
}

RAILYARD_CONTRACT(NicBasics);

}  // namespace
}  // namespace railyard::contract
