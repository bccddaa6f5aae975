import assert from "node:assert/strict";
import test from "node:test";
import { charts, firstChoice, label, mostSeries, series, type Chart } from "../src/charts";
import type { Row, Value } from "../src/data";
import { groupMarks, marks, weight } from "../src/published";
import { paper, row, sizes } from "./rows";

type More = Record<string, Value>;

// Each combination of the values.
function every(values: Record<string, Value[]>): More[] {
  return Object.entries(values).reduce<More[]>(
    (all, [name, some]) => all.flatMap((one) => some.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}

function only(rows: Row[]): Chart {
  const found = charts(rows);
  assert.equal(found.length, 1);
  return found[0]!;
}

const names = (chart: Chart) => chart.dimensions.map((dimension) => dimension.name);

const labels = (chart: Chart) => {
  const all = series(
    chart,
    chart.dimensions.map(() => null),
  );
  return all.map((one) => label(chart, all, one));
};

function table2(fabrics: string[], mpi: string[] = ["paper"]): Row[] {
  const unit = { metric: "vis_per_process", unit: "VIs" };
  return fabrics.flatMap((fabric) =>
    every({
      application: ["Ring", "Alltoall"],
      mode: ["static", "on-demand"],
      mpi,
      processes: [16, 32],
    }).map((parameters) => row(fabric, parameters, 15, "vi-count", unit)),
  );
}

test("one and two ports, ours and the papers' library are curves over the message size", () => {
  const rows = every({ mpi: ["native", "paper"] }).flatMap((more) => [
    ...sizes("ib", { ...more, ports: 1 }),
    ...sizes("ib", { ...more, ports: 2, mode: "striping" }),
  ]);
  const chart = only(rows);
  assert.equal(chart.x, "message_bytes");
  assert.deepEqual(names(chart), ["ports", "mpi"]);
  assert.deepEqual(labels(chart), [
    "ports 1, MPI native",
    "ports 1, MPI paper",
    "ports 2, MPI native",
    "ports 2, MPI paper",
  ]);
});

test("with and without reuse are two curves, not an axis of two places", () => {
  const chart = only(every({ reuse_percent: [0, 100] }).flatMap((more) => sizes("ib", more)));
  assert.equal(chart.x, "message_bytes");
  assert.deepEqual(names(chart), ["reuse_percent"]);
});

test("an empty and a full queue are two curves", () => {
  const chart = only(every({ queue: [0, 1000] }).flatMap((more) => sizes("ib", more)));
  assert.equal(chart.x, "message_bytes");
  assert.deepEqual(names(chart), ["queue"]);
});

test("collectives and initialisation go along the number of processes", () => {
  const rows = every({ collective: ["allreduce", "bcast"], processes: [2, 4, 8] });
  const chart = only(rows.flatMap((more) => sizes("via", more)));
  assert.equal(chart.x, "processes");
  assert.deepEqual(names(chart).sort(), ["collective", "message_bytes"]);
  const init = every({ mode: ["on-demand", "static peer-to-peer"], processes: [2, 4] });
  const time = only(init.map((more) => row("via", more, 1, "mpi-init-time")));
  assert.equal(time.x, "processes");
  assert.deepEqual(names(time), ["mode"]);
});

test("what is to be contrasted is shown together if there is room", () => {
  const all = { mode: ["static", "on-demand"], mpi: ["native", "paper"], processes: [2, 4, 8] };
  const more = every({ ...all, collective: ["allreduce", "bcast", "barrier"] });
  const rows = ["clan", "bvia"].flatMap((fabric) => more.flatMap((one) => sizes(fabric, one)));
  const chart = only(rows);
  const published = paper({ collective: "allreduce", message_bytes: 64, processes: 8 });
  const papers = [{ ...published, experiment: chart.experiment }];
  const first = firstChoice(chart, (some) => weight(chart, some, papers));
  assert.ok(series(chart, first).length <= mostSeries);
  const at = (name: string) => first[names(chart).indexOf(name)];
  assert.equal(at("collective"), "allreduce");
  assert.equal(at("message_bytes"), 64);
  assert.equal(at("mode"), null);
});

test("an empty and a full queue are contrasted before two libraries are", () => {
  const more = every({ queue: [0, 1000], mpi: ["native", "paper"] });
  const rows = ["a", "b", "c", "d"].flatMap((name) => more.flatMap((one) => sizes(name, one)));
  const chart = only(rows);
  assert.deepEqual(names(chart), ["queue", "mpi"]);
  assert.deepEqual(
    firstChoice(chart, (some) => weight(chart, some, [])),
    [null, "paper"],
  );
});

test("of two libraries the papers' own comes first", () => {
  const rows = Array.from({ length: mostSeries }, (_, i) =>
    every({ mpi: ["native", "paper"] }).flatMap((more) => sizes(`fabric${i}`, more)),
  );
  const chart = only(rows.flat());
  assert.deepEqual(
    firstChoice(chart, (some) => weight(chart, some, [])),
    ["paper"],
  );
});

test("applications are groups of bars, one a way of connecting and number of processes", () => {
  const chart = only(table2(["clan"]));
  assert.equal(chart.x, null);
  assert.deepEqual(chart.groups, { name: "application", values: ["Ring", "Alltoall"] });
  assert.deepEqual(names(chart), ["mode", "processes"]);
  assert.equal(labels(chart).length, 4);
  assert.deepEqual(
    series(chart, ["static", 16]).map((one) => one.rows.length),
    [2],
  );
});

test("a published value stands at the bar that it is about", () => {
  const chart = only(table2(["clan", "bvia"], ["native", "paper"]));
  const about = (application: string, more: Record<string, unknown>) =>
    paper(
      { application, ...more },
      { experiment: "vi-count", metric: "vis_per_process", unit: "VIs" },
    );
  const all = series(chart, [null, null, null]);
  const found = groupMarks(
    chart,
    [null, null, null],
    [about("Ring", { mode: "static", processes: 16 }), about("CG", { mode: "static" })],
    new Map(),
    all,
  );
  const bars = found.map((mark) => all.find((one) => one.key === mark.series)!);
  assert.deepEqual(
    bars.map((one) => one.fabric),
    ["clan", "bvia"],
  );
  for (const one of bars) assert.deepEqual([...one.choice].sort(), [16, "paper", "static"]);
  assert.deepEqual(
    found.map((mark) => mark.group),
    ["Ring", "Ring"],
  );
});

test("a published factor stands beside ratios", () => {
  const ratio = { metric: "latency_ratio_noreuse_to_reuse", unit: "1" };
  const rows = [1024, 8192].map((message_bytes) =>
    row("ib", { message_bytes }, 4, "mpi-buffer-reuse", ratio),
  );
  const record = { ...ratio, kind: "ratio", experiment: "mpi-buffer-reuse", value: 4.3 };
  const limits = { least: 1024, most: 8192 };
  const published = [paper({ message_bytes: 8192, protocol: "rendezvous" }, record)];
  const [mark] = marks(only(rows), [], published, new Map(), limits);
  assert.deepEqual([mark!.x, mark!.y], [8192, 4.3]);
});
