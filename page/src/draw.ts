// One plot as SVG, by Observable Plot. Of the libraries looked at it is the one whose plots are
// part of the document: text that can be read aloud, marks that a test can count, colours that
// follow the page from light to dark by themselves. page/README.md compares.

import * as Plot from "@observablehq/plot";
import type { Markish } from "@observablehq/plot";
import { Horizontal } from "./axes";
import { bars } from "./bars";
import { label, series, type Chart } from "./charts";
import type { Look } from "./looks";
import { words } from "./numbers";
import { axisX, axisY, describe, dotLook, publishedMarks, spanned, tip } from "./pieces";
import type { Context, Drawing, View } from "./pieces";
import { marks } from "./published";

interface Point {
  x: number;
  y: number;
  text: string;
}

const noLimits = { least: 0, most: 0 };

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
  const kind = chart.groups !== null ? bars : chart.x === null ? dots : curves;
  const drawing = kind(chart, context, view, width);
  finish(drawing.svg, chart, drawing.series.length);
  return drawing;
}
