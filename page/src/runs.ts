// A run of a program: what each rank did and when, who sent how much to whom, where the time went,
// and which parts of the network were busy.

import * as Plot from "@observablehq/plot";
import { Crosshair } from "./crosshair";
import type { Run, RunRank } from "./data";
import { element, svgElement, table, whenResized } from "./dom";
import { networkFigure } from "./network";
import { count, percent, seconds, short, size } from "./numbers";
import { pixels } from "./pieces";
import type { Contents } from "./top";

// What a letter of a lane means. src/mpi/traces/lanes.cpp writes them.
const states: [letter: string, name: string, fill: string][] = [
  ["s", "MPI_Init and MPI_Finalize", "var(--part-4)"],
  ["c", "computing", "var(--part-0)"],
  ["p", "in MPI, between two", "var(--part-1)"],
  ["g", "in MPI, collectives", "var(--part-3)"],
  ["n", "making connections", "var(--part-2)"],
  ["w", "waiting for another", "var(--part-5)"],
];

function rankName(first: number, ranks: number): string {
  return ranks === 1 ? `rank ${first}` : `ranks ${first} to ${first + ranks - 1}`;
}

function figureOf(title: string, ...children: (Node | string)[]): HTMLElement {
  return element("figure", { class: "large" }, element("figcaption", {}, element("h3", {}, title)), ...children);
}

function names(used: (typeof states)[number][]): HTMLElement {
  return element(
    "p",
    { class: "names" },
    ...used.map(([, name, fill]) => element("span", {}, element("i", { style: `background:${fill}` }), name)),
  );
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

function timeLines(run: Run): HTMLElement | null {
  if (run.lanes.length === 0) return null;
  const bins = run.lanes[0]!.bins.length;
  const used = states.filter(([letter]) => run.lanes.some((lane) => lane.bins.includes(letter)));
  const fill = new Map(states.map(([letter, , colour]) => [letter, colour]));
  const holder = element("div", { class: "plot" });
  const crosshair = new Crosshair(holder, "What each rank did, and when");
  const grouped = run.lanes.some((lane) => lane.ranks > 1);
  const note =
    `A column is ${seconds(run.seconds / bins)}; of several things in it, the one that took most.` +
    (grouped ? ` A lane is ${rankName(run.lanes[0]!.first, run.lanes[0]!.ranks).replace(/^ranks? /, "several ranks, such as ")}.` : "");
  const figure = figureOf("What each rank did, and when", names(used), holder, element("p", { class: "remark" }, note));
  const redraw = () => {
    const width = Math.max(280, holder.clientWidth);
    const left = 84;
    const tall = Math.max(5, Math.min(18, Math.floor(620 / run.lanes.length)));
    const height = run.lanes.length * tall + 34;
    const scale = (width - left - 10) / bins;
    const root = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width: String(width), height: String(height), role: "img" });
    root.setAttribute("aria-label", `Time lines of ${count(run.lanes.length, "lane")}`);
    const every = Math.ceil(14 / tall);
    run.lanes.forEach((lane, i) => {
      if (i % every === 0)
        root.append(svgElement("text", { x: String(left - 6), y: String(i * tall + tall * 0.75), "text-anchor": "end" },
          lane.ranks === 1 ? `rank ${lane.first}` : `${lane.first}–${lane.first + lane.ranks - 1}`));
      for (const { letter, from, to } of pieces(lane.bins)) {
        const colour = fill.get(letter);
        if (colour === undefined) continue;
        root.append(
          svgElement("rect", {
            class: "series",
            x: (left + from * scale).toFixed(2),
            width: Math.max(0.4, (to - from) * scale).toFixed(2),
            y: String(i * tall),
            height: String(tall - (tall > 7 ? 2 : 0.5)),
            style: `fill:${colour}`,
          }),
        );
      }
    });
    for (let i = 0; i <= 4; i += 1)
      root.append(svgElement("text", { x: String(left + (i / 4) * (width - left - 10)), y: String(height - 8), "text-anchor": i === 0 ? "start" : i === 4 ? "end" : "middle" }, seconds((run.seconds * i) / 4)));
    holder.replaceChildren(root);
    const steps = Math.min(bins, 120);
    crosshair.watch({
      svg: root as SVGSVGElement,
      isUpright: false,
      series: [],
      marks: [],
      stops: [...Array(steps).keys()].map((step) => {
        const bin = Math.floor((step * bins) / steps);
        return {
          at: left + (bin + 0.5) * scale,
          title: `at ${seconds((run.seconds * bin) / bins)}`,
          lines: used
            .map(([letter, name, colour]) => {
              const here = run.lanes.filter((lane) => lane.bins[bin] === letter).reduce((sum, lane) => sum + lane.ranks, 0);
              return { name, text: here === 0 ? "" : count(here, "rank"), colour };
            })
            .filter((line) => line.text !== ""),
        };
      }),
    });
  };
  figure.addEventListener("placed", () => {
    redraw();
    whenResized(holder, redraw);
  });
  return figure;
}

