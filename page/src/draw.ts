// One plot as SVG, by Observable Plot. Of the libraries looked at it is the one whose plots are
// part of the document: text that can be read aloud, marks that a test can count, colours that
// follow the page from light to dark by themselves. page/README.md compares.

import * as Plot from "@observablehq/plot";
import type { Markish } from "@observablehq/plot";
import { Horizontal, naturalKind, valueAxis, type Axis, type Kind } from "./axes";
import { label, series, type Chart, type Choice, type Series } from "./charts";
import type { Paper, Row, Verdict } from "./data";
import type { Look, Looks } from "./looks";
import { parameter, quantity, words } from "./numbers";
import { marks, type Mark } from "./published";

export interface View {
  choice: Choice;
  hidden: Set<string>; // keys of series that the reader switched off
  kind: Kind | null; // of the vertical axis; null: what suits the values
}

export interface Context {
  looks: Looks;
  papers: Paper[];
  verdicts: Map<string, Verdict>;
}

interface Point {
  x: number;
  y: number;
  text: string;
}

export interface Drawing {
  svg: SVGSVGElement | HTMLElement;
  series: Series[];
  marks: Mark[];
}

const noLimits = { least: 0, most: 0 };

function describe(row: Row): string {
  const parameters = Object.entries(row.parameters).map(
    ([name, value]) => `${words(name)} ${parameter(name, value)}`,
  );
  return [`${row.fabric}: ${quantity(row.value, row.unit)}`, ...parameters].join("\n");
}

export function dotLook(look: Look) {
  return {
    symbol: look.symbol,
    stroke: look.colour,
    fill: look.filled ? look.colour : "var(--plot-background)",
  };
}

function lineMarks(points: Point[], look: Look): Markish[] {
  return [
    Plot.line(points, {
      x: "x",
      y: "y",
      className: "series",
      stroke: look.colour,
      strokeWidth: 1.8,
      strokeDasharray: look.dash,
    }),
    Plot.dot(points, { ...dotLook(look), x: "x", y: "y", className: "points", r: 2.6 }),
  ];
}

// Where a paper's value stands along the axis that is not the value's.
type Placed = Mark & { at: number | string };

function publishedMarks(found: Placed[], flip: boolean, context: Context, chart: Chart): Markish[] {
  return found.map((mark) =>
    Plot.dot([mark], {
      x: flip ? "y" : "at",
      y: flip ? "at" : "y",
      className: "published",
      symbol: mark.bound === "is" ? "diamond2" : "triangle",
      rotate: mark.bound === "most" ? 180 : 0,
      r: mark.bound === "is" ? 5.5 : 4.5,
      stroke: context.looks.ofFabric(chart, mark.fabric),
      strokeWidth: 2,
      fill: "var(--plot-background)",
      fillOpacity: 0.8,
      ariaLabel: (m: Mark) => m.text,
    }),
  );
}

function tip(points: object[]): Markish {
  return Plot.tip(points, Plot.pointer({ x: "x", y: "y", title: "text", maxRadius: 30 }));
}

// What the values span does not change when the reader hides a series.
function spanned(chart: Chart, view: View, all: Series[], found: Mark[]): Axis {
  const values = [...all.flatMap((s) => s.rows.map((r) => r.value)), ...found.map((m) => m.y)];
  const possible = values.every((value) => value > 0);
  const kind = possible ? (view.kind ?? naturalKind(values)) : "linear";
  return valueAxis(chart.unit, chart.metric, values, kind);
}

// Ticks that are named by hand, since the library leaves out some of a logarithmic axis.
function axisX(axis: Axis): Markish[] {
  const options = { labelOffset: 38 };
  if (axis.ticks === undefined)
    return [Plot.gridX(), Plot.axisX({ ...options, tickFormat: axis.text })];
  return [Plot.gridX(axis.ticks), Plot.axisX(axis.ticks, { ...options, text: axis.text })];
}

function axisY(axis: Axis): Markish[] {
  if (axis.ticks === undefined) return [Plot.gridY(), Plot.axisY({ tickFormat: axis.text })];
  return [Plot.gridY(axis.ticks), Plot.axisY(axis.ticks, { text: axis.text })];
}

