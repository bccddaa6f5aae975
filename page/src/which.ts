// Which interconnect for what? Four large plots of the models: latency, bandwidth, collectives among
// many, and where the time of an application goes.

import * as Plot from "@observablehq/plot";
import type { Readable } from "./crosshair";
import type { Row } from "./data";
import { element } from "./dom";
import { curvesFigure, type Curve, type Curves } from "./ends";
import { isModel } from "./findings";
import { largeFigure, legendLine } from "./large";
import { quantity, short } from "./numbers";
import { pixels } from "./pieces";
import type { State } from "./state";
import type { Contents } from "./top";

interface Source {
  experiment: string;
  metric: string;
  x: string;
  where?: (row: Row) => boolean;
  note: (row: Row) => string;
}

const op = (row: Row) =>
  [row.parameters["op"], row.parameters["queue"] === undefined ? null : `queue ${row.parameters["queue"]}`]
    .filter((part) => part !== undefined && part !== null)
    .join(", ");

const allreduce = (row: Row) => row.parameters["collective"] === "allreduce" && row.parameters["message_bytes"] === 8;

// The rows of one fabric that differ in nothing but along the axis.
function families(rows: Row[], x: string): Row[][] {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    if (typeof row.parameters[x] !== "number" || row.value <= 0 || Number(row.parameters[x]) <= 0) continue;
    const key = JSON.stringify({ ...row.parameters, [x]: null });
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found.values()].filter((own) => own.length > 1);
}

// Of all ways that it has, the one that does best, by `score`; more is better.
function bestCurve(rows: Row[], fabric: string, source: Source, score: (rows: Row[]) => number): Curve | null {
  const own = rows.filter(
    (row) =>
      row.fabric === fabric &&
      row.experiment === source.experiment &&
      row.metric === source.metric &&
      (source.where?.(row) ?? true),
  );
  const all = families(own, source.x);
  if (all.length === 0) return null;
  const best = all.reduce((a, b) => (score(b) > score(a) ? b : a));
  const points = best
    .map((row) => ({ x: Number(row.parameters[source.x]), y: row.value }))
    .sort((a, b) => a.x - b.x);
  return { fabric, note: source.note(best[0]!), points };
}

// Curves that hardly begin to say anything: not those of a few sizes that a paper names.
const fewest = 4;

function curves(rows: Row[], fabrics: string[], sources: Source[], score: (rows: Row[]) => number, least: number): Curve[] {
  return fabrics.flatMap((fabric) => {
    for (const source of sources) {
      const found = bestCurve(rows, fabric, source, score);
      if (found !== null && found.points.length >= least) return [found];
    }
    return [];
  });
}

const smallest = (rows: Row[]) => {
  const least = rows.reduce((a, b) =>
    Number(b.parameters["message_bytes"]) < Number(a.parameters["message_bytes"]) ? b : a,
  );
  return rows.length * 1e-9 - least.value;
};
const highest = (rows: Row[]) => Math.max(...rows.map((row) => row.value));
const longest = (rows: Row[]) => rows.length;

interface Question extends Curves {
  name: string;
}

function plots(rows: Row[], fabrics: string[]): Question[] {
  const byMpi = () => "by MPI";
  const size = { label: "message size (bytes)", isSize: true };
  return [
    {
      name: "Latency: a message, one way",
      x: size,
      y: { label: "µs", unit: "us" },
      curves: curves(rows, fabrics, [
        { experiment: "latency-uni", metric: "latency", x: "message_bytes", note: op },
        { experiment: "mpi-latency", metric: "latency", x: "message_bytes", note: byMpi },
        { experiment: "mvich-latency-bandwidth", metric: "latency", x: "message_bytes", note: byMpi },
      ], smallest, fewest),
    },
    {
      name: "Bandwidth: a stream, one way",
      x: size,
      y: { label: "MB/s", unit: "MB/s" },
      curves: curves(rows, fabrics, [
        { experiment: "bandwidth-uni-queue", metric: "bandwidth", x: "message_bytes", note: op },
        { experiment: "bandwidth-uni-window", metric: "bandwidth", x: "message_bytes", note: op },
        { experiment: "mpi-bandwidth-uni", metric: "bandwidth", x: "message_bytes", note: byMpi },
        { experiment: "mvich-latency-bandwidth", metric: "bandwidth", x: "message_bytes", note: byMpi },
      ], highest, fewest),
    },
    {
      name: "Collectives: MPI_Allreduce of 8 B among more and more nodes",
      x: { label: "processes, one a node", isSize: false },
      y: { label: "µs", unit: "us" },
      curves: curves(rows, fabrics, [
        // By one library on all, if there is one; not each by that of its paper.
        { experiment: "allreduce-latency", metric: "latency", x: "processes", where: (row) => allreduce(row) && row.parameters["mpi"] !== "paper", note: () => "" },
        { experiment: "allreduce-latency", metric: "latency", x: "processes", where: allreduce, note: () => "by its paper's MPI" },
      ], longest, 3),
    },
  ].filter((plot) => plot.curves.length > 0);
}

