#pragma once
/// What a page may be made of: a few rows of two fabrics, two papers' values and three verdicts.

#include <string>

#include "report/page.hpp"
#include "report/rows.hpp"

namespace railyard::report {

inline results::Machine some_machine() {
    results::Machine machine;
    machine.cpu = "Some CPU";
    machine.memory = Bytes(1ULL << 30);
    machine.date = "2026-11-15T03:43:28Z";
    return machine;
}

inline const char* const some_papers = R"json([
    {"id": "liu04.small", "seed": "liu04", "experiment": "latency-uni", "kind": "measurement",
     "system": "quadrics/elanlib", "metric": "latency", "params": {"message_class": "small"},
     "value": 2.0, "unit": "us", "qualifier": "=", "where": "fig2"},
    {"id": "liu04.bound", "seed": "liu04", "experiment": "latency-uni", "kind": "measurement",
     "system": "all", "metric": "latency", "params": {"message_bytes": 64}, "value": 9, "unit": "us",
     "qualifier": "<="},
    {"id": "liu04.order", "seed": "liu04", "experiment": "latency-uni", "kind": "relation",
     "system": "all", "metric": "latency", "params": {}},
    {"id": "liu04.other", "seed": "liu04", "experiment": "hotspot-send", "kind": "measurement",
     "system": "all", "metric": "latency", "params": {}, "value": 1, "unit": "us"}
])json";

inline const char* const some_verdicts = R"json({
    "schema": 1,
    "summary": "4 records: 1 value right, 1 off, 1 exception; not checked: 1",
    "records": [
        {"id": "liu04.small", "paper": "liu04", "experiment": "latency-uni", "fabric": "ideal",
         "published": 2.0, "unit": "us", "qualifier": "=", "ours": 2.05, "difference": 0.025,
         "basis": "predicted", "verdict": "holds", "place": {"message_bytes": 8}},
        {"id": "liu04.bound", "paper": "liu04", "experiment": "latency-uni", "fabric": "ideal",
         "published": 9, "unit": "us", "qualifier": "<=", "ours": 12, "verdict": "off"},
        {"id": "liu04.order", "statement": "best: quadrics/elanlib", "verdict": "excepted",
         "reason": "not understood"},
        {"id": "wu02.sppm", "verdict": "not-run", "reason": "not reproducible: Table 1"}
    ],
    "rows": []
})json";

/// Three plots: latency of two fabrics, bandwidth of one, and a limit without a size.
inline PageInput some_input() {
    PageInput input;
    input.generator = "railyard 1.2.3 (abc)";
    input.sources.push_back(
        {"here.json",
         {.machine = some_machine(),
          .rows = {latency(8, 0.1, "rdma_write"), latency(64, 0.2, "rdma_write"),
                   bandwidth(8, 100, "rdma_write"), bandwidth(4096, 9000, "rdma_write"),
                   limit("cache_line_handover", -1, 0.1, "us")}}});
    input.sources.push_back({"there.json",
                             {.machine = some_machine(),
                              .rows = {latency(8, 2.05, "rdma_write", "ideal"),
                                       latency(64, 12, "rdma_write", "ideal")}}});
    input.fabrics = {{"shm", false, "shared memory"}, {"ideal", true, "a latency and a bandwidth"}};
    input.experiments = {{"latency-uni", "half of a ping-pong", "liu04 fig. 2"}};
    input.papers = {"papers.json", some_papers};
    input.verdicts = {"verdicts.json", some_verdicts};
    return input;
}

}  // namespace railyard::report
