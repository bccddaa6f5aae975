// Where the values of the papers stand in a plot.

import type { Chart, Choice, Series } from "./charts";
import type { Paper, Value, Verdict } from "./data";
import { parameter, quantity, size, words } from "./numbers";

export interface Mark {
  id: string;
  x: number | null; // null: the paper names no place; the value holds all along the axis
  y: number;
  bound: "is" | "least" | "most";
  fabric: string | null;
  short: string; // the value alone
  text: string; // all that is known of it
}

export interface Limits {
  least: number;
  most: number;
}

const theirMpi = "paper";

// "Small" is four bytes where a paper does not say, "large" a mebibyte, or as near as a curve goes.
const small = ["small", "short", "very short"];
const smallBytes = 4;
const largeBytes = 2 ** 20;
const large = ["large", "asymptotic", "very large"];

function place(
  paper: Paper,
  verdict: Verdict | undefined,
  x: string,
  limits: Limits,
): number | null {
  const compared = verdict?.place?.[x];
  if (typeof compared === "number") return compared;
  const at = (name: string) => {
    const value = paper.params[name];
    return typeof value === "number" ? value : null;
  };
  const exact = at(x) ?? at(`${x}_max`) ?? at(`${x}_min`);
  if (exact !== null || x !== "message_bytes") return exact;
  const name = String(paper.params["message_class"] ?? "");
  if (small.includes(name)) return Math.max(smallBytes, limits.least);
  if (large.includes(name)) return Math.min(largeBytes, limits.most);
  return null;
}

// A paper that does not say which operation it means contradicts no choice.
function agrees(chart: Chart, paper: Paper, choice: Choice): boolean {
  return chart.dimensions.every((dimension, i) => {
    const stated = paper.params[dimension.name];
    const wanted = choice[i] ?? null;
    return wanted === null || stated === undefined || stated === wanted;
  });
}

function bound(qualifier: string | undefined): Mark["bound"] {
  if (qualifier?.startsWith(">")) return "least";
  return qualifier?.startsWith("<") ? "most" : "is";
}

function value(paper: Paper): string {
  const sign: Record<string, string> = { "~": "about ", ">=": "≥ ", "<=": "≤ ", "=": "" };
  const qualifier = paper.qualifier ?? "=";
  return (sign[qualifier] ?? `${qualifier} `) + quantity(paper.value!, paper.unit!);
}

function text(paper: Paper, verdict: Verdict | undefined, x: number | null): string {
  const lines = [
    `published: ${value(paper)}`,
    paper.id,
    [paper.system, paper.seed + (paper.where === undefined ? "" : `, ${paper.where}`)].join("; "),
  ];
  const params = Object.entries(paper.params).map(([n, v]) => `${words(n)} ${parameter(n, v)}`);
  if (params.length > 0) lines.push(params.join(", "));
  const stated = paper.params["message_class"];
  if (stated !== undefined && x !== null) lines.push(`“${stated}” is drawn at ${size(x)}`);
  if (verdict?.ours !== undefined) lines.push(`ours: ${quantity(verdict.ours, paper.unit!)}`);
  if (verdict !== undefined) lines.push(verdict.verdict);
  return lines.join("\n");
}

// The papers' values that belong into this chart under this choice.
export function publishedFor(chart: Chart, choice: Choice, papers: Paper[]): Paper[] {
  return papers.filter(
    (paper) =>
      (paper.kind === "measurement" || paper.kind === "ratio") &&
      paper.experiment === chart.experiment &&
      paper.metric === chart.metric &&
      paper.unit === chart.unit &&
      typeof paper.value === "number" &&
      agrees(chart, paper, choice),
  );
}

// How much papers have to say under a choice; they speak of their own MPI library, not of ours.
export function weight(chart: Chart, choice: Choice, papers: Paper[]): number {
  const theirs = chart.dimensions.some((d, i) => d.name === "mpi" && choice[i] === theirMpi);
  return publishedFor(chart, choice, papers).length + (theirs ? 0.5 : 0);
}

// The same as marks; `limits` are those of the axis.
export function marks(
  chart: Chart,
  choice: Choice,
  papers: Paper[],
  verdicts: Map<string, Verdict>,
  limits: Limits,
): Mark[] {
  return publishedFor(chart, choice, papers).map((paper) => {
    const verdict = verdicts.get(paper.id);
    const x = chart.x === null ? null : place(paper, verdict, chart.x, limits);
    return {
      id: paper.id,
      x,
      y: paper.value!,
      bound: bound(paper.qualifier),
      fabric: verdict?.fabric ?? null,
      short: value(paper),
      text: text(paper, verdict, x),
    };
  });
}

// A value beside the bar that it is about.
export interface GroupMark extends Mark {
  group: Value;
  series: string; // its key
}

function about(chart: Chart, paper: Paper, fabric: string | null, one: Series): boolean {
  if (fabric !== null && fabric !== one.fabric) return false;
  return chart.dimensions.every((dimension, i) => {
    const stated = paper.params[dimension.name];
    return stated === undefined || one.choice[i] === undefined || stated === one.choice[i];
  });
}

// Marks of a chart of bars: at each bar that the paper speaks of; of two libraries, at the papers'.
export function groupMarks(
  chart: Chart,
  choice: Choice,
  papers: Paper[],
  verdicts: Map<string, Verdict>,
  all: Series[],
): GroupMark[] {
  const groups = chart.groups!;
  const mpi = chart.dimensions.findIndex((dimension) => dimension.name === "mpi");
  return publishedFor(chart, choice, papers).flatMap((paper) => {
    const group = groups.values.find((value) => value === paper.params[groups.name]);
    if (group === undefined) return [];
    const verdict = verdicts.get(paper.id);
    const fabric = verdict?.fabric ?? null;
    const found = all.filter((one) => about(chart, paper, fabric, one));
    const theirs = found.filter((one) => one.choice[mpi] === theirMpi);
    return (theirs.length > 0 ? theirs : found).map((one) => ({
      id: paper.id,
      x: null,
      y: paper.value!,
      bound: bound(paper.qualifier),
      fabric: one.fabric,
      short: value(paper),
      text: text(paper, verdict, null),
      group,
      series: one.key,
    }));
  });
}
