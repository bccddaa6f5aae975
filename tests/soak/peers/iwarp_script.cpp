#include "soak/peers/iwarp_script.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "interconnects/real/iwarp/hello.hpp"

namespace railyard::iwarp::testing {

namespace {

using rdmap::Opcode;
using soak::Draw;

Buffer random_bytes(Draw& draw, std::size_t n) {
    Buffer bytes(n);
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(draw.next());
    return bytes;
}

std::size_t below(Draw& draw, std::size_t n) {
    return static_cast<std::size_t>(draw.below(static_cast<int>(n)));
}

Buffer untagged_segment(Opcode opcode, ddp::Queue queue, std::uint32_t msn, std::uint32_t mo,
                        bool last, std::span<const std::byte> payload, std::uint32_t word = 0) {
    ddp::Header header;
    header.ulp_control = rdmap::to_byte(opcode);
    header.queue = static_cast<std::uint32_t>(queue);
    header.msn = msn;
    header.mo = mo;
    header.last = last;
    header.ulp_word = word;
    return segment(header, payload);
}

Buffer tagged_segment(Opcode opcode, std::uint32_t stag, std::uint64_t to, bool last,
                      std::span<const std::byte> payload) {
    ddp::Header header;
    header.tagged = true;
    header.ulp_control = rdmap::to_byte(opcode);
    header.stag = stag;
    header.to = to;
    header.last = last;
    return segment(header, payload);
}

/// Puts ULPDUs into frames, as the two have agreed.
class Frames {
  public:
    explicit Frames(mpa::Framing framing)
        : storage_(std::make_unique<Outbox::Storage>()), framer_(framing) {
        out_.lend(*storage_);
    }
    Buffer operator()(Buffer ulpdu) {
        const std::size_t head = std::min<std::size_t>(ulpdu.size(), 14);
        const std::array<Place, 1> places = {
            Place{ulpdu.data() + head, ulpdu.size() - head, Lease()}};
        Cursor payload(places);
        framer_.frame(out_, std::span(ulpdu).first(head), payload, ulpdu.size() - head);
        return drain(out_);
    }

  private:
    std::unique_ptr<Outbox::Storage> storage_;
    Outbox out_;
    mpa::Framer framer_;
};

class Author {
  public:
    Author(std::uint64_t seed, const Victim& victim, const Buffer& memory)
        : draw_(seed), victim_(victim) {
        script_.memory = memory;
    }

    Script write() {
        script_.is_legal = script_.is_answered = true;
        ask();
        if (is_enhanced_) ulpdus_.push_back(tagged_segment(Opcode::write, 0, 0, true, {}));
        for (int n = draw_.below(9); n > 0; --n)
            add_operation();
        const int spoil = draw_.below(3) == 0 ? -1 : draw_.below(10);
        if (spoil >= 0) script_.is_legal = false;
        if (spoil >= 0 && spoil < 5) spoil_segments(spoil);
        Frames frame({.crc = crc_, .markers = victim_.wants_markers});
        for (Buffer& ulpdu : ulpdus_)
            script_.frames.push_back(frame(std::move(ulpdu)));
        if (spoil >= 5) spoil_bytes(spoil);
        if (draw_.one_in(4)) script_.piece = 1 + below(draw_, 40);
        script_.end = static_cast<Script::End>(draw_.below(3));
        script_.stays = !script_.is_legal && draw_.one_in(4);
        return std::move(script_);
    }

