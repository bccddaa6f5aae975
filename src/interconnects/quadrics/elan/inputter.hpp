#pragma once
/// The inputter: judges the transactions that come in from the network, carries them out, and lets
/// the acknowledgment go when the last one has been taken over. Takes each parcel once, however
/// often it comes (FA-8).

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/lazy_queue.hpp"
#include "interconnects/quadrics/elan/dma_engine.hpp"
#include "interconnects/quadrics/elan/events.hpp"
#include "interconnects/quadrics/elan/serials.hpp"

namespace railyard::elan {

class Inputter final : private Mover {
  public:
    /// Who sends the token back.
    class Answers {
      public:
        virtual ~Answers() = default;
        /// Once for each arrival.
        virtual void answer(const Arrival& arrival, Verdict verdict) = 0;
    };

    Inputter(Chip& chip, Events& events, DmaEngine& dma, Answers& answers)
        : chip_(chip), events_(events), dma_(dma), answers_(answers) {}

    void take(const ParcelHandle& parcel, const elite::Delivery& delivery);
    /// One that went no way.
    void take_from_here(const ParcelHandle& parcel);
    std::uint64_t duplicates() const { return duplicates_; }
    /// Told of each; may be empty.
    std::function<void()> on_duplicate;
    std::uint64_t taken() const { return taken_; }

  private:
    void checked(const MoveHandle& move, Verdict verdict) override;
    void issued(const MoveHandle& move) override;
    void moved(const MoveHandle& move, Verdict verdict) override;

    ArrivalHandle arrival_of(const ParcelHandle& parcel, elite::NodeId from);
    void begin(const ArrivalHandle& arrival);
    void judge(const ArrivalHandle& arrival);
    Context* find_context(const Parcel& parcel) const;
    void accept(Arrival& arrival);
    void refuse(const Arrival& arrival, Verdict verdict);
    void lose(const Arrival& arrival);
    void carry_out(const ArrivalHandle& arrival);
    void write(const ArrivalHandle& arrival);
    void end_of_dma(const ArrivalHandle& arrival);
    void set_due_events();
    void enqueue(const ArrivalHandle& arrival);
    void read_request(const ArrivalHandle& arrival);
    void set_event(const ArrivalHandle& arrival);
    void test(const ArrivalHandle& arrival);

    Chip& chip_;
    Events& events_;
    DmaEngine& dma_;
    Answers& answers_;
    std::unordered_map<elite::NodeId, KnownSerials> known_;  ///< by source; looked up only
    std::vector<std::uint64_t> writing_;  ///< writes that are not in place yet, sorted: few
    LazyQueue<ArrivalHandle> due_;        ///< events behind writes
    std::uint64_t writes_ = 0;
    std::uint64_t duplicates_ = 0;
    std::uint64_t taken_ = 0;
};

}  // namespace railyard::elan
