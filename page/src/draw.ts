// One plot as SVG, by Observable Plot. Of the libraries looked at it is the one whose plots are
// part of the document: text that can be read aloud, marks that a test can count, colours that
// follow the page from light to dark by themselves. page/README.md compares.

import * as Plot from "@observablehq/plot";
import type { Markish } from "@observablehq/plot";
import { Horizontal } from "./axes";
import { bars } from "./bars";
import { label, series, type Chart } from "./charts";
import type { Stop } from "./crosshair";
import type { Look } from "./looks";
import { quantity, words } from "./numbers";
import { axisX, axisY, dotLook, pixels, publishedLine, publishedMarks } from "./pieces";
import { shownOf, spanned } from "./pieces";
import type { Context, Drawing, Placed, View } from "./pieces";
import { marks } from "./published";

interface Point {
  x: number;
  y: number;
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
  const found: Placed[] = marks(chart, view.choice, context.papers, context.verdicts, axis)
    .filter((mark) => mark.fabric === null || context.state.shows(mark.fabric))
    .map((mark) => ({ ...mark, at: mark.x === null ? axis.most : axis.place(mark.x) }));
  const shown = shownOf(all, view, context);
  const looks = shown.map((one) => context.looks.of(chart, all, one));
  const points = shown.map((one) =>
    one.rows.map((row) => ({ x: axis.place(Number(row.parameters[x])), y: row.value })),
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
      ...shown.flatMap((_, i) => lineMarks(points[i]!, looks[i]!)),
      ...publishedMarks(found, false, context, chart),
    ],
  });
  const at = pixels(svg, "x");
  const stops: Stop[] = [...new Set([...points.flat().map((p) => p.x), ...found.map((m) => Number(m.at))])]
    .sort((a, b) => a - b)
    .map((place) => ({
      at: at(place),
      title: `${words(x)} ${axis.text(place)}`,
      lines: [
        ...shown
          .flatMap((one, i) =>
            points[i]!
              .filter((point) => point.x === place)
              .map((point) => ({
                name: label(chart, all, one),
                value: point.y,
                text: quantity(point.y, chart.unit),
                colour: looks[i]!.colour,
              })),
          )
          .sort((a, b) => a.value - b.value),
        ...found.filter((mark) => mark.at === place).map((mark) => publishedLine(mark, chart, context)),
      ],
    }));
  return { svg, stops, isUpright: false, series: shown, marks: found };
}

// Where no number was varied: a line of points for each series.
function dots(chart: Chart, context: Context, view: View, width: number): Drawing {
  const all = series(chart, view.choice);
  const named = all.map((one) => ({ ...one, name: label(chart, all, one) }));
  const found = marks(chart, view.choice, context.papers, context.verdicts, noLimits)
    .filter((mark) => mark.fabric === null || context.state.shows(mark.fabric))
    .map((mark) => ({
      ...mark,
      at: named.find((one) => one.fabric === mark.fabric)?.name ?? "published",
    }));
  const isShown = new Set(shownOf(all, view, context).map((one) => one.key));
  const shown = named.filter((one) => isShown.has(one.key));
  const looks = shown.map((one) => context.looks.of(chart, named, one));
  const values = spanned(chart, view, all, found);
  const lines = [...new Set([...shown.map((one) => one.name), ...found.map((m) => m.at)])];
  const longest = Math.max(0, ...lines.map((line) => line.length));
  const svg = Plot.plot({
    width,
    height: 64 + 26 * lines.length,
    marginLeft: Math.min(width / 2.2, 20 + 6.5 * longest),
    marginBottom: 44,
    x: values.scale,
    y: { type: "point", domain: lines, label: null, grid: true },
    marks: [
      ...axisX(values),
      Plot.frame({ strokeOpacity: 0.2 }),
      ...shown.map((one, i) =>
        Plot.dot(
          one.rows.map((row) => ({ x: row.value, y: one.name })),
          { ...dotLook(looks[i]!), x: "x", y: "y", className: "series", r: 5 },
        ),
      ),
      ...publishedMarks(found, true, context, chart),
    ],
  });
  const at = pixels(svg, "y");
  const stops = lines.map((line) => ({
    at: at(line),
    title: line,
    lines: [
      ...shown.flatMap((one, i) =>
        one.name !== line
          ? []
          : one.rows.map((row) => ({
              name: words(chart.metric),
              text: quantity(row.value, row.unit),
              colour: looks[i]!.colour,
            })),
      ),
      ...found.filter((mark) => mark.at === line).map((mark) => publishedLine(mark, chart, context)),
    ],
  }));
  return { svg, stops, isUpright: true, series: shown, marks: found };
}

export function draw(chart: Chart, context: Context, view: View, width: number): Drawing {
  const kind = chart.groups !== null ? bars : chart.x === null ? dots : curves;
  const drawing = kind(chart, context, view, width);
  drawing.svg.setAttribute("role", "img");
  const count = drawing.series.length;
  drawing.svg.setAttribute("aria-label", `${chart.experiment}: ${words(chart.metric)}, ${count} series`);
  return drawing;
}