  private:
    void ask() {
        const bool is_stranger = victim_.takes_strangers && draw_.one_in(2);
        mpa::StartupFrame request;
        request.crc = draw_.one_in(2);
        crc_ = request.crc || victim_.wants_crc;
        is_enhanced_ = !is_stranger || draw_.one_in(2);
        if (is_enhanced_)
            request.enhanced =
                mpa::Enhanced{.peer_to_peer = true,
                              .rtr = {.send = false, .write = true, .read = true},
                              .ird = static_cast<std::uint16_t>(draw_.below(64)),
                              .ord = static_cast<std::uint16_t>(1 + draw_.below(16))};
        else
            request.revision = 1;
        Buffer data;
        if (!is_stranger) {
            Hello hello;
            hello.target = victim_.service;
            hello.key = victim_.name.key();
            data.resize(Hello::size);
            hello.write(data.data());
        }
        append(data, random_bytes(draw_, below(draw_, 100)));
        request.set_private_data(data);
        script_.request.resize(mpa::longest_startup);
        script_.request.resize(request.write(script_.request.data()));
    }

    // ---- what is legal

    void add_operation() {
        switch (draw_.below(6)) {
            case 0:
            case 1:
                add_send();
                break;
            case 2:
                add_write();
                break;
            case 3:
                add_read();
                break;
            case 4:
                add_atomic();
                break;
            default:
                add_immediate();
                break;
        }
    }

    /// One to three parts of `bytes`, as (offset, length).
    std::vector<std::pair<std::size_t, std::size_t>> parts(std::size_t bytes) {
        std::vector<std::pair<std::size_t, std::size_t>> all;
        std::size_t at = 0;
        for (int n = draw_.below(3); n > 0 && at < bytes; --n) {
            const std::size_t length = 1 + below(draw_, bytes - at);
            if (at + length == bytes) break;
            all.emplace_back(at, length);
            at += length;
        }
        all.emplace_back(at, bytes - at);
        return all;
    }

    void add_send() {
        const Buffer bytes = random_bytes(draw_, below(draw_, longest_arrival + 1));
        const Opcode opcode = draw_.one_in(2) ? Opcode::send : Opcode::send_solicited;
        ++sends_;
        for (const auto& [at, length] : parts(bytes.size()))
            ulpdus_.push_back(untagged_segment(
                opcode, ddp::Queue::send, sends_, static_cast<std::uint32_t>(at),
                at + length == bytes.size(), std::span(bytes).subspan(at, length)));
        script_.arrivals.push_back({bytes, {}});
    }

    void add_write() {
        const std::size_t to = below(draw_, script_.memory.size());
        const Buffer bytes = random_bytes(
            draw_, below(draw_, std::min<std::size_t>(300, script_.memory.size() - to)));
        for (const auto& [at, length] : parts(bytes.size()))
            ulpdus_.push_back(
                tagged_segment(Opcode::write, victim_.open.stag, victim_.open.offset + to + at,
                               at + length == bytes.size(), std::span(bytes).subspan(at, length)));
        std::ranges::copy(bytes, script_.memory.begin() + static_cast<std::ptrdiff_t>(to));
    }

    Buffer read_request(std::uint32_t stag, std::uint64_t to, std::uint32_t length) {
        Buffer body(rdmap::ReadRequest::size);
        rdmap::write(body.data(), rdmap::ReadRequest{.sink_stag = 5,
                                                     .sink_to = 0,
                                                     .length = length,
                                                     .source_stag = stag,
                                                     .source_to = to});
        return untagged_segment(Opcode::read_request, ddp::Queue::request, ++requests_, 0, true,
                                body);
    }

    void add_read() {
        const std::size_t from = below(draw_, script_.memory.size());
        const std::size_t length =
            below(draw_, std::min<std::size_t>(300, script_.memory.size() - from));
        ulpdus_.push_back(read_request(victim_.open.stag, victim_.open.offset + from,
                                       static_cast<std::uint32_t>(length)));
        const auto at = script_.memory.begin() + static_cast<std::ptrdiff_t>(from);
        script_.answers.emplace_back(at, at + static_cast<std::ptrdiff_t>(length));
    }

    Buffer atomic_request(const rdmap::AtomicRequest& request) {
        Buffer body(rdmap::AtomicRequest::size);
        rdmap::write(body.data(), request);
        return untagged_segment(Opcode::atomic_request, ddp::Queue::request, ++requests_, 0, true,
                                body);
    }

