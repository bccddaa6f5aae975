import assert from "node:assert/strict";
import { test } from "node:test";
import { charts } from "../src/charts";
import { unpacked, type Bounded, type Verdict } from "../src/data";
import { spread } from "../src/ends";
import { csv, command } from "../src/exports";
import { Families, family } from "../src/families";
import { find, matrix, questions, scores, standing } from "../src/findings";
import { groupsOf, reached } from "../src/here";
import { tiersOf } from "../src/network";
import { partsOf, pieces } from "../src/runs";
import { hashOf, placeOf, State } from "../src/state";
import { pointsOf } from "../src/trust";
import { stacks } from "../src/which";
import { row, sizes } from "./rows";

test("rows come out of their sheets as they went in, digit by digit", () => {
  const data = unpacked(
    JSON.stringify({
      fabric_names: ["shm", "ideal"],
      sheets: [
        {
          experiment: "latency-uni",
          metric: "latency",
          unit: "us",
          names: ["message_bytes", "op"],
          rows: [
            [0, 8, "send_recv", 0.21300000000000002, [0.2, 0.3, 0.01, 7]],
            [1, 64, null, 3, null, 0],
          ],
        },
      ],
    }),
  );
  assert.deepEqual(data.rows[0], {
    experiment: "latency-uni",
    fabric: "shm",
    parameters: { message_bytes: 8, op: "send_recv" },
    metric: "latency",
    value: 0.21300000000000002,
    unit: "us",
    steady: true,
    statistics: { p1: 0.2, p99: 0.3, spread: 0.01, iterations: 7 },
  });
  assert.deepEqual(data.rows[1]!.parameters, { message_bytes: 64 });
  assert.equal(data.rows[1]!.steady, false);
  assert.equal(data.rows[1]!.statistics, undefined);
});

test("interconnects of a family share a colour, and each has its shade", () => {
  assert.equal(family("infiniband-pcie"), "InfiniBand");
  assert.equal(family("mpich"), "mpich");
  const families = new Families(["infiniband-pcie", "quadrics", "infiniband-ndr", "mpich"]);
  const [a, b, c] = ["infiniband-pcie", "infiniband-ndr", "quadrics"].map((n) => families.of(n).colour);
  assert.notEqual(a, b);
  assert.ok(b!.includes(a!));
  assert.ok(!c!.includes(a!));
  assert.notEqual(families.of("mpich").colour, a);
});

test("the address keeps place, choice and search, and gives them back", () => {
  const place = { at: "latency-uni.latency.µs", shown: ["a b", "c,d"], query: "two words" };
  assert.deepEqual(placeOf(hashOf({ ...place, shown: ["a", "b"] })), { ...place, shown: ["a", "b"] });
  assert.equal(hashOf({ at: "", shown: null, query: "" }), "");
  assert.deepEqual(placeOf("#%"), { at: "%", shown: null, query: "" });
});

test("a choice that names nothing of the page shows all", () => {
  let written = "";
  const state = new State("#top?on=gone", ["shm", "ideal"], (hash) => (written = hash));
  assert.ok(state.shows("shm"));
  state.show(["ideal"]);
  assert.equal(written, "#top?on=ideal");
  assert.ok(!state.shows("shm"));
  state.show(["shm", "ideal"]);
  assert.equal(written, "#top");
});

test("a cell of the matrix is the best that an interconnect does, by the first source with an answer", () => {
  const rows = [
    ...sizes("a", { op: "send_recv" }),
    row("a", { message_bytes: 8, op: "rdma_write" }, 5),
    row("b", { message_bytes: 8 }, 20, "mpi-latency"),
  ];
  const { columns, lines } = matrix(rows, ["a", "b", "c"]);
  assert.deepEqual(lines, ["a", "b"]);
  assert.equal(columns.length, 1);
  assert.equal(columns[0]!.cells.get("a")!.value, 5);
  assert.equal(columns[0]!.cells.get("b")!.note.startsWith("by MPI"), true);
  assert.equal(find(questions[0]!, []), null);
});

test("a peak is of long messages, where there are any", () => {
  const peak = questions.find((question) => question.name === "peak bandwidth")!;
  const stream = (bytes: number, value: number) =>
    row("a", { message_bytes: bytes }, value, "bandwidth-uni-queue", { metric: "bandwidth" });
  const ofTheCache = stream(16384, 170000);
  assert.equal(find(peak, [ofTheCache, stream(65536, 46000), stream(262144, 47000)])!.value, 47000);
  assert.equal(find(peak, [ofTheCache, stream(8, 100)])!.value, 170000);
});

test("the best of a column stands at 0, the worst at 1", () => {
  assert.equal(standing(1, [1, 10, 100], "less"), 0);
  assert.equal(standing(10, [1, 10, 100], "less"), 0.5);
  assert.equal(standing(100, [1, 10, 100], "more"), 0);
  assert.equal(standing(3, [3], "less"), 0);
});

