// Can you trust it? What papers published against what the models give: all figures in one plot, by
// how far they are off in another, and every statement in a table.

import * as Plot from "@observablehq/plot";
import { decimalTicks } from "./axes";
import type { Stop } from "./crosshair";
import type { Verdict } from "./data";
import { element } from "./dom";
import { scores } from "./findings";
import { largeFigure } from "./large";
import { count, percent, quantity, short } from "./numbers";
import { pixels } from "./pieces";
import { recordTable } from "./records";
import type { Contents } from "./top";

interface Point {
  published: number;
  ours: number;
  off: number; // as a share
  verdict: Verdict;
  fabric: string;
  isFitted: boolean;
  isExcepted: boolean;
}

export function pointsOf(records: Verdict[]): Point[] {
  return records.flatMap((verdict) => {
    const { published, ours } = verdict;
    const isValue = verdict.qualifier === undefined || verdict.qualifier === "=" || verdict.qualifier === "~";
    if (published === undefined || ours === undefined || published <= 0 || ours <= 0 || !isValue) return [];
    return [
      {
        published,
        ours,
        off: ours / published - 1,
        verdict,
        fabric: verdict.fabric ?? verdict.system ?? "",
        isFitted: verdict.basis === "fitted",
        isExcepted: verdict.verdict !== "holds",
      },
    ];
  });
}

function look(points: Point[], contents: Contents) {
  return Plot.dot(points, {
    x: "published",
    stroke: (p: Point) => (p.isExcepted ? "var(--bad)" : contents.colour(p.fabric)),
    fill: (p: Point) => (p.isFitted ? "var(--plot-background)" : p.isExcepted ? "var(--bad)" : contents.colour(p.fabric)),
    symbol: (p: Point) => (p.isExcepted ? "times" : "circle"),
    strokeWidth: 1.3,
    r: 3,
    className: "points",
    y: "ours",
  });
}

function band(share: number, domain: [number, number]) {
  const [least, most] = domain;
  return Plot.areaY(
    [least, most].map((x) => ({ x, y1: x * (1 - share), y2: x * (1 + share) })),
    { x: "x", y1: "y1", y2: "y2", fill: "var(--good)", fillOpacity: 0.16, clip: true },
  );
}

function scatter(points: Point[], width: number, contents: Contents): SVGSVGElement {
  const values = points.flatMap((p) => [p.published, p.ours]);
  const domain: [number, number] = [Math.min(...values) / 1.4, Math.max(...values) * 1.4];
  const ticks = decimalTicks(...domain);
  return Plot.plot({
    width,
    height: Math.min(430, Math.max(300, width * 0.8)),
    marginLeft: 52,
    marginBottom: 42,
    x: { type: "log", domain, label: "published, in the unit of each" },
    y: { type: "log", domain, label: "ours" },
    symbol: { type: "identity" },
    color: { type: "identity" },
    marks: [
      Plot.gridX(ticks),
      Plot.gridY(ticks),
      Plot.axisX(ticks, { text: (v: number) => short(v), labelOffset: 36 }),
      Plot.axisY(ticks, { text: (v: number) => short(v) }),
      band(0.1, domain),
      band(0.05, domain),
      Plot.line(domain.map((v) => [v, v]), { stroke: "currentColor", strokeOpacity: 0.4 }),
      look(points, contents),
    ],
  }) as SVGSVGElement;
}

// Beyond that, a point stands on the edge, and is named.
const edge = 0.3;

function isRight(point: Point, [least, most]: [number, number]): boolean {
  return Math.log(point.published / least) > 0.55 * Math.log(most / least);
}

// Those whose names stand upon no other's, in pixels of the plot.
function namesWithRoom(points: Point[], domain: [number, number], width: number, height: number): Point[] {
  const [least, most] = domain.map(Math.log) as [number, number];
  const boxes: { left: number; right: number; y: number }[] = [];
  return points.filter((p) => {
    const at = ((Math.log(p.published) - least) / (most - least)) * width;
    const y = (p.ours / (2 * edge * 100)) * height;
    const long = shortName(p).length * 5.3 + 7;
    const box = isRight(p, domain) ? { left: at - long, right: at, y } : { left: at, right: at + long, y };
    if (boxes.some((b) => Math.abs(b.y - y) < 11 && b.left < box.right && box.left < b.right)) return false;
    boxes.push(box);
    return true;
  });
}

const shortName = (point: Point) => point.verdict.id.split(".").slice(0, 4).join(".");

