#pragma once
/// Some ranks of a team as a team of their own.

#include <utility>

#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

/// `in_whole` says which rank of the whole team a rank of this one is.
template <class InWhole>
class Subteam final : public Team {
  public:
    Subteam(Team& whole, int rank, int size, const Circumstances& circumstances, InWhole in_whole)
        : Team(rank, size, circumstances, whole), whole_(whole), in_whole_(std::move(in_whole)) {}
    ~Subteam() override {
        if (disagreed()) whole_.note_disagreement();
    }

    void send(const ConstBuffer& data, int to) override { whole_.send(data, in_whole_(to)); }
    void receive(const Buffer& into, int from) override { whole_.receive(into, in_whole_(from)); }
    void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) override {
        whole_.exchange(out, in_whole_(to), in, in_whole_(from));
    }
    void start_send(const ConstBuffer& data, int to) override {
        whole_.start_send(data, in_whole_(to));
    }
    void start_receive(const Buffer& into, int from) override {
        whole_.start_receive(into, in_whole_(from));
    }
    void wait_all() override { whole_.wait_all(); }
    void charge_bytes(std::size_t bytes) override { whole_.charge_bytes(bytes); }

  private:
    Team& whole_;
    InWhole in_whole_;
};

}  // namespace railyard::mpi
