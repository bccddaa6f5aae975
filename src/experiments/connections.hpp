#pragma once
/// What the experiments with many connections have in common: they go through numbers of
/// connections, and every connection writes from a slot of its own into a slot of its own.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/bundle.hpp"
#include "experiments/experiment.hpp"

namespace railyard::experiments {

/// 1, 2, 4 … 256, as far as the fabric goes; only some of them for a first look.
std::vector<unsigned> connection_counts(Context& context);

/// Messages of one size, one a connection.
class Slots {
  public:
    Slots(Bundle& bundle, Bytes size);
    Slots(const Slots&) = delete;  // requests point into this object
    Slots& operator=(const Slots&) = delete;

    /// What a bundle of so many connections needs for messages of up to that size.
    static Bytes buffer(unsigned connections, Bytes largest);

    std::size_t count() const { return requests_.size(); }
    fabric::WorkRequest& request(std::size_t connection) { return requests_[connection]; }
    /// The last byte of what is sent next, and of what comes.
    std::byte& out(std::size_t connection) {
        return sources_[connection].data()[size_.count() - 1];
    }
    std::byte* in(std::size_t connection) const {
        return bundle_.target().data() + (connection * stride(size_) + size_).count() - 1;
    }

  private:
    /// Slots share no cache line.
    static Bytes stride(Bytes size) { return (size + Bytes(127)) / 128 * 128; }

    Bundle& bundle_;
    Bytes size_;
    std::vector<fabric::Slice> sources_;
    std::vector<fabric::WorkRequest> requests_;
};

/// {message_bytes, op, memory, connections}
results::Parameters connection_parameters(const Context& context, Bytes size,
                                          std::size_t connections);

/// Calls `measure(bundle, slots, size, key)` for each number of connections and each size; `key` is
/// unique in the job. A connection holds up to `sends` requests.
void for_connections(
    Context& context, std::string_view tag, unsigned sends,
    const std::function<void(Bundle&, Slots&, Bytes, const std::string&)>& measure);

}  // namespace railyard::experiments