export interface Stack {
  fabric: string;
  computing: number;
  waiting: number;
  connecting: number;
}

// Of a run: its time, and what part of it a rank computes and makes connections, on average.
export function stacks(rows: Row[], fabrics: string[]): { program: string; ranks: number; stacks: Stack[] } | null {
  const runs = rows.filter((row) => row.experiment === "run" && fabrics.includes(row.fabric));
  const programs = [...new Set(runs.map((row) => JSON.stringify([row.parameters["program"], row.parameters["processes"]])))];
  let best: { program: string; ranks: number; stacks: Stack[] } | null = null;
  for (const key of programs) {
    const [program, ranks] = JSON.parse(key) as [string, number];
    const own = runs.filter((row) => row.parameters["program"] === program && row.parameters["processes"] === ranks);
    const value = (fabric: string, metric: string) => own.find((row) => row.fabric === fabric && row.metric === metric)?.value;
    const found = fabrics.flatMap((fabric) => {
      const all = value(fabric, "run_time");
      const computing = value(fabric, "computing_time");
      if (all === undefined || computing === undefined || computing <= 0) return [];
      const connecting = value(fabric, "connecting_time") ?? 0;
      return [{ fabric, computing, connecting, waiting: Math.max(0, all - computing - connecting) }];
    });
    if (found.length > (best?.stacks.length ?? 0)) best = { program, ranks, stacks: found };
  }
  return best;
}

const parts = [
  { key: "computing", name: "computing", fill: "var(--part-0)" },
  { key: "waiting", name: "communicating and waiting", fill: "var(--part-1)" },
  { key: "connecting", name: "making connections", fill: "var(--part-2)" },
] as const;

const total = (stack: Stack) => stack.computing + stack.waiting + stack.connecting;

function applicationPlot(ordered: Stack[], width: number): Readable {
  const svg = Plot.plot({
    width,
    height: Math.round(Math.max(60 + 24 * ordered.length, Math.min(400, width * 0.6))),
    marginLeft: Math.min(150, width / 2.6),
    marginRight: 64,
    marginBottom: 40,
    x: { label: "ms", grid: true },
    y: { domain: ordered.map((stack) => stack.fabric), label: null, padding: 0.25 },
    marks: [
      Plot.barX(
        ordered.flatMap((stack) => parts.map((part) => ({ y: stack.fabric, x: stack[part.key] / 1000, fill: part.fill }))),
        { x: "x", y: "y", fill: (d: { fill: string }) => d.fill, className: "series" },
      ),
      Plot.text(ordered, {
        x: (d: Stack) => total(d) / 1000,
        y: "fabric",
        text: (d: Stack) => `${short(total(d) / 1000)} ms`,
        textAnchor: "start",
        dx: 5,
      }),
    ],
  }) as SVGSVGElement;
  const at = pixels(svg, "y");
  const stops = ordered.map((stack) => ({
    at: at(stack.fabric),
    title: `${stack.fabric}: ${quantity(total(stack), "us")}`,
    lines: parts.map((part) => ({ name: part.name, text: quantity(stack[part.key], "us"), colour: part.fill })),
  }));
  return { svg, isUpright: true, stops };
}

function applicationFigure(found: NonNullable<ReturnType<typeof stacks>>, state: State): HTMLElement {
  const chosen = () => found.stacks.filter((stack) => state.shows(stack.fabric)).sort((a, b) => total(a) - total(b));
  return largeFigure(
    {
      name: `An application: ${found.program} on ${found.ranks} nodes`,
      label: () => `${found.program} on ${found.ranks} ranks: ${chosen().map((stack) => stack.fabric).join(", ")}`,
      draw: (width) =>
        chosen().length === 0 ? "None of the interconnects that you chose ran it." : applicationPlot(chosen(), width),
      sheet: () => [
        ["interconnect", ...parts.map((part) => `${part.name} (us)`)],
        ...chosen().map((stack) => [stack.fabric, ...parts.map((part) => stack[part.key])]),
      ],
      below: [legendLine([...parts])],
    },
    state,
  );
}

export function whichSection(contents: Contents): HTMLElement | null {
  const { data, state } = contents;
  const models = contents.fabrics.filter((name) => isModel(data.fabrics[name]));
  const questions = plots(data.rows, models);
  if (models.length < 2 || questions.length === 0) return null;
  const found = stacks(data.rows, models);
  const curvesOf = (name: string) => () =>
    plots(data.rows, models.filter((one) => state.shows(one))).find((plot) => plot.name === name) ?? null;
  return element(
    "section",
    { id: "which" },
    element("h2", {}, "Which interconnect for what?"),
    element(
      "p",
      {},
      "Models only, each by the best of its own ways. Point at a plot to read all of them at once.",
    ),
    element(
      "div",
      { class: "pair" },
      ...questions.map(({ name }) => curvesFigure(name, curvesOf(name), contents.looks, state)),
      ...(found === null ? [] : [applicationFigure(found, state)]),
    ),
  );
}
