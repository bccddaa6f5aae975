// A run of a program: what each rank did and when, who sent how much to whom, where the time went,
// and which parts of the network were busy.

import * as Plot from "@observablehq/plot";
import type { Readable } from "./crosshair";
import type { Run, RunRank } from "./data";
import { drawing, element, svgElement, table } from "./dom";
import { largeFigure, legendLine } from "./large";
import { networkFigure } from "./network";
import { count, percent, seconds, short, size } from "./numbers";
import { pixels } from "./pieces";
import type { Contents } from "./top";

// What a letter of a lane means. src/mpi/traces/lanes.cpp writes them.
const states = [
  { letter: "s", name: "MPI_Init and MPI_Finalize", fill: "var(--part-4)" },
  { letter: "c", name: "computing", fill: "var(--part-0)" },
  { letter: "p", name: "in MPI, between two", fill: "var(--part-1)" },
  { letter: "g", name: "in MPI, collectives", fill: "var(--part-3)" },
  { letter: "n", name: "making connections", fill: "var(--part-2)" },
  { letter: "w", name: "waiting for another", fill: "var(--part-5)" },
];

function rankName(first: number, ranks: number): string {
  return ranks === 1 ? `rank ${first}` : `ranks ${first} to ${first + ranks - 1}`;
}

function figureOf(title: string, ...children: (Node | string)[]): HTMLElement {
  return element("figure", { class: "large" }, element("figcaption", {}, element("h3", {}, title)), ...children);
}

// Equal letters side by side are one piece.
export function pieces(bins: string): { letter: string; from: number; to: number }[] {
  const found: { letter: string; from: number; to: number }[] = [];
  for (let at = 0; at < bins.length; at += 1) {
    const last = found[found.length - 1];
    if (last !== undefined && last.letter === bins[at]) last.to = at + 1;
    else found.push({ letter: bins[at]!, from: at, to: at + 1 });
  }
  return found;
}

function laneName({ first, ranks }: Run["lanes"][number]): string {
  return ranks === 1 ? `rank ${first}` : `${first}–${first + ranks - 1}`;
}

function lanesDrawn(run: Run, width: number): Readable {
  const bins = run.lanes[0]!.bins.length;
  const left = 84;
  const tall = Math.max(5, Math.min(18, Math.floor(620 / run.lanes.length)));
  const height = run.lanes.length * tall + 34;
  const scale = (width - left - 10) / bins;
  const svg = drawing(width, height);
  const every = Math.ceil(14 / tall);
  run.lanes.forEach((lane, i) => {
    if (i % every === 0)
      svg.append(svgElement("text", { x: String(left - 6), y: String(i * tall + tall * 0.75), "text-anchor": "end" }, laneName(lane)));
    for (const { letter, from, to } of pieces(lane.bins)) {
      const state = states.find((one) => one.letter === letter);
      if (state === undefined) continue;
      svg.append(
        svgElement("rect", {
          class: "series",
          x: (left + from * scale).toFixed(2),
          width: Math.max(0.4, (to - from) * scale).toFixed(2),
          y: String(i * tall),
          height: String(tall - (tall > 7 ? 2 : 0.5)),
          style: `fill:${state.fill}`,
        }),
      );
    }
  });
  for (let i = 0; i <= 4; i += 1) {
    const anchor = i === 0 ? "start" : i === 4 ? "end" : "middle";
    const x = left + (i / 4) * (width - left - 10);
    svg.append(svgElement("text", { x: String(x), y: String(height - 8), "text-anchor": anchor }, seconds((run.seconds * i) / 4)));
  }
  const steps = Math.min(bins, 120);
  const stops = [...Array(steps).keys()].map((step) => {
    const bin = Math.floor((step * bins) / steps);
    const ranks = (letter: string) =>
      run.lanes.filter((lane) => lane.bins[bin] === letter).reduce((sum, lane) => sum + lane.ranks, 0);
    return {
      at: left + (bin + 0.5) * scale,
      title: `at ${seconds((run.seconds * bin) / bins)}`,
      lines: states.flatMap(({ letter, name, fill }) =>
        ranks(letter) === 0 ? [] : [{ name, text: count(ranks(letter), "rank"), colour: fill }],
      ),
    };
  });
  return { svg, isUpright: false, stops };
}

