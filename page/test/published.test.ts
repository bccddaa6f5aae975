import assert from "node:assert/strict";
import test from "node:test";
import { charts } from "../src/charts";
import type { Paper } from "../src/data";
import { marks } from "../src/published";
import { paper, sizes } from "./rows";

const chart = charts([...sizes("a", { op: "send_recv" }), ...sizes("a", { op: "rdma_write" })])[0]!;
const limits = { least: 1, most: 65536 };

function found(papers: Paper[], op: string | null = null) {
  return marks(chart, [op], papers, new Map(), limits);
}

test("a value stands where the paper says", () => {
  assert.equal(found([paper({ message_bytes: 1024 })])[0]!.x, 1024);
  assert.equal(found([paper({ message_bytes_max: 64 })])[0]!.x, 64);
  assert.equal(found([paper({ message_bytes_min: 2049 })])[0]!.x, 2049);
});

test("small is four bytes; large is where the curve ends, or a mebibyte", () => {
  assert.equal(found([paper({ message_class: "small" })])[0]!.x, 4);
  assert.equal(found([paper({ message_class: "large" })])[0]!.x, 65536);
  const long = { least: 1, most: 2 ** 22 };
  const [mark] = marks(chart, [null], [paper({ message_class: "large" })], new Map(), long);
  assert.equal(mark!.x, 2 ** 20);
});

test("a value without a place holds all along the axis", () => {
  assert.equal(found([paper({})])[0]!.x, null);
});

test("bounds are told from values", () => {
  const bounds = ["=", "~", ">=", ">", "<=", "<"].map(
    (qualifier) => found([paper({}, { qualifier })])[0]!.bound,
  );
  assert.deepEqual(bounds, ["is", "is", "least", "least", "most", "most"]);
});

test("only values of this experiment, metric and unit are shown", () => {
  const others = [
    paper({}, { experiment: "latency-bi" }),
    paper({}, { metric: "bandwidth" }),
    paper({}, { unit: "percent" }),
    paper({}, { kind: "parameter" }),
  ];
  assert.deepEqual(found(others), []);
});

test("a choice hides values of another kind, and keeps those that do not say", () => {
  const papers = [paper({ op: "rdma_write" }), paper({ op: "send_recv" }), paper({})];
  assert.equal(found(papers).length, 3);
  assert.deepEqual(
    found(papers, "send_recv").map((m) => m.text.includes("rdma_write")),
    [false, false],
  );
});

test("the tooltip has the record's id, our value and the verdict", () => {
  const verdict = { id: "liu04.latency.small", fabric: "quadrics", ours: 2.03, verdict: "holds" };
  const [mark] = marks(chart, [null], [paper({})], new Map([[verdict.id, verdict]]), limits);
  assert.equal(mark!.fabric, "quadrics");
  for (const part of ["liu04.latency.small", "published: 2 µs", "ours: 2.03 µs", "holds"])
    assert.ok(mark!.text.includes(part), mark!.text);
});

test("a value stands where ours was measured for the comparison", () => {
  const verdict = { id: "liu04.latency.small", verdict: "holds", place: { message_bytes: 16 } };
  const verdicts = new Map([[verdict.id, verdict]]);
  const [mark] = marks(chart, [null], [paper({ message_class: "small" })], verdicts, limits);
  assert.equal(mark!.x, 16);
});
