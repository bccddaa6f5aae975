#include "railyard/datasheet.hpp"
#include "railyard/fabric.hpp"
#include "railyard/work.hpp"

namespace railyard::fabric {

std::string_view name(Op op) {
    switch (op) {
        case Op::send:
            return "send_recv";
        case Op::rdma_write:
            return "rdma_write";
        case Op::rdma_write_imm:
            return "rdma_write_imm";
        case Op::rdma_read:
            return "rdma_read";
        case Op::fetch_add:
            return "fetch_add";
        case Op::compare_swap:
            return "compare_swap";
        case Op::receive:
            return "receive";
    }
    return "?";
}

std::string_view name(PartKind kind) {
    switch (kind) {
        case PartKind::link:
            return "link";
        case PartKind::bus:
            return "bus";
        case PartKind::adapter:
            return "adapter";
    }
    return "?";
}

std::string_view name(Evidence evidence) {
    switch (evidence) {
        case Evidence::none:
            return "none";
        case Evidence::stated:
            return "stated";
        case Evidence::fitted:
            return "fitted";
        case Evidence::assumed:
            return "assumed";
        case Evidence::derived:
            return "derived";
    }
    return "?";
}

}  // namespace railyard::fabric
