#include "interconnects/quadrics/elan/memory_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::elan {

namespace {

Label label_of(const Label& given, bool is_write) {
    return given.text.empty() ? Label(is_write ? "write" : "read", given.dma) : given;
}

}  // namespace

MemoryPath::MemoryPath(sim::Engine& engine, const Parameters& parameters, std::uint32_t node)
    : engine_(engine),
      parameters_(parameters),
      block_on_bus_(Bytes(block_size) / parameters.internal_bus),
      pci_(engine),
      sdram_(engine),
      internal_(engine) {
    if (parameters.requests == 0)
        throw UsageError("an adapter that may ask no memory does nothing; allow it some requests");
    turns_.ends.resize(parameters.requests);
    for (const bool is_write : {false, true})
        for (const Home home : {Home::sdram, Home::main})
            block_in_memory_[is_write][static_cast<std::size_t>(home)] =
                in_memory(home, Bytes(block_size), is_write);
    if (sim::Trace* const trace = engine.trace()) {
        const std::string group = fmt::format("node {}", node);
        pci_lane_ = trace->lane(group, "PCI");
        sdram_lane_ = trace->lane(group, "SDRAM");
        internal_lane_ = trace->lane(group, "internal bus");
    }
}

void MemoryPath::Turns::note(Time begin, Time end) {
    begun = begin;
    const auto behind = [this](std::size_t i) { return i + 1 == ends.size() ? 0 : i + 1; };
    if (end >= ends[first == 0 ? ends.size() - 1 : first - 1]) {  // as most do
        ends[first] = end;
        first = behind(first);
        return;
    }
    if (end <= ends[first]) return;
    std::size_t place = first;
    for (; ends[behind(place)] < end; place = behind(place))
        ends[place] = ends[behind(place)];
    ends[place] = end;
}

Duration MemoryPath::in_memory(Home home, Bytes size, bool is_write) const {
    if (home == Home::sdram) return size / parameters_.sdram;
    const PciTimes& pci = parameters_.pci;
    return (is_write ? pci.write : pci.read) + size / pci.burst;
}

MemoryPath::Request MemoryPath::make(bool is_write, const Blocks& blocks) const {
    Request request;
    const bool is_block = blocks.size == Bytes(block_size);
    request.is_write = is_write;
    request.home = blocks.home;
    request.what = label_of(blocks.what, is_write);
    request.left = blocks.count;
    request.asked = engine_.now();
    request.on_bus = is_block ? block_on_bus_ : blocks.size / parameters_.internal_bus;
    request.in_memory = is_block ? block_in_memory_[is_write][static_cast<std::size_t>(blocks.home)]
                                 : in_memory(blocks.home, blocks.size, is_write);
    return request;
}

void MemoryPath::read(const Blocks& blocks, bool first, sim::Action done) {
    Request request = make(false, blocks);
    if (first && blocks.home == Home::main) request.extra = parameters_.pci.first_read;
    request.done = std::move(done);
    ask(std::move(request));
}

void MemoryPath::write(const Blocks& blocks, sim::Action issued, sim::Action done) {
    Request request = make(true, blocks);
    request.issued = std::move(issued);
    request.done = std::move(done);
    ask(std::move(request));
}

/// What can begin now does, and then all is known of it.
void MemoryPath::ask(Request&& request) {
    advance();
    if (waiting_.empty() && begin_blocks(request)) {
        engine_.schedule(request.end, std::move(request.done));
        if (request.issued) request.issued();
        return;
    }
    if (free_.empty()) {
        made_.push_back(std::make_unique<Request>());
        free_.push_back(made_.back().get());
    }
    Request& kept = *free_.back();
    free_.pop_back();
    kept = std::move(request);
    waiting_.push_back(&kept);
    if (plan_holds_) plan(kept);
    wait_for(kept);
}

/// All of it whose turn has come, at the time when it came. The internal bus carries the data while
/// the memory gives or takes them; a block is done when both are. False if some are left.
bool MemoryPath::begin_blocks(Request& request) {
    const bool sdram = request.home == Home::sdram;
    Resource& memory = sdram ? sdram_ : pci_;
    for (Time at = turns_.next(request); request.left > 0 && at <= engine_.now();) {
        Time on_bus = std::max(at, internal_.free_at());
        Time in_memory = std::max(at, memory.free_at()) + request.extra;
        unsigned count = 0;
        do {
            on_bus = on_bus + request.on_bus;
            in_memory = in_memory + request.in_memory;
            const Time end = std::max(on_bus, in_memory);
            request.end = std::max(request.end, end);
            turns_.note(at, end);
            // One more than ever are outstanding if that many end later.
            if (most_ < turns_.ends.size() && turns_.end_of(most_ + 1) > at) ++most_;
            ++count;
        } while (--request.left > 0 && turns_.next(request) == at);
        internal_.book(at, request.on_bus * count, request.what, internal_lane_);
        memory.book(at, request.in_memory * count + request.extra, request.what,
                    sdram ? sdram_lane_ : pci_lane_);
        request.extra = {};
        at = turns_.next(request);
    }
    return request.left == 0;
}

void MemoryPath::advance() {
    if (waiting_.empty()) return;
    auto first = waiting_.begin();
    while (first != waiting_.end() && begin_blocks(**first))
        ++first;
    waiting_.erase(waiting_.begin(), first);
    if (waiting_.empty()) plan_holds_ = false;
}

void MemoryPath::replan() {
    plan_.turns = turns_;
    plan_.memory = {sdram_.free_at(), pci_.free_at()};
    plan_.internal = internal_.free_at();
    plan_holds_ = true;
    for (Request* const request : waiting_)
        plan(*request);
}

/// As begin_blocks() will do.
void MemoryPath::plan(Request& request) {
    Time& memory = plan_.memory[static_cast<std::size_t>(request.home)];
    request.planned_end = request.end;
    Duration extra = request.extra;
    for (unsigned i = 0; i < request.left; ++i) {
        const Time at = plan_.turns.next(request);
        plan_.internal = std::max(at, plan_.internal) + request.on_bus;
        memory = std::max(at, memory) + request.in_memory + std::exchange(extra, Duration());
        const Time end = std::max(plan_.internal, memory);
        plan_.turns.note(at, end);
        request.planned_begin = at;
        request.planned_end = std::max(request.planned_end, end);
    }
}

void MemoryPath::wait_for(Request& request) {
    if (!plan_holds_) replan();
    engine_.schedule(request.issued ? request.planned_begin : request.planned_end,
                     [this, &request] { look_at(request); });
}

void MemoryPath::look_at(Request& request) {
    advance();
    if (request.left > 0) return wait_for(request);  // somebody came between
    sim::Action issued = std::move(request.issued);
    sim::Action done = std::move(request.done);
    free_.push_back(&request);
    const bool over = request.end <= engine_.now();
    if (!over) engine_.schedule(request.end, std::move(done));
    if (issued) issued();
    if (over) done();
}

void MemoryPath::host_access(Bytes size, bool read, sim::Action done) {
    advance();
    plan_holds_ = false;
    const PciTimes& pci = parameters_.pci;
    const Duration work = size / pci.burst + (read ? pci.read + pci.first_read : Duration());
    pci_.use(work, Label(read ? "host reads" : "host writes"), pci_lane_, std::move(done));
}

void MemoryPath::fill(Duration work, sim::Action done) {
    advance();
    plan_holds_ = false;
    sdram_.use(work, "fill", sdram_lane_, std::move(done));
}

}  // namespace railyard::elan