    void add_atomic() {
        const std::size_t at = below(draw_, script_.memory.size() / 8) * 8;
        rdmap::AtomicRequest request;
        request.op = draw_.one_in(2) ? rdmap::AtomicOp::fetch_add : rdmap::AtomicOp::compare_swap;
        request.id = static_cast<std::uint32_t>(draw_.next());
        request.stag = victim_.open.stag;
        request.to = victim_.open.offset + at;
        request.operand = draw_.next();
        request.operand_mask = request.op == rdmap::AtomicOp::fetch_add ? 0 : ~std::uint64_t{};
        request.compare = draw_.next();
        ulpdus_.push_back(atomic_request(request));
        alignas(8) std::array<std::byte, 8> word;
        std::memcpy(word.data(), script_.memory.data() + at, word.size());
        const std::uint64_t original = rdmap::carry_out(request, word.data());
        std::memcpy(script_.memory.data() + at, word.data(), word.size());
        Buffer answer(rdmap::AtomicResponse::size);
        rdmap::write(answer.data(), rdmap::AtomicResponse{request.id, original});
        script_.answers.push_back(std::move(answer));
    }

    void add_immediate() {
        Buffer body(rdmap::Immediate::size);
        const rdmap::Immediate immediate{.value = static_cast<std::uint32_t>(draw_.next())};
        rdmap::write(body.data(), immediate);
        ulpdus_.push_back(
            untagged_segment(Opcode::immediate, ddp::Queue::send, ++sends_, 0, true, body));
        script_.arrivals.push_back({{}, immediate.value});
    }

    // ---- what is not

    void spoil_segments(int how) {
        if (ulpdus_.empty()) how = 4;
        const std::size_t i = ulpdus_.empty() ? 0 : below(draw_, ulpdus_.size());
        const auto at = ulpdus_.begin() + static_cast<std::ptrdiff_t>(i);
        switch (how) {
            case 0: {  // a field is another
                Buffer& ulpdu = *at;
                const std::size_t header = std::min<std::size_t>(ulpdu.size(), 20);
                ulpdu[below(draw_, draw_.one_in(4) ? ulpdu.size() : header)] ^=
                    static_cast<std::byte>(1 << draw_.below(8));
                break;
            }
            case 1:  // one is missing
                ulpdus_.erase(at);
                break;
            case 2:  // one comes twice: of segments that overlap, too
                ulpdus_.insert(at, Buffer(*at));
                break;
            case 3: {  // one is cut short, or longer than it says
                Buffer& ulpdu = *at;
                ulpdu.resize(below(draw_, 2 * ulpdu.size() + 1));
                break;
            }
            default:
                ulpdus_.push_back(something_wrong());
                script_.must_fail = true;
                break;
        }
        if (how < 4 && draw_.one_in(2)) draw_.shuffle(ulpdus_);
    }