function residuals(points: Point[], width: number, contents: Contents): SVGSVGElement {
  const clipped = points.map((p) => ({ ...p, ours: Math.max(-edge, Math.min(edge, p.off)) * 100 }));
  const xs = points.map((p) => p.published);
  const domain: [number, number] = [Math.min(...xs) / 1.4, Math.max(...xs) * 1.4];
  const ticks = decimalTicks(...domain);
  const height = Math.min(430, Math.max(300, width * 0.8));
  const named = namesWithRoom(clipped.filter((p) => p.isExcepted), domain, width - 72, height - 62);
  return Plot.plot({
    width,
    height,
    marginLeft: 52,
    marginBottom: 42,
    x: { type: "log", domain, label: "published, in the unit of each" },
    y: { domain: [-edge * 100, edge * 100], label: "ours is larger by (%)" },
    symbol: { type: "identity" },
    color: { type: "identity" },
    marks: [
      Plot.rectY([{ a: -10, b: 10 }], { y1: "a", y2: "b", fill: "var(--good)", fillOpacity: 0.14 }),
      Plot.rectY([{ a: -5, b: 5 }], { y1: "a", y2: "b", fill: "var(--good)", fillOpacity: 0.16 }),
      Plot.gridY(),
      Plot.axisX(ticks, { text: (v: number) => short(v), labelOffset: 36 }),
      Plot.axisY(),
      Plot.ruleY([0]),
      look(clipped, contents),
      // Names at the right end of the plot begin before it.
      ...(["start", "end"] as const).map((textAnchor) =>
        Plot.text(
          named.filter((p) => (isRight(p, domain) ? "end" : "start") === textAnchor),
          {
            x: "published",
            y: "ours",
            text: shortName,
            textAnchor,
            dx: textAnchor === "end" ? -7 : 7,
            fontSize: 9.5,
          },
        ),
      ),
    ],
  }) as SVGSVGElement;
}

function stops(points: Point[], svg: SVGSVGElement, contents: Contents): Stop[] {
  const at = pixels(svg, "x");
  const places = [...new Set(points.map((p) => p.published))].sort((a, b) => a - b);
  return places.map((place) => {
    const here = points.filter((p) => p.published === place);
    const lines = here.slice(0, 8).map((p) => ({
      name: `${p.verdict.id}${p.isFitted ? " (fitted)" : ""}`,
      text: `${quantity(p.ours, p.verdict.unit ?? "1")}, ${p.off > 0 ? "+" : ""}${percent(p.off)}`,
      colour: p.isExcepted ? "var(--bad)" : contents.colour(p.fabric),
    }));
    if (here.length > 8) lines.push({ name: `and ${here.length - 8} more`, text: "", colour: "none" });
    return { at: at(place), title: `published ${short(place)}`, lines };
  });
}

function plotted(name: string, points: Point[], contents: Contents, make: typeof scatter): HTMLElement {
  const { fabrics, state } = contents;
  const chosen = () => points.filter((p) => !fabrics.includes(p.fabric) || state.shows(p.fabric));
  return largeFigure(
    {
      name,
      label: () => `${name}: ${count(chosen().length, "figure")}`,
      draw: (width) => {
        if (chosen().length === 0) return "No paper speaks of what you chose.";
        const svg = make(chosen(), width, contents);
        return { svg, isUpright: false, stops: stops(chosen(), svg, contents) };
      },
      sheet: () => [
        ["figure", "interconnect", "published", "ours", "unit", "basis"],
        ...chosen().map((p) => [
          p.verdict.id,
          p.fabric,
          p.published,
          p.ours,
          p.verdict.unit ?? "",
          p.isFitted ? "fitted" : "predicted",
        ]),
      ],
    },
    state,
  );
}

export function trustSection(contents: Contents): HTMLElement | null {
  const verdicts = contents.data.verdicts;
  if (verdicts === null) return null;
  const points = pointsOf(verdicts.records);
  const found = scores(contents.data);
  const section = element(
    "section",
    { id: "trust" },
    element("h2", {}, "Can you trust it?"),
    element(
      "p",
      {},
      `Every statement of the papers that can be checked was run again on the model. ${found.predicted.right} of ` +
        `${found.predicted.checked} performance figures came out within ${verdicts.tolerance_percent ?? 5} % by themselves. ` +
        `${found.fitted.right} of ${found.fitted.checked} others were used to choose a parameter (hollow below): they prove nothing. ` +
        `A relation says who is faster; it is marginal if it holds by less than a tenth of the paper's margin.`,
    ),
  );
  if (points.length > 0)
    section.append(
      element(
        "div",
        { class: "pair" },
        plotted("Published against ours", points, contents, scatter),
        plotted("The same, by how far it is off", points, contents, residuals),
      ),
      element("p", { class: "remark" }, "Bands: within 5 and 10 %. ● predicted, ○ fitted, ✕ does not agree, and named."),
    );
  section.append(...recordTable(contents), element("p", { class: "remark" }, verdicts.summary ?? ""));
  return section;
}