const verdicts: Verdict[] = [
  { id: "a", verdict: "holds", class: "performance", basis: "predicted", published: 2, ours: 2.1 },
  { id: "b", verdict: "excepted", class: "performance", basis: "predicted", published: 2, ours: 4 },
  { id: "c", verdict: "holds", class: "performance", basis: "fitted", published: 2, ours: 2 },
  { id: "d", verdict: "marginal", class: "relation", basis: "predicted" },
  { id: "e", verdict: "holds", class: "bound", qualifier: ">=", published: 2, ours: 9 },
];

test("an exception is checked and not right; what is marginal is told apart", () => {
  const found = scores({ verdicts: { records: verdicts } } as never);
  assert.deepEqual(found.predicted, { right: 1, checked: 2 });
  assert.deepEqual(found.fitted, { right: 1, checked: 1 });
  assert.deepEqual(found.relations, { right: 0, checked: 1 });
  assert.equal(found.exceptions, 1);
  assert.equal(found.marginal, 1);
});

test("bounds are no points of the plot of figures", () => {
  assert.deepEqual(
    pointsOf(verdicts).map((p) => [p.verdict.id, p.isFitted, p.isExcepted]),
    [
      ["a", false, false],
      ["b", false, true],
      ["c", true, false],
    ],
  );
});

test("of a time the limit is the least, of a rate the most", () => {
  const one = { experiment: "e", fabric: "shm", parameters: {}, metric: "m", value: 2, limit: 1, of: "copy" };
  const bounded: Bounded[] = [{ ...one, unit: "us" }, { ...one, unit: "MB/s", limit: 4 }];
  assert.deepEqual(bounded.map(reached), [0.5, 0.5]);
  assert.equal(groupsOf(bounded).length, 1);
});

test("labels at the ends of curves do not stand upon each other", () => {
  const places = spread([10, 11, 12, 200], 0, 210);
  const sorted = [...places].sort((a, b) => a - b);
  sorted.slice(1).forEach((at, i) => assert.ok(at - sorted[i]! >= 12 - 1e-9));
  assert.ok(Math.max(...places) <= 210);
});

test("CSV has every parameter as a column and quotes what needs it", () => {
  const text = csv([row("a,b", { op: "x" }, 0.1), row("c", { queue: 8 }, 2)]);
  assert.equal(
    text,
    "experiment,fabric,op,queue,metric,value,unit,p1,p99,spread,iterations\r\n" +
      'latency-uni,"a,b",x,,latency,0.1,us,0.1,0.1,0,\r\n' +
      "latency-uni,c,,8,latency,2,us,2,2,0,\r\n",
  );
});

test("the command of a chart names what is shown, and none is made up", () => {
  const fabrics = { shm: { clock: "real", description: "" }, ideal: { clock: "virtual", description: "" } } as const;
  const [chart] = charts([...sizes("shm"), ...sizes("ideal"), ...sizes("mpich")]);
  assert.equal(
    command(chart!, ["shm", "ideal", "mpich"], fabrics, true),
    "railyard measure latency-uni --on shm,ideal --json out.json",
  );
  assert.equal(command(chart!, ["mpich"], fabrics, true), null);
  assert.equal(command(chart!, ["shm"], fabrics, false), null);
  const [run] = charts([row("ideal", { program: "cg --class A", processes: 16 }, 1, "run")]);
  assert.equal(
    command(run!, ["ideal"], fabrics, false),
    "railyard run -n 16 --on ideal --json out.json cg --class A",
  );
});

test("the parts of an application's time add up to all of it", () => {
  const part = (metric: string, value: number) =>
    row("a", { program: "cg", processes: 16 }, value, "run", { metric });
  const found = stacks([part("run_time", 10), part("computing_time", 6), part("connecting_time", 1)], ["a"]);
  assert.deepEqual(found!.stacks, [{ fabric: "a", computing: 6, connecting: 1, waiting: 3 }]);
  assert.equal(stacks([part("run_time", 10)], ["a"]), null);
});

test("equal letters of a lane are one piece", () => {
  assert.deepEqual(pieces("sccw"), [
    { letter: "s", from: 0, to: 1 },
    { letter: "c", from: 1, to: 3 },
    { letter: "w", from: 3, to: 4 },
  ]);
});

test("parts of a rank's time do not overlap", () => {
  const rank = { start_up: 1, shut_down: 0, computing: 5, mpi: 4, connecting: 1, late_sender: 0.5, late_receiver: 0.25, collective: 0.25 };
  const sum = partsOf(rank).reduce((all, part) => all + part.value, 0);
  assert.equal(sum, 9);
});

test("switches stand above nodes, and a node is a column of all its tiers", () => {
  const part = (kind: string, name: string) => ({ kind, name, seconds: 1, share: 0.5 });
  const tiers = tiersOf([
    part("bus", "node 1, bus"),
    part("link", "node 2, link 0 out"),
    part("link", "switches, the cable of port 4 of switch 3 of level 1, up"),
    part("link", "switches, the cable of port 1 of switch 0 of level 1, up"),
  ]);
  assert.deepEqual(
    tiers.map((tier) => [tier.name, tier.parts.map((one) => one.place)]),
    [
      ["switches, level 1, up", [0, 1]],
      ["node: link 0 out", [2]],
      ["node: bus", [1]],
    ],
  );
});
