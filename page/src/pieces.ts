// What all kinds of plots are made of: axes, the papers' marks, tooltips.

import * as Plot from "@observablehq/plot";
import type { Markish } from "@observablehq/plot";
import { naturalKind, valueAxis, type Axis, type Kind } from "./axes";
import type { Chart, Choice, Series } from "./charts";
import type { Paper, Row, Verdict } from "./data";
import type { Look, Looks } from "./looks";
import { parameter, quantity, words } from "./numbers";
import type { Mark } from "./published";

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

export interface Drawing {
  svg: SVGSVGElement | HTMLElement;
  series: Series[];
  marks: Mark[];
}

export function describe(row: Row): string {
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

// Where a paper's value stands along the axis that is not the value's, and in which group of bars.
export type Placed = Mark & { at: number | string; facet?: string };

export function publishedMarks(
  found: Placed[],
  flip: boolean,
  context: Context,
  chart: Chart,
): Markish[] {
  return found.map((mark) =>
    Plot.dot([mark], {
      ...(mark.facet === undefined ? {} : { fx: "facet" }),
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

export function tip(points: { text: string; facet?: string }[]): Markish {
  const facet = points.some((point) => point.facet !== undefined) ? { fx: "facet" } : {};
  return Plot.tip(points, Plot.pointer({ ...facet, x: "x", y: "y", title: "text", maxRadius: 30 }));
}

// What the values span does not change when the reader hides a series.
export function spanned(chart: Chart, view: View, all: Series[], found: Mark[]): Axis {
  const values = [...all.flatMap((s) => s.rows.map((r) => r.value)), ...found.map((m) => m.y)];
  const possible = values.every((value) => value > 0);
  const kind = possible ? (view.kind ?? naturalKind(values)) : "linear";
  return valueAxis(chart.unit, chart.metric, values, kind);
}

// Ticks that are named by hand, since the library leaves out some of a logarithmic axis.
export function axisX(axis: Axis): Markish[] {
  const options = { labelOffset: 38 };
  if (axis.ticks === undefined)
    return [Plot.gridX(), Plot.axisX({ ...options, tickFormat: axis.text })];
  return [Plot.gridX(axis.ticks), Plot.axisX(axis.ticks, { ...options, text: axis.text })];
}

export function axisY(axis: Axis): Markish[] {
  if (axis.ticks === undefined) return [Plot.gridY(), Plot.axisY({ tickFormat: axis.text })];
  return [Plot.gridY(axis.ticks), Plot.axisY(axis.ticks, { text: axis.text })];
}
