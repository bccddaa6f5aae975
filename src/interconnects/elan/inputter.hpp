#pragma once
/// The inputter: judges the transactions that come in from the network, carries them out, and lets
/// the acknowledgment go when the last one has been taken over. Takes each parcel once, however
/// often it comes (FA-8).

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "interconnects/elan/dma_engine.hpp"
#include "interconnects/elan/events.hpp"

namespace railyard::elan {

class Inputter {
  public:
    using Answer = std::function<void(Verdict)>;

    Inputter(Chip& chip, Events& events, DmaEngine& dma)
        : chip_(chip), events_(events), dma_(dma) {}

    /// `answer` is called once.
    void take(const std::shared_ptr<Parcel>& parcel, elite::NodeId from, Answer answer);
    std::uint64_t duplicates() const { return duplicates_; }
    std::uint64_t taken() const { return taken_; }

  private:
    struct Arrival {
        std::shared_ptr<Parcel> parcel;
        elite::NodeId from = 0;
        Answer answer;
        Context* context = nullptr;
        bool looked_up = false;  ///< its event
    };
    using ArrivalPointer = std::shared_ptr<Arrival>;

    void judge(const ArrivalPointer& arrival);
    Context* find_context(const Parcel& parcel) const;
    void accept(const ArrivalPointer& arrival);
    void refuse(const ArrivalPointer& arrival, Verdict verdict);
    void carry_out(const ArrivalPointer& arrival);
    void write(const ArrivalPointer& arrival);
    void end_of_dma(const ArrivalPointer& arrival);
    void placed(std::uint64_t write, const ArrivalPointer& arrival);
    void set_due_events();
    void enqueue(const ArrivalPointer& arrival);
    void read_request(const ArrivalPointer& arrival);
    void set_event(const ArrivalPointer& arrival);
    void test(const ArrivalPointer& arrival);

    Chip& chip_;
    Events& events_;
    DmaEngine& dma_;
    /// By source and serial: taken, or still being judged. Sources are looked up only.
    std::unordered_map<elite::NodeId, std::map<std::uint64_t, bool>> known_;
    std::set<std::uint64_t> writing_;  ///< writes that are not in place yet
    std::deque<std::pair<std::uint64_t, ArrivalPointer>> due_;  ///< events behind writes
    std::uint64_t writes_ = 0;
    std::uint64_t duplicates_ = 0;
    std::uint64_t taken_ = 0;
};

}  // namespace railyard::elan