function timeLines(run: Run): HTMLElement | null {
  if (run.lanes.length === 0) return null;
  const bin = run.seconds / run.lanes[0]!.bins.length;
  const { first, ranks } = run.lanes[0]!;
  const note =
    `A column is ${seconds(bin)}; of several things in it, the one that took most.` +
    (run.lanes.some((lane) => lane.ranks > 1)
      ? ` A lane is ${rankName(first, ranks).replace(/^ranks? /, "several ranks, such as ")}.`
      : "");
  return largeFigure({
    name: "What each rank did, and when",
    label: () => `Time lines of ${count(run.lanes.length, "lane")}`,
    draw: (width) => lanesDrawn(run, width),
    sheet: () => [
      ["ranks", "from (s)", "to (s)", "state"],
      ...run.lanes.flatMap((lane) =>
        pieces(lane.bins).flatMap(({ letter, from, to }) => {
          const state = states.find((one) => one.letter === letter);
          return state === undefined ? [] : [[laneName(lane), from * bin, to * bin, state.name]];
        }),
      ),
    ],
    above: [legendLine(states.filter(({ letter }) => run.lanes.some((lane) => lane.bins.includes(letter))))],
    below: [element("p", { class: "remark" }, note)],
  });
}

function matrixDrawn(run: Run, width: number): Readable {
  const cells = Math.ceil(run.ranks / run.ranks_a_cell);
  const most = Math.max(...run.pairs.map((pair) => pair.bytes), 1);
  const left = 44;
  const above = 18;
  const side = (width - left - 6) / cells;
  const inner = Math.max(0.6, side - (side > 6 ? 1 : 0)).toFixed(2);
  const all = String(cells * side);
  const svg = drawing(width, width);
  svg.append(svgElement("rect", { x: String(left), y: String(above), width: all, height: all, class: "ground" }));
  for (const pair of run.pairs) {
    const shade = pair.bytes <= 1 ? 0.15 : 0.15 + (0.85 * Math.log(pair.bytes)) / Math.log(most + 1);
    svg.append(
      svgElement("rect", {
        class: "series",
        x: (left + (pair.to / run.ranks_a_cell) * side).toFixed(2),
        y: (above + (pair.from / run.ranks_a_cell) * side).toFixed(2),
        width: inner,
        height: inner,
        style: `fill:var(--accent);fill-opacity:${shade.toFixed(3)}`,
      }),
    );
  }
  for (const rank of [0, run.ranks - 1]) {
    const at = (Math.floor(rank / run.ranks_a_cell) + 0.5) * side;
    svg.append(svgElement("text", { x: String(left - 5), y: String(above + 4 + at), "text-anchor": "end" }, String(rank)));
    svg.append(svgElement("text", { x: String(left + at), y: "12", "text-anchor": "middle" }, String(rank)));
  }
  const senders = [...new Set(run.pairs.map((pair) => pair.from))].sort((a, b) => a - b);
  const cell = (rank: number) => rankName(rank, Math.min(run.ranks_a_cell, run.ranks - rank));
  const stops = senders.map((from) => ({
    at: above + (from / run.ranks_a_cell + 0.5) * side,
    title: `from ${cell(from)}`,
    lines: run.pairs
      .filter((pair) => pair.from === from)
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, 8)
      .map((pair) => ({
        name: `to ${cell(pair.to)}`,
        text: `${count(pair.messages, "message")}, ${size(pair.bytes)}`,
        colour: "var(--accent)",
      })),
  }));
  return { svg, isUpright: true, stops };
}

