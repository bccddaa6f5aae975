// Which plots there are, and what tells their series apart. Knows nothing of how they are drawn.

import type { Row, Value } from "./data";
import { parameter, words } from "./numbers";

export interface Dimension {
  name: string;
  values: Value[];
}

export interface Chart {
  experiment: string;
  metric: string;
  unit: string;
  rows: Row[];
  fabrics: string[];
  // The parameter that goes along the horizontal axis; null if no number was varied.
  x: string | null;
  // The parameter by whose values bars are grouped, in place of an axis; null if there is none.
  groups: Dimension | null;
  // What else was varied; the reader chooses.
  dimensions: Dimension[];
}

export interface Series {
  key: string;
  fabric: string;
  // Its values of the chart's dimensions, in their order.
  choice: (Value | undefined)[];
  rows: Row[];
}

// For each dimension the value that is shown; null for all.
export type Choice = (Value | null)[];

// Experiments that sweep one of these are about it; the message size is then a second thought.
const swept = [
  "slaves",
  "senders",
  "connections",
  "nodes",
  "buffers",
  "reuse_percent",
  "cpu_share_percent",
  "computation_us",
  "processes",
  "offered_percent",
];
// Two values are an either-or, not a sweep.
const fewest = 3;
// What people choose, and look for. Other parameters may only say how it was done.
const chosen = ["op", "queue", "window", "memory", "ports", "mpi"];
// What one wants to see side by side, as long as that can be read.
const contrasts = ["mode", "ports", "reuse_percent", "queue", "registration_cache", "mpi"];
// What is understood without its name beside it.
const selfEvident = ["op", "mode", "collective", "pattern"];
// Things that have names and no order.
const grouping = "application";
export const mostSeries = 8;

function distinct<T>(items: Iterable<T>): T[] {
  return [...new Set(items)];
}

function values(rows: Row[], name: string): (Value | undefined)[] {
  return distinct(rows.map((row) => row.parameters[name]));
}

function sweep(rows: Row[], name: string): number {
  const found = values(rows, name).filter((v) => v !== undefined);
  return found.every((v) => typeof v === "number") ? found.length : 0;
}

function horizontal(rows: Row[], names: string[]): string | null {
  const count = (name: string) => sweep(rows, name);
  const candidates = names.filter((name) => count(name) > 1);
  const sized = candidates.includes("message_bytes");
  const wanted = swept.filter((name) => count(name) >= (sized ? fewest : 2));
  const first = wanted[0] ?? (sized ? "message_bytes" : undefined);
  return first ?? candidates.sort((a, b) => count(b) - count(a))[0] ?? null;
}

function tellApart(rows: Row[], names: string[]): boolean {
  const keys = rows.map((r) => JSON.stringify([r.fabric, ...names.map((n) => r.parameters[n])]));
  return new Set(keys).size === rows.length;
}

function dimensions(rows: Row[], names: string[], x: string | null): Dimension[] {
  let needed = names.filter((name) => name !== x && values(rows, name).length > 1);
  const axis = x === null ? [] : [x];
  // A buffer size that follows from the message size is no choice.
  for (const name of [...needed].reverse()) {
    const fewer = needed.filter((n) => n !== name);
    if (!chosen.includes(name) && tellApart(rows, [...axis, ...fewer])) needed = fewer;
  }
  needed.sort((a, b) => rank(a) - rank(b));
  return needed.map((name) => {
    const found = values(rows, name).filter((v): v is Value => v !== undefined);
    if (found.every((v) => typeof v === "number")) found.sort((a, b) => Number(a) - Number(b));
    return { name, values: found };
  });
}

function rank(name: string): number {
  const place = chosen.indexOf(name);
  return place < 0 ? chosen.length : place;
}

