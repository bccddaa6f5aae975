// Where names were varied and not numbers: bars side by side for each of them, with what the papers
// say at the bar that it is about.

import * as Plot from "@observablehq/plot";
import { label, series, type Chart } from "./charts";
import type { Look } from "./looks";
import { parameter, quantity, words } from "./numbers";
import { axisY, pixels, publishedLine, publishedMarks, shownOf, spanned } from "./pieces";
import type { Context, Drawing, View } from "./pieces";
import { groupMarks } from "./published";

// Variants of one interconnect share its colour: the first is filled, others have its dashes.
function barLook(look: Look) {
  return {
    fill: look.colour,
    fillOpacity: look.dash === "none" ? 0.85 : 0.25,
    stroke: look.colour,
    strokeDasharray: look.dash,
  };
}

export function bars(chart: Chart, context: Context, view: View, width: number): Drawing {
  const groups = chart.groups!;
  const all = series(chart, view.choice);
  const shown = shownOf(all, view, context);
  const looks = shown.map((one) => context.looks.of(chart, all, one));
  const names = new Map(shown.map((one) => [one.key, label(chart, all, one)]));
  const group = (value: unknown) => parameter(groups.name, value);
  const found = groupMarks(chart, view.choice, context.papers, context.verdicts, shown).map(
    (mark) => ({ ...mark, at: names.get(mark.series)!, facet: group(mark.group) }),
  );
  const points = shown.map((one) =>
    one.rows.map((row) => ({
      x: names.get(one.key)!,
      y: row.value,
      facet: group(row.parameters[groups.name]),
    })),
  );
  // Groups of which nothing is left are left out, too.
  const filled = new Set(points.flat().map((point) => point.facet));
  const domain = groups.values.map(group).filter((name) => filled.has(name));
  // A bar begins at 0, unless the reader wants a logarithm.
  const values = spanned(chart, { ...view, kind: view.kind ?? "linear" }, all, found);
  const least = values.scale.type === "log" ? Number([...values.scale.domain!][0]) : 0;
  const svg = Plot.plot({
    width,
    height: Math.max(260, Math.min(400, width * 0.5)),
    marginLeft: 56,
    marginBottom: 44,
    fx: { domain, label: words(groups.name), padding: 0.15 },
    x: { domain: [...names.values()], axis: null, padding: 0.1 },
    y: values.scale,
    marks: [
      ...axisY(values),
      Plot.axisFx({ anchor: "bottom", labelAnchor: "right" }),
      ...shown.map((_, i) =>
        Plot.barY(points[i]!, {
          ...barLook(looks[i]!),
          fx: "facet",
          x: "x",
          y1: least,
          y2: "y",
          className: "series",
        }),
      ),
      ...publishedMarks(found, false, context, chart),
    ],
  });
  const at = pixels(svg, "fx");
  const stops = domain.map((name) => ({
    at: at(name),
    title: `${words(groups.name)} ${name}`,
    lines: [
      ...shown.flatMap((one, i) =>
        points[i]!
          .filter((point) => point.facet === name)
          .map((point) => ({
            name: names.get(one.key)!,
            text: quantity(point.y, chart.unit),
            colour: looks[i]!.colour,
          })),
      ),
      ...found.filter((mark) => mark.facet === name).map((mark) => publishedLine(mark, chart, context)),
    ],
  }));
  return { svg, stops, isUpright: false, series: shown, marks: found };
}