function curves(chart: Chart, context: Context, view: View, width: number): Drawing {
  const x = chart.x!;
  const all = series(chart, view.choice);
  const places = all.flatMap((s) => s.rows.map((r) => Number(r.parameters[x])));
  const axis = new Horizontal(chart, places, width);
  const found = marks(chart, view.choice, context.papers, context.verdicts, axis).map((mark) => ({
    ...mark,
    at: mark.x === null ? axis.most : axis.place(mark.x),
  }));
  const shown = all.filter((one) => !view.hidden.has(one.key));
  const points = shown.map((one) =>
    one.rows.map((row) => ({
      x: axis.place(Number(row.parameters[x])),
      y: row.value,
      text: describe(row),
    })),
  );
  const values = spanned(chart, view, all, found);
  const everywhere = found.filter((mark) => mark.x === null);
  const svg = Plot.plot({
    width,
    height: Math.max(260, Math.min(440, width * 0.6)),
    marginLeft: 56,
    marginBottom: 44,
    x: axis.scale,
    y: values.scale,
    marks: [
      ...axisX(axis),
      ...axisY(values),
      Plot.frame({ strokeOpacity: 0.2 }),
      Plot.ruleY(everywhere, { y: "y", strokeDasharray: "2 4", strokeOpacity: 0.7 }),
      ...shown.flatMap((one, i) => lineMarks(points[i]!, context.looks.of(chart, all, one))),
      ...publishedMarks(found, false, context, chart),
      tip([...points.flat(), ...found.map((m) => ({ x: m.at, y: m.y, text: m.text }))]),
    ],
  });
  return { svg, series: shown, marks: found };
}

// Where no number was varied: a line of points for each series.
function dots(chart: Chart, context: Context, view: View, width: number): Drawing {
  const all = series(chart, view.choice);
  const named = all.map((one) => ({ ...one, name: label(chart, all, one) }));
  const found = marks(chart, view.choice, context.papers, context.verdicts, noLimits).map(
    (mark) => ({
      ...mark,
      at: named.find((one) => one.fabric === mark.fabric)?.name ?? "published",
    }),
  );
  const shown = named.filter((one) => !view.hidden.has(one.key));
  const points = shown.map((one) =>
    one.rows.map((row) => ({ x: row.value, y: one.name, text: describe(row) })),
  );
  const values = spanned(chart, view, all, found);
  const lines = [...new Set([...shown.map((one) => one.name), ...found.map((m) => m.at)])];
  const longest = Math.max(0, ...lines.map((line) => line.length));
  const svg = Plot.plot({
    width,
    height: 64 + 26 * lines.length,
    marginLeft: Math.min(width / 2.5, 20 + 6.5 * longest),
    marginBottom: 44,
    x: values.scale,
    y: { type: "point", domain: lines, label: null, grid: true },
    marks: [
      ...axisX(values),
      Plot.frame({ strokeOpacity: 0.2 }),
      ...shown.map((one, i) => {
        const look = context.looks.of(chart, named, one);
        return Plot.dot(points[i]!, {
          ...dotLook(look),
          x: "x",
          y: "y",
          className: "series",
          r: 5,
        });
      }),
      ...publishedMarks(found, true, context, chart),
      tip([...points.flat(), ...found.map((m) => ({ x: m.y, y: m.at, text: m.text }))]),
    ],
  });
  return { svg, series: shown, marks: found };
}

function finish(svg: Element, chart: Chart, count: number): void {
  const what = `${chart.experiment}: ${words(chart.metric)}, ${count} series`;
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", `${what}. All rows are in the table below.`);
  for (const mark of svg.querySelectorAll(".published > *")) {
    mark.setAttribute("tabindex", "0");
    mark.setAttribute("role", "img");
  }
}

export function draw(chart: Chart, context: Context, view: View, width: number): Drawing {
  const drawing = (chart.x === null ? dots : curves)(chart, context, view, width);
  finish(drawing.svg, chart, drawing.series.length);
  return drawing;
}
