// A large plot whose curves have their names at their ends, so that no legend is needed.

import * as Plot from "@observablehq/plot";
import { decimalTicks } from "./axes";
import type { Stop } from "./crosshair";
import { element } from "./dom";
import type { Sheet } from "./exports";
import { largeFigure, legendLine } from "./large";
import type { Looks } from "./looks";
import { quantity, short, size } from "./numbers";
import { dotLook, pixels } from "./pieces";
import type { State } from "./state";

export interface Curve {
  fabric: string;
  note: string; // how it was had
  points: { x: number; y: number }[];
}

export interface Curves {
  x: { label: string; isSize: boolean };
  y: { label: string; unit: string };
  curves: Curve[];
}

const lineHeight = 12;
const narrow = 460; // below this, names find no room at the ends

// Pushes labels apart, each as near to its place as there is room.
export function spread(places: number[], least: number, most: number): number[] {
  const order = places.map((_, i) => i).sort((a, b) => places[a]! - places[b]!);
  const out = [...places];
  let before = -Infinity;
  for (const i of order) {
    out[i] = Math.max(out[i]!, before + lineHeight, least);
    before = out[i]!;
  }
  let after = most + lineHeight;
  for (const i of [...order].reverse()) {
    out[i] = Math.min(out[i]!, after - lineHeight);
    after = out[i]!;
  }
  return out;
}

function ticks(values: number[], isSize: boolean, room: number): number[] {
  const all = [...new Set(values)].filter((v) => v > 0).sort((a, b) => a - b);
  if (!isSize) return all;
  const least = Math.log2(all[0]!);
  const most = Math.log2(all[all.length - 1]!);
  const step = Math.max(1, Math.ceil((most - least) / Math.max(2, room)));
  const found: number[] = [];
  for (let e = Math.ceil(least / step) * step; e <= most; e += step) found.push(2 ** e);
  return found;
}

function plot(large: Curves, looks: Looks, width: number): SVGSVGElement {
  const { curves, x, y } = large;
  const height = Math.round(Math.max(300, Math.min(430, width * 0.66)));
  const longest = Math.max(...curves.map((curve) => curve.fabric.length));
  const isNarrow = width < narrow;
  const margin = isNarrow ? 24 : Math.min(190, 16 + 6.2 * longest);
  const all = curves.flatMap((curve) => curve.points);
  const values = all.map((point) => point.y);
  const domain: [number, number] = [Math.min(...values) / 1.25, Math.max(...values) * 1.25];
  const marksY = decimalTicks(...domain);
  const marksX = ticks(all.map((p) => p.x), x.isSize, (width - margin - 60) / 70);
  return Plot.plot({
    width,
    height,
    marginLeft: 56,
    marginRight: margin,
    marginBottom: 42,
    x: { type: "log", base: 2, label: x.label },
    y: { type: "log", domain, label: y.label },
    marks: [
      Plot.gridY(marksY),
      Plot.axisY(marksY, { text: (v: number) => short(v) }),
      Plot.axisX(marksX, { text: (v: number) => (x.isSize ? size(v) : short(v)), labelOffset: 36 }),
      ...curves.flatMap((curve) => {
        const look = looks.ofFabric(curve.fabric);
        return [
          Plot.line(curve.points, { x: "x", y: "y", stroke: look.colour, strokeWidth: 2, className: "series" }),
          Plot.dot(curve.points, { ...dotLook(look), x: "x", y: "y", r: curve.points.length > 12 ? 2 : 3, className: "points" }),
        ];
      }),
      ...(isNarrow ? [] : [labels(curves, looks, height)]),
    ],
  }) as SVGSVGElement;
}

// Drawn last, when the scales are known.
function labels(curves: Curve[], looks: Looks, height: number): Plot.Markish {
  return ((_index: number[], scales: { x: (v: number) => number; y: (v: number) => number }) => {
    const ends = curves.map((curve) => curve.points[curve.points.length - 1]!);
    const places = spread(ends.map((end) => scales.y(end.y)), 24, height - 46);
    const right = Math.max(...ends.map((end) => scales.x(end.x)));
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    group.setAttribute("class", "ends");
    curves.forEach((curve, i) => {
      const colour = looks.ofFabric(curve.fabric).colour;
      const line = document.createElementNS(group.namespaceURI, "path") as SVGPathElement;
      const from = `${scales.x(ends[i]!.x) + 4},${scales.y(ends[i]!.y)}`;
      line.setAttribute("d", `M${from}L${right + 10},${places[i]}`);
      line.setAttribute("style", `stroke:${colour}`);
      line.setAttribute("class", "leader");
      const text = document.createElementNS(group.namespaceURI, "text") as SVGTextElement;
      text.setAttribute("x", String(right + 13));
      text.setAttribute("y", String(places[i]!));
      text.setAttribute("dy", "0.32em");
      text.setAttribute("text-anchor", "start");
      text.setAttribute("style", `fill:${colour}`);
      text.textContent = curve.fabric;
      group.append(line, text);
    });
    return group;
  }) as unknown as Plot.Markish;
}

function stops(large: Curves, looks: Looks, svg: SVGSVGElement): Stop[] {
  const at = pixels(svg, "x");
  const places = [...new Set(large.curves.flatMap((c) => c.points.map((p) => p.x)))].sort((a, b) => a - b);
  return places.map((place) => ({
    at: at(place),
    title: `${large.x.label.replace(/ \(.*/, "")} ${large.x.isSize ? size(place) : short(place)}`,
    lines: large.curves
      .flatMap((curve) =>
        curve.points
          .filter((point) => point.x === place)
          .map((point) => ({
            name: curve.fabric + (curve.note === "" ? "" : `, ${curve.note}`),
            value: point.y,
            text: quantity(point.y, large.y.unit),
            colour: looks.ofFabric(curve.fabric).colour,
          })),
      )
      .sort((a, b) => a.value - b.value),
  }));
}

// On a narrow screen names stand below, and everywhere the crosshair reads all curves.
export function curvesFigure(name: string, chosen: () => Curves | null, looks: Looks, state: State): HTMLElement {
  const below = element("div");
  const draw = (width: number) => {
    const curves = chosen();
    below.replaceChildren();
    if (curves === null) return "None of the interconnects that you chose has been asked this.";
    if (width < narrow)
      below.append(legendLine(curves.curves.map(({ fabric }) => ({ name: fabric, fill: looks.ofFabric(fabric).colour }))));
    const svg = plot(curves, looks, width);
    return { svg, isUpright: false, stops: stops(curves, looks, svg) };
  };
  const label = () => `${name}: ${(chosen()?.curves ?? []).map((curve) => curve.fabric).join(", ")}`;
  const sheet = (): Sheet => {
    const found = chosen();
    if (found === null) return [];
    return [
      ["interconnect", "how", found.x.label, found.y.label],
      ...found.curves.flatMap((curve) => curve.points.map(({ x, y }) => [curve.fabric, curve.note, x, y])),
    ];
  };
  return largeFigure({ name, label, draw, sheet, below: [below] }, state);
}