function matrix(run: Run): HTMLElement | null {
  if (run.pairs.length === 0) return null;
  const holder = element("div", { class: "plot" });
  const crosshair = new Crosshair(holder, "Who sent how much to whom");
  const cells = Math.ceil(run.ranks / run.ranks_a_cell);
  const most = Math.max(...run.pairs.map((pair) => pair.bytes), 1);
  const note = run.ranks_a_cell > 1 ? `A cell is ${run.ranks_a_cell} ranks by ${run.ranks_a_cell}.` : "A cell is a rank by a rank.";
  const figure = figureOf("Who sent how much to whom", holder,
    element("p", { class: "remark" }, `${note} From top to bottom who sends, from left to right who receives; darker is more bytes, by orders of magnitude. What collectives are made of counts, too.`));
  const redraw = () => {
    const width = Math.min(460, Math.max(260, holder.clientWidth));
    const left = 44;
    const side = (width - left - 6) / cells;
    const root = svgElement("svg", { viewBox: `0 0 ${width} ${width}`, width: String(width), height: String(width), role: "img" });
    root.setAttribute("aria-label", `Bytes between ${count(run.ranks, "rank")}`);
    root.append(svgElement("rect", { x: String(left), y: "18", width: String(cells * side), height: String(cells * side), class: "ground" }));
    for (const pair of run.pairs) {
      const shade = pair.bytes <= 1 ? 0.15 : 0.15 + (0.85 * Math.log(pair.bytes)) / Math.log(most + 1);
      root.append(svgElement("rect", {
        class: "series",
        x: (left + (pair.to / run.ranks_a_cell) * side).toFixed(2), y: (18 + (pair.from / run.ranks_a_cell) * side).toFixed(2),
        width: Math.max(0.6, side - (side > 6 ? 1 : 0)).toFixed(2), height: Math.max(0.6, side - (side > 6 ? 1 : 0)).toFixed(2),
        style: `fill:var(--accent);fill-opacity:${shade.toFixed(3)}`,
      }));
    }
    for (const rank of [0, run.ranks - 1]) {
      const at = (Math.floor(rank / run.ranks_a_cell) + 0.5) * side;
      root.append(svgElement("text", { x: String(left - 5), y: String(22 + at), "text-anchor": "end" }, String(rank)));
      root.append(svgElement("text", { x: String(left + at), y: "12", "text-anchor": "middle" }, String(rank)));
    }
    holder.replaceChildren(root);
    const rows = [...new Set(run.pairs.map((pair) => pair.from))].sort((a, b) => a - b);
    crosshair.watch({
      svg: root as SVGSVGElement,
      isUpright: true,
      series: [],
      marks: [],
      stops: rows.map((from) => {
        const own = run.pairs.filter((pair) => pair.from === from).sort((a, b) => b.bytes - a.bytes);
        return {
          at: 18 + (from / run.ranks_a_cell + 0.5) * side,
          title: `from ${rankName(from, Math.min(run.ranks_a_cell, run.ranks - from))}`,
          lines: own.slice(0, 8).map((pair) => ({
            name: `to ${rankName(pair.to, Math.min(run.ranks_a_cell, run.ranks - pair.to))}`,
            text: `${count(pair.messages, "message")}, ${size(pair.bytes)}`,
            colour: "var(--accent)",
          })),
        };
      }),
    });
  };
  figure.addEventListener("placed", () => {
    redraw();
    whenResized(holder, redraw);
  });
  return figure;
}

interface Line {
  name: string;
  parts: { name: string; value: number; fill: string }[];
}

// Bars of parts, one below the other.
function stacked(title: string, lines: Line[], label: string, text: (value: number) => string, note = ""): HTMLElement {
  const holder = element("div", { class: "plot" });
  const crosshair = new Crosshair(holder, title);
  const used = lines.flatMap((line) => line.parts.filter((part) => part.value > 0));
  const fills = new Map(used.map((part) => [part.name, part.fill]));
  const figure = figureOf(title,
    ...(fills.size > 1 ? [element("p", { class: "names" }, ...[...fills].map(([name, fill]) => element("span", {}, element("i", { style: `background:${fill}` }), name)))] : []),
    holder, ...(note === "" ? [] : [element("p", { class: "remark" }, note)]));
  const redraw = () => {
    const width = Math.max(280, holder.clientWidth);
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
          x: "x", y: "y", fill: (d: { fill: string }) => d.fill, className: "series",
        }),
        Plot.ruleX([0]),
      ],
    }) as SVGSVGElement;
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", title);
    holder.replaceChildren(svg);
    const at = pixels(svg, "y");
    crosshair.watch({
      svg, isUpright: true, series: [], marks: [],
      stops: lines.map((line) => ({
        at: at(line.name),
        title: line.name,
        lines: line.parts.filter((part) => part.value > 0).map((part) => ({ name: part.name, text: text(part.value), colour: part.fill })),
      })),
    });
  };
  figure.addEventListener("placed", () => {
    redraw();
    whenResized(holder, redraw);
  });
  return figure;
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
  return stacked("Where the time went", lines, "between MPI_Init and MPI_Finalize", seconds,
    grouped ? "A line is the mean of the ranks that it names." : "");
}

function sizes(run: Run): HTMLElement | null {
  if (run.sizes.length === 0) return null;
  const lines = run.sizes.map((one) => ({
    name: one.from_bytes < 1024 ? `from ${one.from_bytes} B` : `from ${size(one.from_bytes)}`,
    parts: [{ name: "messages", value: one.messages, fill: "var(--accent)" }],
  }));
  return stacked("How large the messages were", lines, "messages", short, "Of the program's own messages, by powers of two.");
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
