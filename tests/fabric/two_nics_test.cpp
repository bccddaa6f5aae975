/// One rank that waits on two Nics at once, of two fabrics if there are two of the same clock.

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;
using fabric::Wait;
using namespace railyard::literals;

class TwoNics : public Contract {
  protected:
    std::string other_fabric() const {
        for (const fabric::Traits& other : railyard::fabrics())
            if (other.clock == traits().clock && other.name != traits().name) return other.name;
        return traits().name;
    }
};

TEST_P(TwoNics, one_wait_hears_both) {
    const std::string other = other_fabric();
    run(2, [&](Team& team) {
        const auto nic = team.rank().open(other);
        const auto addresses = team.gather(nic->address());
        check(&nic->host() == &team.host(), "both Nics stand on the same host");
        Endpoint first(team), second(team, {.nic = nic.get()});
        first.connect(team.peer());
        second.connect(addresses[team.id() == 0 ? 1 : 0], 1);
        Endpoint* ends[] = {&first, &second};
        for (Endpoint* end : ends)
            for (std::uint64_t i = 0; i < 8; ++i)
                end->receive(i);
        for (int turn = 0; turn < 12; ++turn) {
            const int which = turn % 3 == 0 ? 0 : 1;
            team.barrier();
            if (team.id() == sender) {
                if (turn < 4) team.pause(10_ms);  // the other is asleep
                ends[which]->post({.flags = Flags::unsignalled});
            } else {
                fabric::Completion done;
                int heard = -1;
                team.await(
                    [&] {
                        for (int i : {0, 1})
                            if (heard < 0 && ends[i]->received_queue().poll(done)) heard = i;
                        return heard >= 0;
                    },
                    "a message on either Nic", Where::current(),
                    turn % 2 == 0 ? Wait::sleep : Wait::spin_then_sleep);
                check_equal(heard, which, "the Nic that heard");
                ends[which]->receive(9);
            }
        }
        team.barrier();
    });
}

RAILYARD_CONTRACT(TwoNics);

}  // namespace
}  // namespace railyard::contract