function matrix(run: Run): HTMLElement | null {
  if (run.pairs.length === 0) return null;
  const cell = run.ranks_a_cell > 1 ? `${run.ranks_a_cell} ranks by ${run.ranks_a_cell}` : "a rank by a rank";
  const note =
    `A cell is ${cell}. From top to bottom who sends, from left to right who receives; darker is more ` +
    "bytes, by orders of magnitude. What collectives are made of counts, too.";
  return largeFigure({
    name: "Who sent how much to whom",
    label: () => `Bytes between ${count(run.ranks, "rank")}`,
    draw: (width) => matrixDrawn(run, Math.min(460, width)),
    sheet: () => [
      ["from", "to", "messages", "bytes"],
      ...run.pairs.map((pair) => [pair.from, pair.to, pair.messages, pair.bytes]),
    ],
    below: [element("p", { class: "remark" }, note)],
  });
}

interface Line {
  name: string;
  parts: { name: string; value: number; fill: string }[];
}

interface Stacked {
  title: string;
  lines: Line[];
  label: string;
  text: (value: number) => string;
  note: string;
}

function stackedPlot({ lines, label, text }: Stacked, width: number): Readable {
  const longest = Math.max(...lines.map((line) => line.name.length));
  const tall = lines.length > 24 ? 11 : 22;
  const svg = Plot.plot({
    width,
    height: 48 + tall * lines.length,
    marginLeft: Math.min(width / 2.2, 14 + 6.4 * longest),
    marginBottom: 38,
    marginRight: 20,
    x: { label, grid: true, ticks: 5, tickFormat: (v: number) => text(v) },
    y: { domain: lines.map((line) => line.name), label: null, padding: 0.2 },
    marks: [
      Plot.axisY(lines.map((l) => l.name).filter((_, i) => lines.length <= 24 || i % 2 === 0), { label: null }),
      Plot.barX(lines.flatMap((line) => line.parts.map((part) => ({ y: line.name, x: part.value, fill: part.fill }))), {
        x: "x",
        y: "y",
        fill: (d: { fill: string }) => d.fill,
        className: "series",
      }),
      Plot.ruleX([0]),
    ],
  }) as SVGSVGElement;
  const at = pixels(svg, "y");
  const stops = lines.map((line) => ({
    at: at(line.name),
    title: line.name,
    lines: line.parts
      .filter((part) => part.value > 0)
      .map((part) => ({ name: part.name, text: text(part.value), colour: part.fill })),
  }));
  return { svg, isUpright: true, stops };
}

// Bars of parts, one below the other.
function stacked(what: Stacked): HTMLElement {
  const used = what.lines.flatMap((line) => line.parts.filter((part) => part.value > 0));
  const fills = [...new Map(used.map((part) => [part.name, part.fill]))].map(([name, fill]) => ({ name, fill }));
  return largeFigure({
    name: what.title,
    label: () => what.title,
    draw: (width) => stackedPlot(what, width),
    sheet: () => [
      ["line", "part", what.label],
      ...what.lines.flatMap((line) => line.parts.map((part) => [line.name, part.name, part.value])),
    ],
    above: fills.length > 1 ? [legendLine(fills)] : [],
    below: what.note === "" ? [] : [element("p", { class: "remark" }, what.note)],
  });
}

// Parts of a rank's time that do not overlap.
export function partsOf(rank: RunRank): { name: string; value: number; fill: string }[] {
  const waiting = rank.late_sender + rank.late_receiver + rank.collective;
  const working = Math.max(0, rank.mpi - rank.connecting - waiting);
  return [
    { name: "computing", value: rank.computing, fill: "var(--part-0)" },
    { name: "in MPI, at work", value: working, fill: "var(--part-1)" },
    { name: "making connections", value: Math.min(rank.connecting, rank.mpi), fill: "var(--part-2)" },
    { name: "waiting for a late sender", value: rank.late_sender, fill: "var(--part-5)" },
    { name: "waiting for a late receiver", value: rank.late_receiver, fill: "var(--part-6)" },
    { name: "waiting in collectives", value: rank.collective, fill: "var(--part-3)" },
  ];
}

