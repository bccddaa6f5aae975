// Files side by side: how many times the first one's, and a mark where the difference is more than
// the samples scatter.

import * as Plot from "@observablehq/plot";
import type { Readable } from "./crosshair";
import type { ComparedCell, ComparedTable } from "./data";
import { element, folded, table, type Cell } from "./dom";
import { largeFigure } from "./large";
import { count, exact, parameter, quantity, short, unitName, words } from "./numbers";
import { pixels } from "./pieces";
import type { Contents } from "./top";

const marks: Record<string, [string, string]> = {
  better: ["better", "good"],
  worse: ["worse", "bad"],
  differs: ["differs", "known"],
};

function subject(line: ComparedTable["lines"][number]): string {
  const parts = Object.entries(line.parameters).map(([name, value]) =>
    name === "message_bytes" ? parameter(name, value) : `${words(name)} ${parameter(name, value)}`,
  );
  return [words(line.metric), ...parts].join(", ");
}

function cellOf(cell: ComparedCell | null, unit: string): Cell {
  if (cell === null) return "";
  const value = element("span", { title: exact(cell.value) }, quantity(cell.value, unit));
  if (cell.ratio === undefined) return value;
  const made = element("span", {}, value, " ", element("small", {}, `× ${short(cell.ratio)}`));
  if (cell.change !== undefined) {
    const [word, kind] = marks[cell.change]!;
    made.append(" ", element("span", { class: `badge ${kind}` }, word));
  }
  return made;
}

// Of these, those within, on either side of 1.
function ratioTicks(most: number): number[] {
  const all = most < 1.6 ? [1, 1.05, 1.1, 1.2, 1.5] : most < 12 ? [1, 1.5, 2, 3, 5, 10] : [1, 2, 5, 10, 100, 1000];
  const within = all.filter((tick) => tick <= most * 1.02);
  return [...new Set([...within.map((tick) => 1 / tick), ...within])];
}

interface Ratio {
  column: string;
  ratio: number;
  change: string;
  name: string;
}

function ratios(found: ComparedTable): Ratio[] {
  return found.lines.flatMap((line) =>
    line.cells.flatMap((cell, i) =>
      i === 0 || cell?.ratio === undefined || cell.ratio <= 0
        ? []
        : [{ column: found.columns[i]!, ratio: cell.ratio, change: cell.change ?? "none", name: subject(line) }],
    ),
  );
}

const colours: Record<string, string> = {
  better: "var(--good)",
  worse: "var(--bad)",
  differs: "var(--known)",
  none: "var(--faint)",
};

function ratioPlot(points: Ratio[], names: string[], width: number): Readable {
  const most = Math.max(1.1, ...points.map((p) => Math.max(p.ratio, 1 / p.ratio)));
  const columns = names.slice(1).filter((name) => points.some((p) => p.column === name));
  const longest = Math.max(...columns.map((name) => name.length));
  const svg = Plot.plot({
    width,
    height: 56 + 26 * columns.length,
    marginLeft: Math.min(width / 2.2, 14 + 6.3 * longest),
    marginBottom: 40,
    x: { type: "log", domain: [1 / most / 1.05, most * 1.05], label: `times ${names[0]}`, grid: true, ticks: ratioTicks(most), tickFormat: (v: number) => short(v) },
    y: { type: "point", domain: columns, label: null, padding: 0.6 },
    color: { type: "identity" },
    symbol: { type: "identity" },
    marks: [
      Plot.ruleX([1]),
      Plot.dot(points, {
        x: "ratio",
        y: "column",
        r: 3.4,
        stroke: (p: Ratio) => colours[p.change]!,
        fill: (p: Ratio) => (p.change === "none" ? "none" : colours[p.change]!),
        symbol: (p: Ratio) => (p.change === "worse" ? "triangle" : p.change === "none" ? "circle" : "diamond"),
        className: "points",
      }),
    ],
  }) as SVGSVGElement;
  const at = pixels(svg, "y");
  const stops = columns.map((name) => ({
    at: at(name),
    title: name,
    lines: points
      .filter((p) => p.column === name)
      .slice(0, 14)
      .map((p) => ({ name: p.name, text: `× ${short(p.ratio)}`, colour: colours[p.change]! })),
  }));
  return { svg, isUpright: true, stops };
}

function comparedFigure(found: ComparedTable): HTMLElement {
  const points = ratios(found);
  const changed = found.lines.flatMap((line) => line.cells).filter((cell) => cell?.change !== undefined);
  const all = folded([`all ${count(found.lines.length, "result")}`], (body) =>
    body.append(
      table(
        found.experiment,
        [{ name: "what" }, ...found.columns.map((name) => ({ name, kind: "number" as const }))],
        found.lines.map((line) => [subject(line), ...line.cells.map((cell) => cellOf(cell, found.unit))]),
      ),
    ),
  );
  return largeFigure({
    name: `${found.experiment} (${unitName(found.unit)})`,
    attributes: { "data-experiment": found.experiment },
    label: () => `${found.experiment}: ${count(points.length, "ratio")}`,
    draw: (width) =>
      points.length === 0 ? "No value of one file has its like in another." : ratioPlot(points, found.columns, width),
    sheet: () => [
      ["what", ...found.columns],
      ...found.lines.map((line) => [subject(line), ...line.cells.map((cell) => cell?.value ?? "")]),
    ],
    above: [
      element("p", { class: "remark" }, `${count(found.lines.length, "result")}, ${count(changed.length, "difference")} beyond the spread.`),
    ],
    below: [all],
  });
}

export function comparedSection({ data }: Contents): HTMLElement | null {
  if (data.comparison.length === 0) return null;
  const section = element(
    "section",
    { id: "compared" },
    element("h2", {}, "Files side by side"),
    element(
      "p",
      {},
      "The first column is the measure of all. ▲ and ◆ and a word mark a difference beyond the " +
        "spread of the samples: the middle halves of both stand apart. ○ is within it.",
    ),
  );
  section.append(...data.comparison.map(comparedFigure));
  return section;
}
