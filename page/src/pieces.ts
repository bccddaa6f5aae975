// What all kinds of plots are made of: axes, the papers' marks, and where the crosshair stops.

import * as Plot from "@observablehq/plot";
import type { Markish } from "@observablehq/plot";
import { naturalKind, valueAxis, type Axis, type Kind } from "./axes";
import type { Chart, Choice, Series } from "./charts";
import type { Readable, Stop } from "./crosshair";
import type { Paper, Verdict } from "./data";
import type { Look, Looks } from "./looks";
import type { Mark } from "./published";
import type { State } from "./state";

export interface View {
  choice: Choice;
  hidden: Set<string>; // keys of series that the reader switched off
  kind: Kind | null; // of the vertical axis; null: what suits the values
}

export interface Context {
  looks: Looks;
  papers: Paper[];
  verdicts: Map<string, Verdict>;
  state: State;
}

export interface Drawing extends Readable {
  series: Series[];
  marks: Mark[];
}

// Those that neither the legend nor the filter hides.
export function shownOf(all: Series[], view: View, context: Context): Series[] {
  return all.filter((one) => !view.hidden.has(one.key) && context.state.shows(one.fabric));
}

// A plot's scale, as pixels.
export function pixels(svg: SVGSVGElement | HTMLElement, name: "x" | "y" | "fx") {
  const scale = (svg as unknown as Plot.Plot).scale(name)!;
  return (value: unknown): number =>
    (scale.apply(value) as number) + ((scale as { bandwidth?: number }).bandwidth ?? 0) / 2;
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
      stroke: context.looks.ofMark(chart, mark.fabric),
      strokeWidth: 2,
      fill: "var(--plot-background)",
      fillOpacity: 0.8,
      title: (m: Mark) => m.text,
    }),
  );
}

// What the crosshair says of a paper's value.
export function publishedLine(mark: Mark, chart: Chart, context: Context): Stop["lines"][number] {
  const sign = mark.bound === "least" ? "△" : mark.bound === "most" ? "▽" : "◇";
  return {
    name: `${sign} ${mark.id}`,
    text: mark.short,
    colour: context.looks.ofMark(chart, mark.fabric),
  };
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