    /// A segment that no receiver may take, whatever came before it.
    Buffer something_wrong() {
        const TaggedBuffer& open = victim_.open;
        const std::uint64_t end = open.offset + open.size;
        const Buffer bytes = random_bytes(draw_, 1 + below(draw_, 64));
        const auto n = static_cast<std::uint32_t>(bytes.size());
        const auto any_stag = [&] {
            auto stag = static_cast<std::uint32_t>(draw_.next());
            return stag == open.stag ? stag + 1 : stag;
        };
        switch (draw_.below(16)) {
            case 0:
                return Buffer(below(draw_, 14), std::byte{0x41});
            case 1:
                return untagged_segment(static_cast<Opcode>(12 + draw_.below(4)), ddp::Queue::send,
                                        sends_ + 1, 0, true, bytes);
            case 2:
                return tagged_segment(Opcode::send, open.stag, open.offset, true, bytes);
            case 3:
                return tagged_segment(Opcode::read_response, open.stag, open.offset, true, bytes);
            case 4:
                return untagged_segment(Opcode::send,
                                        static_cast<ddp::Queue>(1 + draw_.below(1000)), sends_ + 1,
                                        0, true, bytes);
            case 5:
                return untagged_segment(Opcode::send, ddp::Queue::send,
                                        sends_ + 2 + static_cast<std::uint32_t>(draw_.below(1000)),
                                        0, true, bytes);
            case 6:
                return untagged_segment(Opcode::send, ddp::Queue::send, sends_ + 1,
                                        1 + static_cast<std::uint32_t>(draw_.below(1000)), true,
                                        bytes);
            case 7:
                return untagged_segment(Opcode::send, ddp::Queue::send, sends_ + 1, 0, true,
                                        Buffer(longest_arrival + 1));
            case 8:  // a guess
                return tagged_segment(Opcode::write, any_stag(), open.offset, true, bytes);
            case 9:
                return tagged_segment(Opcode::write, victim_.closed_stag, 0, true, bytes);
            case 10:
                return tagged_segment(Opcode::write, open.stag, end - below(draw_, n), true, bytes);
            case 11:
                return tagged_segment(Opcode::write, open.stag, ~std::uint64_t{} - below(draw_, n),
                                      true, bytes);
            case 12:
                return read_request(any_stag(), open.offset, n);
            case 13:
                return read_request(open.stag, end,
                                    1 + static_cast<std::uint32_t>(draw_.next()) / 2);
            case 14:
                return untagged_segment(Opcode::send_invalidate, ddp::Queue::send, sends_ + 1, 0,
                                        true, {}, any_stag());
            default: {
                rdmap::AtomicRequest request;
                request.op = static_cast<rdmap::AtomicOp>(draw_.one_in(2) ? 7 : 0);
                request.stag = request.op == rdmap::AtomicOp::fetch_add ? any_stag() : open.stag;
                request.to = open.offset;
                return atomic_request(request);
            }
        }
    }

    void spoil_bytes(int how) {
        std::size_t all = 0;
        for (const Buffer& frame : script_.frames)
            all += frame.size();
        switch (how) {
            case 5:  // it breaks off
                cut_frames(below(draw_, all + 1));
                return;
            case 6: {  // a bit is wrong, and the CRC shows it
                if (all == 0) return;
                Buffer& frame = script_.frames[below(draw_, script_.frames.size())];
                frame[below(draw_, frame.size())] ^= static_cast<std::byte>(1 << draw_.below(8));
                return;
            }
            case 7: {  // of the request
                Buffer& request = script_.request;
                script_.is_answered = false;
                if (draw_.one_in(3))
                    request.resize(below(draw_, request.size()));
                else if (draw_.one_in(3))
                    append(request, random_bytes(draw_, 1 + below(draw_, 64)));
                else
                    request[below(draw_, request.size())] ^=
                        static_cast<std::byte>(1 << draw_.below(8));
                return;
            }
            case 8:  // noise from the start
                script_.is_answered = false;
                script_.request = random_bytes(draw_, below(draw_, 700));
                return;
            default:  // noise from somewhere on
                cut_frames(below(draw_, all + 1));
                script_.frames.push_back(random_bytes(draw_, below(draw_, 3000)));
                return;
        }
    }

    void cut_frames(std::size_t left) {
        for (Buffer& frame : script_.frames) {
            frame.resize(std::min(frame.size(), left));
            left -= frame.size();
        }
    }

    Draw draw_;
    const Victim& victim_;
    Script script_;
    std::vector<Buffer> ulpdus_;
    bool crc_ = true;
    bool is_enhanced_ = true;
    std::uint32_t sends_ = 0;
    std::uint32_t requests_ = 0;
};

}  // namespace

Script draw_script(std::uint64_t seed, const Victim& victim, const Buffer& memory) {
    return Author(seed, victim, memory).write();
}

}  // namespace railyard::iwarp::testing
