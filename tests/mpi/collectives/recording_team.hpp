#pragma once
/// A team that only records, and does on another what it was told: so an algorithm is seen to work
/// when it runs before its data are there, and its memory to last.

#include <functional>
#include <vector>

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

class RecordingTeam final : public Team, private Recorder {
  public:
    explicit RecordingTeam(const Team& like)
        : Team(like.rank(), like.size(), like.circumstances(), like.algorithms(), like.nodes(),
               *this, memory_) {}

    void send(const ConstBuffer& data, int to) override {
        add([=](Team& team) { team.send(data, to); });
    }
    void receive(const Buffer& into, int from) override {
        add([=](Team& team) { team.receive(into, from); });
    }
    void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) override {
        add([=](Team& team) { team.exchange(out, to, in, from); });
    }
    void start_send(const ConstBuffer& data, int to) override {
        add([=](Team& team) { team.start_send(data, to); });
    }
    void start_receive(const Buffer& into, int from) override {
        add([=](Team& team) { team.start_receive(into, from); });
    }
    void wait_all() override {
        add([](Team& team) { team.wait_all(); });
    }
    void charge_bytes(std::size_t bytes) override {
        add([=](Team& team) { team.charge_bytes(bytes); });
    }

    void replay(Team& team) const {
        for (const auto& step : steps_)
            step(team);
    }

  private:
    void copy(const ConstBuffer& from, const Buffer& to) override {
        add([=](Team& team) { place(team, from, to); });
    }
    void combine(const Operation& operation, const ConstBuffer& in, const Buffer& inout) override {
        add([=, op = &operation](Team&) {
            op->apply(in.address, inout.address, inout.count, *inout.type);
        });
    }
    template <class Step>
    void add(Step&& step) {
        steps_.emplace_back(std::forward<Step>(step));
    }

    ScratchPool memory_{true};
    std::vector<std::function<void(Team&)>> steps_;
};

}  // namespace railyard::mpi
