// The few numbers by which interconnects are compared first, found among the rows. Knows nothing of
// how they are shown.

import type { Chart } from "./charts";
import type { Fabric, PageData, Row } from "./data";
import { parameter } from "./numbers";

export interface Finding {
  value: number;
  unit: string;
  row: Row;
  // What the reader must know of it: another size, another experiment than most.
  note: string;
}

interface Question {
  name: string;
  explained: string;
  better: "less" | "more";
  // In the order in which they are asked; the first with an answer gives it.
  sources: { experiment: string; metric: string; take: (row: Row) => boolean; note?: string }[];
}

const sized = (bytes: number) => (row: Row) => row.parameters["message_bytes"] === bytes;
// What a stream reaches by sending the same few bytes again and again says what a cache does.
const large = (row: Row) => Number(row.parameters["message_bytes"]) >= 64 * 1024;
const always = () => true;

const streams: { experiment: string; note?: string }[] = [
  { experiment: "bandwidth-uni-queue" },
  { experiment: "bandwidth-uni-window" },
  { experiment: "mpi-bandwidth-uni", note: "by MPI" },
  { experiment: "mpi-bandwidth-uni-multiport", note: "by MPI" },
  { experiment: "mvich-latency-bandwidth", note: "by MPI" },
];

export const questions: Question[] = [
  {
    name: "8 B latency",
    explained: "one way, by the quickest operation that it has",
    better: "less",
    sources: [
      { experiment: "latency-uni", metric: "latency", take: sized(8) },
      { experiment: "mpi-latency", metric: "latency", take: sized(8), note: "by MPI" },
      { experiment: "mvich-latency-bandwidth", metric: "latency", take: sized(8), note: "by MPI" },
    ],
  },
  {
    name: "peak bandwidth",
    explained: "one way, of messages of 64 KiB and more",
    better: "more",
    // Where none are that long, of all that there are.
    sources: streams.flatMap((stream) =>
      [large, always].map((take) => ({ ...stream, metric: "bandwidth", take })),
    ),
  },
  {
    name: "host overhead",
    explained: "processor time of both sides for a message of 8 B",
    better: "less",
    sources: [
      { experiment: "host-overhead-latency", metric: "host_overhead", take: sized(8) },
      { experiment: "host-overhead-latency", metric: "host_overhead", take: sized(4) },
    ],
  },
  {
    name: "allreduce on 64",
    explained: "8 B among 64 nodes, one rank on each",
    better: "less",
    sources: [
      {
        experiment: "allreduce-latency",
        metric: "latency",
        take: (row) =>
          row.parameters["processes"] === 64 &&
          row.parameters["collective"] === "allreduce" &&
          row.parameters["message_bytes"] === 8,
      },
    ],
  },
  {
    name: "CG time",
    explained: "the NAS kernel CG, class A, on 16 nodes",
    better: "less",
    sources: [
      {
        experiment: "run",
        metric: "run_time",
        take: (row) => /(^|\/| )cg\b/i.test(String(row.parameters["program"])),
      },
      {
        experiment: "npb-cpu-time",
        metric: "cpu_time",
        take: (row) => row.parameters["application"] === "CG" && row.parameters["processes"] === 16,
      },
    ],
  },
];

function noteOf(row: Row, note: string | undefined): string {
  const how = ["op", "queue", "message_bytes", "mpi", "mode"].flatMap((name) => {
    const value = row.parameters[name];
    return value === undefined ? [] : [`${name === "queue" ? "queue " : ""}${parameter(name, value)}`];
  });
  return [note, ...how].filter((part) => part !== undefined).join(", ");
}

// The best that an interconnect does; null: nobody has asked it.
export function find(question: Question, rows: Row[]): Finding | null {
  for (const { experiment, metric, take, note } of question.sources) {
    const found = rows.filter((r) => r.experiment === experiment && r.metric === metric && take(r));
    if (found.length === 0) continue;
    const best = found.reduce((a, b) =>
      (question.better === "less" ? b.value < a.value : b.value > a.value) ? b : a,
    );
    return { value: best.value, unit: best.unit, row: best, note: noteOf(best, note) };
  }
  return null;
}

// Questions that somebody has an answer to, and the answers of all.
export function matrix(rows: Row[], fabrics: string[]) {
  const own = new Map(fabrics.map((name) => [name, rows.filter((row) => row.fabric === name)]));
  const columns = questions.map((question) => ({
    question,
    cells: new Map(fabrics.map((name) => [name, find(question, own.get(name)!)])),
  }));
  const asked = columns.filter(({ cells }) => [...cells.values()].some((cell) => cell !== null));
  const lines = fabrics.filter((name) => asked.some(({ cells }) => cells.get(name) !== null));
  return { columns: asked, lines };
}

// 0 for the best of a column, 1 for the worst, by orders of magnitude.
export function standing(value: number, all: number[], better: "less" | "more"): number {
  const logs = all.map(Math.log);
  const least = Math.min(...logs);
  const most = Math.max(...logs);
  if (most === least) return 0;
  const place = (Math.log(value) - least) / (most - least);
  return better === "less" ? place : 1 - place;
}

export interface Score {
  right: number;
  checked: number;
}

// What became of the papers' records, by what is asked of them.
export function scores(data: PageData) {
  const records = data.verdicts?.records ?? [];
  const checked = records.filter((v) => v.verdict !== "not-available" && v.vacuous !== true);
  // As `railyard reproduce` counts: an exception is checked, and not right.
  const score = (take: (v: (typeof records)[number]) => boolean): Score => {
    const own = checked.filter(take);
    return { right: own.filter((v) => v.verdict === "holds").length, checked: own.length };
  };
  return {
    predicted: score((v) => v.class === "performance" && v.basis === "predicted"),
    fitted: score((v) => v.class === "performance" && v.basis === "fitted"),
    relations: score((v) => v.class === "relation"),
    marginal: records.filter((v) => v.verdict === "marginal").length,
    exceptions: records.filter((v) => v.verdict === "excepted").length,
    off: records.filter((v) => v.verdict === "off" || v.verdict === "come-right").length,
    records: records.length,
  };
}

export function isModel(fabric: Fabric | undefined): boolean {
  return fabric?.clock === "virtual";
}

// The machine itself, which is no interconnect: also where it has a file's name behind its own.
export function isHost(fabric: string): boolean {
  return /^host( |$)/.test(fabric);
}

// The chart that a row stands in.
export function chartOf(row: Row, charts: Chart[]): Chart | undefined {
  return charts.find(
    (c) => c.experiment === row.experiment && c.metric === row.metric && c.unit === row.unit,
  );
}