function whereTimeWent(run: Run): HTMLElement | null {
  if (run.times.length === 0) return null;
  const lines = run.times.map(({ first, ranks, mean }) => ({ name: rankName(first, ranks), parts: partsOf(mean) }));
  const grouped = run.times.some((one) => one.ranks > 1);
  return stacked({
    title: "Where the time went",
    lines,
    label: "between MPI_Init and MPI_Finalize",
    text: seconds,
    note: grouped ? "A line is the mean of the ranks that it names." : "",
  });
}

function sizes(run: Run): HTMLElement | null {
  if (run.sizes.length === 0) return null;
  const lines = run.sizes.map((one) => ({
    name: one.from_bytes < 1024 ? `from ${one.from_bytes} B` : `from ${size(one.from_bytes)}`,
    parts: [{ name: "messages", value: one.messages, fill: "var(--accent)" }],
  }));
  return stacked({
    title: "How large the messages were",
    lines,
    label: "messages",
    text: short,
    note: "Of the program's own messages, by powers of two.",
  });
}

function waits(run: Run): HTMLElement | null {
  if (run.waits.length === 0) return null;
  return figureOf("Who waited for whom, the longest first",
    table("Waits", [{ name: "rank", kind: "number" }, { name: "waited for rank", kind: "number" }, { name: "why" }, { name: "times", kind: "number" }, { name: "lost", kind: "number" }],
      run.waits.map((one) => [String(one.rank), String(one.by), one.why, String(one.times), seconds(one.seconds)])));
}

function functions(run: Run): HTMLElement | null {
  if (run.functions.length === 0) return null;
  const all = run.ranks * run.seconds;
  return figureOf("In which calls",
    table("Calls", [{ name: "function" }, { name: "calls", kind: "number" }, { name: "all ranks", kind: "number" }, { name: "of their time", kind: "number" }],
      run.functions.map((one) => [one.name, String(one.calls), seconds(one.seconds), percent(one.seconds / all)])));
}

function tiles(run: Run): HTMLElement {
  const mean = (take: (rank: RunRank) => number) => run.times.reduce((sum, one) => sum + take(one.mean) * one.ranks, 0) / Math.max(1, run.ranks);
  const messages = run.pairs.reduce((sum, pair) => sum + pair.messages, 0);
  const bytes = run.pairs.reduce((sum, pair) => sum + pair.bytes, 0);
  const lost = mean((rank) => rank.late_sender + rank.late_receiver + rank.collective);
  const between = Math.max(run.seconds - run.start_up, 1e-15);
  const tile = (number: string, what: string, more: string) =>
    element("div", { class: "tile" }, element("b", {}, number), element("span", {}, what), element("small", {}, more));
  return element("div", { class: "tiles" },
    tile(seconds(run.seconds), "of virtual time", `start-up ${seconds(run.start_up)} of it`),
    tile(percent(mean((rank) => rank.computing) / between), "of it computing", `computation: ${run.compute}`),
    tile(percent(lost / between), "of it waiting for others", "late senders, late receivers, collectives"),
    tile(String(messages), "messages", `${size(bytes)} in all`));
}

export function runSections({ data }: Contents): HTMLElement[] {
  return data.runs.map((run, i) => {
    const on = `on ${run.fabric}`;
    return element("section", { id: i === 0 ? "run" : `run-${i + 1}`, class: "run" },
      element("h1", {}, `${run.program} ${on}`),
      element("p", { class: "lead" }, `${count(run.ranks, "rank")} on ${count(run.nodes, "node")}, in virtual time: the same on every machine${run.compute.startsWith("measured") ? ", but for the computation, which was measured" : ""}.`),
      tiles(run),
      ...[timeLines(run), element("div", { class: "pair" }, ...[whereTimeWent(run), matrix(run)].filter((one) => one !== null)),
        networkFigure(run), element("div", { class: "pair" }, ...[sizes(run), functions(run)].filter((one) => one !== null)), waits(run)].filter((one) => one !== null));
  });
}
