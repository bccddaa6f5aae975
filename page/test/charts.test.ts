import assert from "node:assert/strict";
import test from "node:test";
import { charts, firstChoice, label, mostSeries, series } from "../src/charts";
import { row, sizes } from "./rows";

test("there is one chart an experiment and metric, with all interconnects as series", () => {
  const rows = [...sizes("shm"), ...sizes("ideal"), row("shm", {}, 1, "latency-atomic")];
  const found = charts(rows);
  assert.deepEqual(
    found.map((c) => [c.experiment, c.x, c.fabrics]),
    [
      ["latency-uni", "message_bytes", ["shm", "ideal"]],
      ["latency-atomic", null, ["shm"]],
    ],
  );
  assert.deepEqual(
    series(found[0]!, []).map((s) => [s.fabric, s.rows.length]),
    [
      ["shm", 3],
      ["ideal", 3],
    ],
  );
});

test("the points of a series stand in the order of the axis", () => {
  const [chart] = charts([...sizes("shm")].reverse());
  assert.deepEqual(
    series(chart!, [])[0]!.rows.map((r) => r.value),
    [8, 64, 4096],
  );
});

test("what an experiment sweeps goes along the axis before the message size", () => {
  const rows = [1, 2, 4].flatMap((slaves) => sizes("shm", { slaves }));
  const [chart] = charts(rows);
  assert.equal(chart!.x, "slaves");
  assert.deepEqual(chart!.dimensions, [{ name: "message_bytes", values: [8, 64, 4096] }]);
});

test("offered load goes along the axis, and patterns are named by themselves", () => {
  const rows = ["uniform", "transpose"].flatMap((pattern) =>
    [10, 50, 100].map((offered_percent) => row("quadrics", { offered_percent, pattern }, 1)),
  );
  const [chart] = charts(rows);
  assert.equal(chart!.x, "offered_percent");
  assert.deepEqual(
    series(chart!, [null]).map((s, _, all) => label(chart!, all, s)),
    ["uniform", "transpose"],
  );
});

test("what else was varied is a choice, unless it follows from the rest", () => {
  const rows = ["send_recv", "rdma_write"].flatMap((op) =>
    sizes("shm", { op }).map((r) => row("shm", { ...r.parameters, batch: r.value * 2 }, r.value)),
  );
  const [chart] = charts(rows);
  assert.deepEqual(chart!.dimensions, [{ name: "op", values: ["send_recv", "rdma_write"] }]);
  assert.deepEqual(
    series(chart!, [null]).map((s, _, all) => label(chart!, all, s)),
    ["send_recv", "rdma_write"],
  );
});

test("a series is named by all that tells it apart", () => {
  const rows = ["shm", "ideal"].flatMap((fabric) =>
    [8, 16].flatMap((queue) => sizes(fabric, { op: `op${queue}`, queue })),
  );
  const [chart] = charts(rows);
  const all = series(chart!, [null, null]);
  assert.equal(label(chart!, all, all[0]!), "shm, op8, queue 8");
  const some = series(chart!, ["op8", 8]);
  assert.equal(label(chart!, some, some[0]!), "shm");
});

test("too many series at once give way to what most interconnects share", () => {
  const many = Array.from({ length: mostSeries }, (_, i) => `fabric${i}`);
  const rows = [
    ...sizes("fabric0", { op: "rdma_write" }),
    ...many.flatMap((fabric) => sizes(fabric, { op: "send_recv" })),
  ];
  const [chart] = charts(rows);
  const first = firstChoice(chart!, () => 0);
  assert.deepEqual(first, ["send_recv"]);
  assert.equal(series(chart!, first).length, mostSeries);

  const [few] = charts(rows.filter((r) => r.fabric === "fabric0"));
  assert.deepEqual(
    firstChoice(few!, () => 0),
    [null],
  );
});

test("a row without the parameter stays whatever is chosen", () => {
  const rows = [...sizes("shm", { queue: 8 }), ...sizes("shm", { queue: 16 }), ...sizes("tagged")];
  const [chart] = charts(rows);
  assert.deepEqual(
    series(chart!, [16]).map((s) => s.fabric),
    ["shm", "tagged"],
  );
});

test("among equals the choice with more published values comes first", () => {
  const many = Array.from({ length: mostSeries }, (_, i) => `fabric${i}`);
  const rows = many.flatMap((fabric) => [8, 100].flatMap((queue) => sizes(fabric, { queue })));
  const [chart] = charts(rows);
  assert.deepEqual(
    firstChoice(chart!, () => 0),
    [8],
  );
  assert.deepEqual(
    firstChoice(chart!, ([queue]) => (queue === 100 ? 3 : 0)),
    [100],
  );
});

test("series stand by interconnect, then by what else was varied, in the order of numbers", () => {
  const rows = [16, 8].flatMap((queue) => ["b", "a"].flatMap((name) => sizes(name, { queue })));
  const [chart] = charts(rows);
  const names = series(chart!, [null]).map((s) => [s.fabric, s.choice[0]]);
  assert.deepEqual(names, [
    ["b", 8],
    ["b", 16],
    ["a", 8],
    ["a", 16],
  ]);
});