// One chart an experiment and metric, in the order in which they first occur.
export function charts(rows: Row[]): Chart[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.experiment, row.metric, row.unit]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()].map((group) => {
    const first = group[0]!;
    const names = distinct(group.flatMap((row) => Object.keys(row.parameters)));
    const grouped = values(group, grouping).filter((v): v is Value => v !== undefined);
    const x = grouped.length > 0 ? null : horizontal(group, names);
    return {
      experiment: first.experiment,
      metric: first.metric,
      unit: first.unit,
      rows: group,
      fabrics: distinct(group.map((row) => row.fabric)),
      x,
      groups: grouped.length > 0 ? { name: grouping, values: grouped } : null,
      dimensions: dimensions(group, names, grouped.length > 0 ? grouping : x),
    };
  });
}

function fits(chart: Chart, row: Row, choice: Choice): boolean {
  return chart.dimensions.every((dimension, i) => {
    const value = row.parameters[dimension.name];
    // A row that lacks the parameter does not contradict the choice: its fabric has no such thing.
    return choice[i] === null || value === undefined || value === choice[i];
  });
}

// The series that a choice leaves: by interconnect, then by what else was varied.
export function series(chart: Chart, choice: Choice): Series[] {
  const found = new Map<string, Series>();
  for (const row of chart.rows) {
    if (!fits(chart, row, choice)) continue;
    const own = chart.dimensions.map((dimension) => row.parameters[dimension.name]);
    const key = JSON.stringify([row.fabric, ...own]);
    const known = found.get(key);
    if (known === undefined) found.set(key, { key, fabric: row.fabric, choice: own, rows: [row] });
    else known.rows.push(row);
  }
  const x = chart.x;
  if (x !== null)
    for (const one of found.values())
      one.rows.sort((a, b) => Number(a.parameters[x]) - Number(b.parameters[x]));
  const places = (one: Series) => [
    chart.fabrics.indexOf(one.fabric),
    ...chart.dimensions.map((d, i) => d.values.indexOf(one.choice[i] ?? "")),
  ];
  return [...found.values()].sort((a, b) => {
    const theirs = places(b);
    return (
      places(a)
        .map((place, i) => place - theirs[i]!)
        .find((difference) => difference !== 0) ?? 0
    );
  });
}

// All of it, if that can still be read; otherwise what most interconnects have in common, and of
// equals the one that `more` finds most for; with what it stands in contrast to, if there is room.
export function firstChoice(chart: Chart, more: (choice: Choice) => number): Choice {
  const all: Choice = chart.dimensions.map(() => null);
  const every = series(chart, all);
  if (every.length <= mostSeries) return all;
  const found = new Map<string, { choice: Choice; fabrics: number; more: number }>();
  for (const one of every) {
    const key = JSON.stringify(one.choice);
    const choice = one.choice.map((value) => value ?? null);
    const known = found.get(key) ?? { choice, fabrics: 0, more: more(choice) };
    known.fabrics += 1;
    found.set(key, known);
  }
  const best = [...found.values()].reduce((a, b) =>
    b.fabrics > a.fabrics || (b.fabrics === a.fabrics && b.more > a.more) ? b : a,
  ).choice;
  for (const name of contrasts) {
    const wider = best.map((value, i) => (chart.dimensions[i]!.name === name ? null : value));
    if (series(chart, wider).length <= mostSeries) best.splice(0, best.length, ...wider);
  }
  return best;
}

// "shm, rdma_write, queue 8": what tells one series from the others that are shown.
export function label(chart: Chart, all: Series[], one: Series): string {
  const parts = chart.dimensions.flatMap((dimension, i) => {
    const value = one.choice[i];
    if (value === undefined || all.every((other) => other.choice[i] === value)) return [];
    const text = parameter(dimension.name, value);
    return [selfEvident.includes(dimension.name) ? text : `${words(dimension.name)} ${text}`];
  });
  const fabrics = new Set(all.map((other) => other.fabric));
  return [...(fabrics.size > 1 || parts.length === 0 ? [one.fabric] : []), ...parts].join(", ");
}
